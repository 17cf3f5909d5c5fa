internal import CCurl
internal import Glibc
internal import Synchronization

/// A libcurl multi handle, whose connections are kept and shared by the transfers added to it.
///
/// It is used by the transport's thread alone, but for `wake`, which libcurl allows any thread.
/// Source: curl_multi_wakeup(3).
final class CurlMulti: @unchecked Sendable {
    // `pointer` never changes; `open` keeps a wake-up from a handle that is being cleaned up.
    private let pointer: UnsafeMutableRawPointer
    private let open = Mutex(true)

    /// The most connections that are kept while nothing uses them.
    private static let keptConnections = 8

    /// - Throws: `EndpointError.library` where libcurl can't start or can't be woken.
    init() throws(EndpointError) {
        guard Self.globalCode == CURLE_OK else {
            throw .library(String(cString: curl_easy_strerror(Self.globalCode)))
        }
        guard let pointer = curl_multi_init() else { throw .library("out of memory") }
        // Without descriptors to spare libcurl makes a handle that sleeps through wake-ups.
        let woken = curl_multi_wakeup(pointer)
        guard woken == CURLM_OK else {
            curl_multi_cleanup(pointer)
            throw .library(String(cString: curl_multi_strerror(woken)))
        }
        plings_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, Self.keptConnections)
        self.pointer = pointer
    }

    private static let globalCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Ends the thread's wait, or keeps the next one from beginning.
    func wake() {
        open.withLock { open in
            if open { _ = curl_multi_wakeup(pointer) }
        }
    }

    func add(_ easy: CurlEasy) -> Bool { curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK }

    func remove(_ easy: CurlEasy) { curl_multi_remove_handle(pointer, easy.pointer) }

    /// Moves every transfer on as far as it goes without waiting.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    /// Sleeps until a transfer can go on, one of libcurl's timeouts passes, or `wake`.
    ///
    /// Without transfers there is no timeout, so nothing but `wake` ends it.
    func wait() {
        let code = curl_multi_poll(pointer, nil, 0, Int32.max, nil)
        // Out of memory, or poll(2) itself failed: not to be repeated without a pause.
        if code != CURLM_OK { usleep(100_000) }
    }

    /// The next transfer that has ended, with its result.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left)?.pointee {
            guard message.msg == CURLMSG_DONE, let easy = message.easy_handle else { continue }
            return (easy, message.data.result)
        }
        return nil
    }

    /// Closes every connection and frees the handle; nothing may be called after it but `wake`.
    func close() {
        open.withLock { $0 = false }
        curl_multi_cleanup(pointer)
    }
}
