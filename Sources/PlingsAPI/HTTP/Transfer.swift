internal import CCurl
internal import Glibc

/// One easy handle with what it receives; used again for request after request.
///
/// It lives on the transport's thread, where libcurl calls it back.
final class Transfer {
    let easy: CurlEasy
    /// The request it carries.
    private(set) var current: Current?
    fileprivate(set) var answer = HTTPAnswer()
    fileprivate(set) var overflow: Int?
    fileprivate(set) var metForeignAddress = false
    private var headers = CurlHeaders()
    private var headBytes = 0

    /// A request on its way.
    struct Current {
        let id: TransferID
        let request: HTTPRequest
        /// Where it goes now: the endpoint, or where that redirected to.
        var url: String
        /// How many redirects were followed.
        var redirects = 0
        /// CLOCK_MONOTONIC in nanoseconds.
        let deadline: UInt64
    }

    init(_ settings: TransportSettings) throws(TransportError) {
        easy = try CurlEasy()
        do throws(TransportError) {
            try settings.apply(to: easy)
            try register()
        } catch {
            easy.cleanUp()
            throw error
        }
    }

    deinit {
        headers.free()
        easy.cleanUp()
    }

    /// Has libcurl call back with this transfer, which outlives its handle.
    private func register() throws(TransportError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try easy.setReceiver(CURLOPT_WRITEFUNCTION, receiveBody)
        try easy.set(CURLOPT_WRITEDATA, pointer: context)
        try easy.setReceiver(CURLOPT_HEADERFUNCTION, receiveHead)
        try easy.set(CURLOPT_HEADERDATA, pointer: context)
        try easy.setOpener(openSocket)
        try easy.set(CURLOPT_OPENSOCKETDATA, pointer: context)
    }

    /// Makes the handle ready for a request.
    ///
    /// - Parameters:
    ///   - current: The request.
    ///   - now: CLOCK_MONOTONIC in nanoseconds.
    /// - Throws: `TransportError.library` where an option can't be set.
    func prepare(_ current: Current, now: UInt64) throws(TransportError) {
        forget()
        self.current = current
        let request = current.request
        try easy.set(CURLOPT_URL, current.url)
        // An empty proxy overrides the environment's.
        try easy.set(CURLOPT_PROXY, request.endpoint.isPlain ? "" : nil)
        try easy.setBody(request.body)
        try setHeaders(of: request)
        try setTimeouts(current.deadline, now)
        let limit = min(request.answerLimit, TransportSettings.answerLimit)
        try easy.set(CURLOPT_MAXFILESIZE, limit)
    }

    private func setHeaders(of request: HTTPRequest) throws(TransportError) {
        let authorization = request.token?.reveal { token in
            HTTPHeader(name: "Authorization", value: "Bearer \(token)")
        }
        let secrets = [authorization].compactMap { $0 }
        for header in request.headers + secrets { try headers.append(header.line) }
        // libcurl would ask a server's leave before a long body and wait a second for it.
        try headers.append("Expect:")
        try easy.set(CURLOPT_HTTPHEADER, pointer: headers.list)
    }

    private func setTimeouts(_ deadline: UInt64, _ now: UInt64) throws(TransportError) {
        // 0 would mean for ever, so what is left is at least a millisecond.
        let left = deadline > now ? Int((deadline - now) / 1_000_000) : 0
        try easy.set(CURLOPT_TIMEOUT_MS, max(1, left))
        let connect = Int(TransportSettings.connectTimeout / .milliseconds(1))
        try easy.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(connect, left)))
    }

    /// Lets go of the request, its headers and its answer.
    func forget() {
        current = nil
        answer = HTTPAnswer()
        overflow = nil
        metForeignAddress = false
        headBytes = 0
        plings_curl_set_pointer(easy.pointer, CURLOPT_HTTPHEADER, nil)
        headers.free()
    }

    // MARK: Called back by libcurl

    fileprivate func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let limit = min(current?.request.answerLimit ?? 0, TransportSettings.answerLimit)
        guard answer.body.count + bytes.count <= limit else {
            overflow = limit
            return false
        }
        answer.body.append(contentsOf: bytes)
        return true
    }

    fileprivate func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        guard headBytes <= TransportSettings.headLimit else {
            overflow = TransportSettings.headLimit
            return false
        }
        // An interim answer (100 Continue) may go before; only the last one's fields count.
        if line.starts(with: "HTTP/".utf8) {
            answer.fields = HTTPFields()
        } else {
            answer.fields.read(line)
        }
        return true
    }

    fileprivate func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if current?.request.endpoint.isPlain == true, !address.isLoopback {
            metForeignAddress = true
            return curl_socket_t(-1)
        }
        // Programs that this process starts have no business with its connections.
        let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, type, address.pointee.protocol)
    }
}

extension UnsafeMutablePointer<curl_sockaddr> {
    fileprivate var isLoopback: Bool {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return false }
        return LoopbackAddress.contains(UnsafeRawPointer(self) + offset)
    }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeBody(buffer) == true ? buffer.count : 0
}

private func receiveHead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeHead(buffer) == true ? buffer.count : 0
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address, let transfer = transfer(context) else { return curl_socket_t(-1) }
    return transfer.open(address)
}
