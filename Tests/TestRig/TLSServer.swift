/// An HTTPS server of Python's that answers every POST as an API does a probe.
package final class TLSServer {
    package let port: Int
    private let program: PipedProgram

    /// Starts it on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - pair: What it shows.
    ///   - newestVersion: As Python's `ssl.TLSVersion` names it.
    /// - Throws: `PipedProgram.Missing` without Python.
    package init(_ pair: Certificates.Pair, newestVersion: String = "MAXIMUM_SUPPORTED") throws {
        program = try PipedProgram([
            "python3", "-W", "ignore", "-c", Self.script, pair.certificate, pair.key, newestVersion,
        ])
        let line = program.line()
        guard let port = Int(line) else {
            throw PipedProgram.Failed(arguments: ["python3"], text: line)
        }
        self.port = port
    }

    private static let script = """
        import http.server, os, ssl, sys, threading

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                answer = b'{"data":{"__typename":"Query"}}'
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if sys.argv[3] == "TLSv1_1":
            context.set_ciphers("DEFAULT@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion[sys.argv[3]]
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server = Server(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        server.serve_forever()
        """
}
