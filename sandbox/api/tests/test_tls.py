"""The certificates: the good one is trusted, each other one is refused for its own reason."""
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from client import API_FOLDER, ORGANIZATIONS, Running

from plings_sandbox import tls


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificates, made by the command."""
    made = tmp_path_factory.mktemp("tls")
    said = subprocess.run([sys.executable, "-m", "plings_sandbox.tls", made], check=True,
                          capture_output=True, text=True, cwd=API_FOLDER).stdout
    assert said.splitlines()[0] == f"trust {made}/ca.pem"
    assert f"expired {made}/expired.pem {made}/expired.key" in said.splitlines()
    return made


def trusting(folder: Path, authority: str = "ca") -> ssl.SSLContext:
    """What a client that trusts only this authority uses."""
    return ssl.create_default_context(cafile=folder / f"{authority}.pem")


def test_the_good_certificate_is_trusted(folder: Path) -> None:
    running = Running("--tls", folder, verify=trusting(folder))
    with running as api:
        assert running.url.startswith("https://")
        assert api.raw(ORGANIZATIONS).status_code == 200
        by_name = httpx.URL(api.base).copy_with(host="localhost")
        assert httpx.get(f"{by_name}/_control/health", verify=trusting(folder)).is_success
        api.control("faults", {"faults": [{"kind": "reset"}, {"kind": "close"}]})
        for _ in range(2):
            with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
                api.raw(ORGANIZATIONS)
        assert api.raw(ORGANIZATIONS).status_code == 200


@pytest.mark.parametrize(("kind", "reason"), [
    ("wrong-host", "IP address mismatch"), ("expired", "certificate has expired"),
    ("not-yet-valid", "certificate is not yet valid"),
    ("unknown-ca", "unable to get local issuer certificate")])
def test_each_other_certificate_is_refused_for_its_own_reason(folder: Path, kind: str,
                                                              reason: str) -> None:
    running = Running("--tls-cert", folder / f"{kind}.pem", "--tls-key", folder / f"{kind}.key",
                      verify=trusting(folder))
    with running as api, pytest.raises(httpx.ConnectError, match=reason):
        api.raw(ORGANIZATIONS)


def test_the_unknown_authority_is_a_real_one(folder: Path) -> None:
    running = Running("--tls-cert", folder / "unknown-ca.pem", "--tls-key",
                      folder / "unknown-ca.key", verify=trusting(folder, "other-ca"))
    with running as api:
        assert api.raw(ORGANIZATIONS).status_code == 200


def test_certificates_are_made_once_and_keys_are_private(folder: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.pem")}
    tls.ensure(folder)
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("*.pem")} == before
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.glob("*.key"))
    (folder / "expired.key").unlink()
    tls.ensure(folder)
    assert (folder / "expired.key").exists()


def test_a_certificate_needs_its_key(folder: Path) -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "plings_sandbox", "--tls-cert", folder / "good.pem"],
        capture_output=True, text=True, cwd=API_FOLDER)
    assert refused.returncode == 2 and "go together" in refused.stderr
