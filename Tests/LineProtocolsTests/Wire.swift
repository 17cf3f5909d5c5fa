/// Lines that a station might send.
enum Wire {
    static let log = "01a22a6f-f9a9-7301-aebe-810be5b54fc9"

    static let hello =
        #"{"jsonrpc":"2.0","method":"hello","params":{"daemon":"plingsd","first":1,"last":4,"#
        + #""log":""# + log + #"","may":["watch"],"protocol":{"major":1,"minor":0},"#
        + #""station":"kiosk-3","version":"0.1.0"}}"# + "\n"

    static func subscribed(_ id: Int, from: Int) -> String {
        #"{"id":\#(id),"jsonrpc":"2.0","result":{"from":\#(from),"log":"\#(log)"}}"# + "\n"
    }

    /// An event of the API's state.
    static func event(_ seq: Int, state: String = "online") -> String {
        #"{"jsonrpc":"2.0","method":"event","params":{"seq":\#(seq),"#
            + #""at":"2026-11-29T23:46:26.123Z","state":"\#(state)","type":"api"}}"# + "\n"
    }

    static let unstored =
        #"{"jsonrpc":"2.0","method":"event","params":{"durable":false,"#
        + #""at":"2026-11-29T23:46:26.123Z","state":"online","type":"api"}}"# + "\n"
}
