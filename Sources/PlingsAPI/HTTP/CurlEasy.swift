internal import CCurl

/// A libcurl easy handle, with its options by type.
struct CurlEasy {
    let pointer: UnsafeMutableRawPointer

    /// - Throws: `TransportError.library` where there is no memory for one.
    init() throws(TransportError) {
        guard let pointer = curl_easy_init() else { throw .library(CURLE_OUT_OF_MEMORY) }
        self.pointer = pointer
    }

    func cleanUp() {
        curl_easy_cleanup(pointer)
    }

    // An option that could not be set would leave a default in force, perhaps a laxer one: every
    // failure ends the transfer.

    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try check(plings_curl_set_long(pointer, option, value))
    }

    func set(_ option: CURLoption, on: Bool) throws(TransportError) {
        try set(option, on ? 1 : 0)
    }

    /// Sets a text, which libcurl copies; nil takes it back to none.
    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        try check(plings_curl_set_string(pointer, option, value))
    }

    func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(TransportError) {
        try check(plings_curl_set_pointer(pointer, option, value))
    }

    func setReceiver(
        _ option: CURLoption, _ receiver: @escaping curl_write_callback
    ) throws(TransportError) {
        try check(plings_curl_set_receiver(pointer, option, receiver))
    }

    func setOpener(_ opener: @escaping curl_opensocket_callback) throws(TransportError) {
        try check(plings_curl_set_opener(pointer, opener))
    }

    /// Sets the body, which libcurl copies.
    func setBody(_ body: [UInt8]) throws(TransportError) {
        let code = plings_curl_set_offset(
            pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        try check(code)
        let copied = body.withUnsafeBytes { bytes in
            plings_curl_set_pointer(
                pointer, CURLOPT_COPYPOSTFIELDS,
                UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        try check(copied)
    }

    /// A number that libcurl knows about the transfer, 0 where it does not.
    func long(_ info: CURLINFO) -> Int {
        var value = 0
        plings_curl_get_long(pointer, info, &value)
        return value
    }

    /// A time or size that libcurl knows about the transfer, 0 where it does not.
    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        plings_curl_get_offset(pointer, info, &value)
        return Int64(value)
    }

    private func check(_ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else { throw .library(code) }
    }
}

/// A list of header lines in libcurl's form.
struct CurlHeaders {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    mutating func append(_ line: String) throws(TransportError) {
        guard let longer = curl_slist_append(list, line) else {
            throw .library(CURLE_OUT_OF_MEMORY)
        }
        list = longer
    }

    mutating func free() {
        curl_slist_free_all(list)
        list = nil
    }
}

extension TransportError {
    /// libcurl's own sentence for a code of its, which never holds anything of the transfer.
    static func library(_ code: CURLcode) -> TransportError {
        .library(code: code.rawValue, text: String(cString: curl_easy_strerror(code)))
    }
}
