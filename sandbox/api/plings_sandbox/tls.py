"""Certificates for tests: a good one, and one for each way to be refused.

python -m plings_sandbox.tls DIR makes them and prints what is where.
"""
import argparse
import datetime as dt
import fcntl
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

GOOD_NAMES = "DNS:localhost,DNS:api.plings.io,IP:127.0.0.1,IP:::1"
DAY = dt.timedelta(days=1)
LIFETIME = 365 * DAY
NEEDED = 2 * 86400
"""Seconds the certificates must still be good, else they are made anew."""

OPENSSL_CONFIG = """
[ca]
default_ca = authority
[authority]
database = index.txt
new_certs_dir = issued
default_md = sha256
policy = any_subject
rand_serial = yes
unique_subject = no
copy_extensions = copy
[any_subject]
commonName = supplied
[req]
distinguished_name = subject
prompt = no
[subject]
CN = Plings sandbox {name}
"""


@dataclass(frozen=True)
class Kind:
    """A certificate to make: who signs it, for which names, for which days around today."""

    authority: str = "ca"
    names: str = GOOD_NAMES
    starts: dt.timedelta = -DAY
    ends: dt.timedelta = LIFETIME


KINDS = {
    "good": Kind(),
    "wrong-host": Kind(names="DNS:elsewhere.invalid"),
    "expired": Kind(starts=-30 * DAY, ends=-DAY),
    "not-yet-valid": Kind(starts=30 * DAY, ends=LIFETIME),
    "unknown-ca": Kind(authority="other-ca"),
}
AUTHORITIES = ("ca", "other-ca")


class CertificatesUnavailable(Exception):
    """The certificates can't be made; the text says why."""


@dataclass(frozen=True)
class Certificates:
    """A folder with `ca.pem` to trust, and NAME.pem and NAME.key for each of `KINDS`."""

    folder: Path

    def certificate(self, name: str) -> Path:
        """The certificate of a kind or an authority, in PEM."""
        return self.folder / f"{name}.pem"

    def key(self, name: str) -> Path:
        """The private key that goes with it."""
        return self.folder / f"{name}.key"


def ensure(folder: Path) -> Certificates:
    """The certificates in this folder, made if they are missing or about to expire.

    Several processes may ask at once.
    """
    made = Certificates(folder.absolute())
    try:
        made.folder.mkdir(parents=True, exist_ok=True)
        with open(made.folder / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_usable(made):
                make(made)
    except OSError as error:
        raise CertificatesUnavailable(f"{error.filename}: {error.strerror}") from error
    except subprocess.CalledProcessError as error:
        raise CertificatesUnavailable(f"openssl: {error.stderr.strip()}") from error
    return made


def is_usable(made: Certificates) -> bool:
    """Whether every file is there and the good certificate stays good for a while."""
    files = [path for name in (*AUTHORITIES, *KINDS)
             for path in (made.certificate(name), made.key(name))]
    return all(path.exists() for path in files) and subprocess.run(
        ["openssl", "x509", "-checkend", str(NEEDED), "-noout", "-in", made.certificate("good")],
        capture_output=True).returncode == 0


def make(made: Certificates) -> None:
    """Makes everything in a folder of its own, then moves it into place."""
    with tempfile.TemporaryDirectory(dir=made.folder) as work:
        workshop = Path(work)
        (workshop / "issued").mkdir()
        (workshop / "index.txt").touch()
        for name in AUTHORITIES:
            make_authority(workshop, name)
        for name, kind in KINDS.items():
            make_certificate(workshop, name, kind)
        for name in (*AUTHORITIES, *KINDS):
            for suffix in (".key", ".pem"):
                shutil.move(workshop / (name + suffix), made.folder / (name + suffix))


def make_authority(workshop: Path, name: str) -> None:
    """Makes a root certificate and its key."""
    make_request(workshop, name)
    openssl(workshop, "ca", "-batch", "-notext", "-selfsign", "-config", f"{name}.cnf",
            "-in", f"{name}.csr", "-keyfile", f"{name}.key", "-out", f"{name}.pem",
            "-extfile", extensions(workshop, name, "basicConstraints=critical,CA:TRUE",
                                   "keyUsage=critical,keyCertSign,cRLSign"), *days(Kind()))


def make_certificate(workshop: Path, name: str, kind: Kind) -> None:
    """Makes a server certificate and its key.

    `openssl ca` and not `openssl x509`: only it takes both dates in OpenSSL 3.0.
    """
    make_request(workshop, name)
    openssl(workshop, "ca", "-batch", "-notext", "-config", f"{name}.cnf", "-in", f"{name}.csr",
            "-cert", f"{kind.authority}.pem", "-keyfile", f"{kind.authority}.key",
            "-out", f"{name}.pem",
            "-extfile", extensions(workshop, name, "basicConstraints=CA:FALSE",
                                   "extendedKeyUsage=serverAuth",
                                   f"subjectAltName={kind.names}"), *days(kind))


def make_request(workshop: Path, name: str) -> None:
    """Makes a key on P-256 and a request for a certificate."""
    (workshop / f"{name}.cnf").write_text(OPENSSL_CONFIG.format(name=name))
    openssl(workshop, "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-config", f"{name}.cnf", "-keyout", f"{name}.key", "-out", f"{name}.csr")


def extensions(workshop: Path, name: str, *lines: str) -> str:
    """Writes the extensions of a certificate to a file and returns its name."""
    identifiers = ("subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid")
    (workshop / f"{name}.ext").write_text("\n".join([*lines, *identifiers, ""]))
    return f"{name}.ext"


def days(kind: Kind) -> list[str]:
    """The options for the days from which and until which a certificate is good."""
    now = dt.datetime.now(dt.timezone.utc)
    return ["-startdate", f"{now + kind.starts:%Y%m%d%H%M%SZ}",
            "-enddate", f"{now + kind.ends:%Y%m%d%H%M%SZ}"]


def openssl(workshop: Path, *arguments: str) -> None:
    """Runs openssl in this folder; raises CalledProcessError with what it said."""
    subprocess.run(["openssl", *arguments], cwd=workshop, check=True, capture_output=True,
                   text=True)


def main() -> int:
    """Makes the certificates and prints what is where."""
    options = argparse.ArgumentParser(prog="plings_sandbox.tls",
                                      description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path, metavar="DIR")
    try:
        made = ensure(options.parse_args().folder)
    except CertificatesUnavailable as error:
        print(f"plings_sandbox.tls: {error}", file=sys.stderr)
        return 1
    print(f"trust {made.certificate('ca')}")
    for name in KINDS:
        print(f"{name} {made.certificate(name)} {made.key(name)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
