/// Where a station keeps its store and its socket.
package struct StartPaths: Sendable {
    /// The folder of the store; made where it is missing.
    package let store: String
    /// The socket's file; its folder is made where it is missing.
    package let socket: String

    package init(store: String, socket: String) {
        self.store = store
        self.socket = socket
    }
}

/// Why a station can't start, in a sentence.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
