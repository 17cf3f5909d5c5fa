"""A client for the sandbox and a way to start one, for the tests."""
import atexit
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

API_FOLDER = Path(__file__).resolve().parents[1]
ANNA = "11111111-1111-1111-1111-111111111111"
GREEN = "0f000000-0000-4000-8000-000000000001"
GEO = {"latitude": 65.5841, "longitude": 22.1547, "accuracy": 8.0, "consent": True}
START_LIMIT = 30
NOTHING_TRUSTED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For plain HTTP: httpx would read the machine's certificates for every client."""


RESOLVE = """
mutation ResolveIdentifier($input: ResolveIdentifierInput!) {
  resolveIdentifier(input: $input) {
    success routing { action destination parameters { key value } cacheTTL }
    object { objectId name status canEdit owner { id name } class { name } location { objectId } }
    candidates { objectId } scanEvent { id } error { code message } } }"""
CREATE = """
mutation CreateObject($input: CreateObjectInput!) {
  createObject(input: $input) { id name spatialParent { id name } } }"""
UPLOAD = """
mutation UploadObjectImages($objectId: ID!, $images: [Upload!]!) {
  uploadObjectImages(objectId: $objectId, images: $images) { id url } }"""
DETAIL = """
query Details($id: ID!) {
  getObjectDetailsComplete(id: $id) {
    id name tags identifiers { shortCode isManufacturerTag } lastSeen spatialParent { id }
    lastSeenInfo { at latitude longitude scannedBy scannedByName }
    relationships { type fromObject { id } toObject { id } } } }"""
MOVE = """
mutation Move($input: MoveObjectInput!) {
  moveObject(input: $input) { id spatialParent { id name } } }"""
ORGANIZATIONS = "{ myOrganizations { id } }"


class Api:
    """One client of a sandbox, over kept connections."""

    def __init__(self, base: str, verify: ssl.SSLContext = NOTHING_TRUSTED,
                 control: str | None = None) -> None:
        self.base = base
        self.http = httpx.Client(base_url=base, timeout=5, verify=verify)
        self.control_http = httpx.Client(base_url=control or base, timeout=10, verify=verify)

    def raw(self, query: str, variables: Any = None, token: str | None = "token-anna",
            timeout: float = 5, key: str | None = None) -> httpx.Response:
        """The HTTP answer to a GraphQL request."""
        headers = {"Authorization": "Bearer " + token} if token else {}
        if key:
            headers["Idempotency-Key"] = key
        return self.http.post("/graphql", json={"query": query, "variables": variables or {}},
                              headers=headers, timeout=timeout)

    def ask(self, *arguments: Any, **named: Any) -> Any:
        """The GraphQL answer."""
        return self.raw(*arguments, **named).json()

    def error_code(self, *arguments: Any, **named: Any) -> str:
        """The code of the first error in the GraphQL answer."""
        return self.ask(*arguments, **named)["errors"][0]["extensions"]["code"]

    def control(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """The answer of the control, which must be a good one."""
        answer = self.control_http.request(
            method or ("GET" if body is None else "POST"), "/_control/" + path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def scan_input(self, tag: dict[str, Any], transport: str = "n", geo: Any = None,
                   at: str = "2026-06-14T08:00:00Z", **changes: Any) -> dict[str, Any]:
        """The variables of a scan of a tag among the fixtures."""
        metadata = {"timestamp": at, **({"geoLocation": geo} if geo else {})}
        scan = {"type": transport, "identifier": tag["instanceKey"], "path": tag["path"],
                "scanMetadata": metadata}
        if tag.get("classPointer"):
            scan["classPointer"] = tag["classPointer"]
        return {"input": {**scan, **changes}}

    def scan(self, tag: dict[str, Any], *arguments: Any, token: str = "token-anna",
             key: str | None = None, **named: Any) -> Any:
        """What a scan resolves to."""
        variables = self.scan_input(tag, *arguments, **named)
        return self.ask(RESOLVE, variables, token=token, key=key)["data"]["resolveIdentifier"]

    def upload(self, object_id: str, *contents: bytes, kind: str = "image/jpeg") -> Any:
        """The answer to an upload of pictures."""
        operations = {"query": UPLOAD, "variables": {
            "objectId": object_id, "images": [None] * len(contents)}}
        places = {str(i): [f"variables.images.{i}"] for i in range(len(contents))}
        parts: list[tuple[str, Any]] = [("operations", (None, json.dumps(operations))),
                                        ("map", (None, json.dumps(places)))]
        parts += [(str(i), (f"p{i}.jpg", content, kind)) for i, content in enumerate(contents)]
        return self.http.post("/graphql", files=parts,
                              headers={"Authorization": "Bearer token-anna"}).json()

    def another(self) -> httpx.Client:
        """A client with connections of its own."""
        return httpx.Client(base_url=self.base, timeout=20, verify=NOTHING_TRUSTED)

    def scan_events(self, query: str = "") -> list[dict[str, Any]]:
        """The scan events in order of arrival."""
        return self.control("scan_events" + query)["scan_events"]

    def violations(self) -> list[str]:
        """The kinds of the broken rules."""
        return [violation["kind"] for violation in self.control("violations")["violations"]]


class Running:
    """A sandbox in a process of its own."""

    def __init__(self, *arguments: object, verify: ssl.SSLContext = NOTHING_TRUSTED,
                 command: Sequence[object] = (sys.executable, "-m", "plings_sandbox"),
                 environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [str(part) for part in (*command, "--port", 0, *arguments)], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(API_FOLDER), **(environment or {})})
        # A test that fails in between must not leave the process behind.
        atexit.register(self.process.kill)
        giving_up = threading.Timer(START_LIMIT, self.process.kill)
        giving_up.start()
        try:
            self.url = self._address("listening on ")
            control = self._address("control on ") if "--control-port" in arguments else None
        finally:
            giving_up.cancel()
        self.api = Api(self.url, verify, control)

    def _address(self, prefix: str) -> str:
        assert self.process.stdout and self.process.stderr
        line = self.process.stdout.readline()
        assert line.startswith(prefix), line + self.process.stderr.read()
        return line.removeprefix(prefix).strip()

    def kill(self) -> None:
        """Ends the process without a chance to tidy up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=10)

    def stop(self) -> str:
        """Ends the process with SIGTERM; returns what it wrote to standard error."""
        self.process.terminate()
        return self.process.communicate(timeout=10)[1]

    def __enter__(self) -> Api:
        return self.api

    def __exit__(self, *_: object) -> None:
        self.stop()


def wait_until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Asks again and again until the condition holds; fails if it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def tag_data(tag: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The tagData of a tag among the fixtures."""
    return {"instanceKey": tag["instanceKey"], "path": tag["path"],
            "classKey": tag["classPointer"], "shortCode": tag["shortCode"],
            "isManufacturerTag": False, **changes}
