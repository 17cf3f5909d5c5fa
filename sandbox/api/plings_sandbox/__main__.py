"""The command line: python -m plings_sandbox."""
import argparse
import sys
from pathlib import Path

from . import __doc__ as about
from . import tls
from .database import StateUnusable
from .server import Options, serve


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(prog="plings_sandbox", description=about.splitlines()[0])
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8800, help="0 takes a free one")
    options.add_argument("--control-port", type=int, metavar="PORT",
                         help="the control also listens here, so that the API's port can be closed")
    options.add_argument("--state", type=Path, metavar="FILE",
                         help="keeps data, log, faults and settings over a restart")
    options.add_argument("--tls", type=Path, metavar="DIR",
                         help="https with the good certificate of DIR, which is made if missing")
    options.add_argument("--tls-cert", type=Path, metavar="FILE",
                         help="https with this certificate (PEM, chain included)")
    options.add_argument("--tls-key", type=Path, metavar="FILE")
    options.add_argument("--log-level", default="warning",
                         choices=["critical", "error", "warning", "info", "debug", "trace"])
    return options


def main() -> int:
    """Starts a sandbox as the command line says."""
    options = parser()
    given = options.parse_args()
    if bool(given.tls_cert) != bool(given.tls_key):
        options.error("--tls-cert and --tls-key go together")
    certificate, key = given.tls_cert, given.tls_key
    try:
        if given.tls:
            made = tls.ensure(given.tls)
            if certificate is None:
                certificate, key = made.certificate("good"), made.key("good")
        return serve(Options(given.host, given.port, given.control_port, certificate, key,
                             given.state, given.log_level))
    except (StateUnusable, tls.CertificatesUnavailable) as error:
        print(f"plings_sandbox: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
