internal import CCurl
internal import Glibc

extension Transfer {
    /// What a transfer that libcurl has ended came to.
    func result(_ code: CURLcode) -> TransportResult {
        guard code == CURLE_OK else { return .failure(failure(code)) }
        var answer = answer
        answer.status = easy.long(CURLINFO_RESPONSE_CODE)
        return .success(answer)
    }

    private func failure(_ code: CURLcode) -> TransportError {
        let host = current?.request.endpoint.host ?? ""
        if let overflow { return .tooLarge(limit: overflow) }
        if metForeignAddress { return .notLoopback(host: host) }
        let connect = easy.long(CURLINFO_HTTP_CONNECTCODE)
        if connect >= 300 { return .proxy(status: connect) }
        return connectionFailure(code, host) ?? tlsProblem(code).map { .tls(host: host, $0) }
            ?? answerFailure(code, host)
    }

    private func connectionFailure(_ code: CURLcode, _ host: String) -> TransportError? {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .nameResolution(host: host)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(status: nil)
        case CURLE_COULDNT_CONNECT:
            let reason = Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO))
            if reason == ECONNREFUSED { return .refused(host: host) }
            return .unreachable(host: host, code: reason)
        case CURLE_OPERATION_TIMEDOUT: return timeout(host)
        default: return nil
        }
    }

    /// Tells by the last step that was done; on a kept connection there was no name to look up.
    private func timeout(_ host: String) -> TransportError {
        if easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 { return .answerTimeout(host: host) }
        let isResolved = easy.offset(CURLINFO_NAMELOOKUP_TIME_T) > 0
        return isResolved ? .connectTimeout(host: host) : .nameTimeout(host: host)
    }

    private func answerFailure(_ code: CURLcode, _ host: String) -> TransportError {
        switch code {
        case CURLE_GOT_NOTHING: .lost(host: host)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            answer.body.isEmpty ? .lost(host: host) : .half(host: host)
        case CURLE_PARTIAL_FILE, CURLE_BAD_CONTENT_ENCODING: .half(host: host)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .notHTTP(host: host)
        case CURLE_FILESIZE_EXCEEDED:
            .tooLarge(limit: current?.request.answerLimit ?? TransportSettings.answerLimit)
        default: .library(code)
        }
    }

    private func tlsProblem(_ code: CURLcode) -> TLSProblem? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION:
            let verdict = easy.long(CURLINFO_SSL_VERIFYRESULT)
            // libcurl compares the names itself, after OpenSSL was content with the chain: it then
            // leaves no verdict, or the one it begins with.
            return verdict <= 1 ? .wrongHost : TLSProblem(verifyResult: verdict)
        case CURLE_SSL_CACERT_BADFILE: return .authorityFile
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
            return .handshake
        default: return nil
        }
    }
}
