"""NDEF messages: from a description to bytes, and from bytes to records.

Source: NFC Forum, NFC Data Exchange Format 1.0; RTD URI 1.0; RTD Text 1.0; RTD Smart Poster 1.1.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

# Source: RTD URI 1.0, table 3. The place in the list is the identifier code.
URI_PREFIXES = (
    "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:",
    "ftp://anonymous:anonymous@", "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://",
    "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:", "sips:",
    "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://",
    "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
)

# The first byte of a record. Source: NDEF 1.0, section 3.2.
MESSAGE_BEGIN, MESSAGE_END, CHUNK, SHORT, ID_LENGTH = 0x80, 0x40, 0x20, 0x10, 0x08
TNF_EMPTY, TNF_WELL_KNOWN, TNF_MIME, TNF_ABSOLUTE, TNF_EXTERNAL, TNF_UNKNOWN = range(6)
TNF_UNCHANGED = 6


class Record(NamedTuple):
    """One record as it stands in a message; a chunk is a record of its own."""

    tnf: int
    type: bytes
    payload: bytes
    id: bytes = b""
    chunked: bool = False
    long: bool = False

    def encode(self, first: bool, last: bool) -> bytes:
        """The record's bytes at its place in a message."""
        short = not self.long and len(self.payload) < 256
        flags = (self.tnf | (MESSAGE_BEGIN if first else 0) | (MESSAGE_END if last else 0)
                 | (CHUNK if self.chunked else 0) | (SHORT if short else 0)
                 | (ID_LENGTH if self.id else 0))
        head = bytes([flags, len(self.type)])
        head += struct.pack(">B" if short else ">I", len(self.payload))
        if self.id:
            head += bytes([len(self.id)])
        return head + self.type + self.id + self.payload


def encode(records: list[Record]) -> bytes:
    """A message of these records, the first and the last of them marked."""
    last = len(records) - 1
    return b"".join(r.encode(i == 0, i == last) for i, r in enumerate(records))


def decode(message: bytes) -> list[Record]:
    """The records of a whole message.

    Raises ValueError where lengths run over the end or the marks don't fit.
    """
    records: list[Record] = []
    at, ended = 0, False
    while at < len(message):
        flags = message[at]
        if ended or bool(flags & MESSAGE_BEGIN) != (not records):
            raise ValueError(f"a record out of place at byte {at}")
        record, at = _decode_record(message, at)
        records.append(record)
        ended = bool(flags & MESSAGE_END)
    if not ended:
        raise ValueError("the message has no end")
    return records


def _decode_record(message: bytes, at: int) -> tuple[Record, int]:
    def take(count: int) -> bytes:
        nonlocal at
        if at + count > len(message):
            raise ValueError(f"a record runs over the end at byte {at}")
        at += count
        return message[at - count:at]

    flags, type_length = take(2)
    payload_length = int.from_bytes(take(1 if flags & SHORT else 4), "big")
    id_length = take(1)[0] if flags & ID_LENGTH else 0
    kind, name, payload = take(type_length), take(id_length), take(payload_length)
    return Record(flags & 7, kind, payload, name, bool(flags & CHUNK), not flags & SHORT), at


def uri_payload(uri: str, code: int | None = None) -> bytes:
    """A URI record's payload: with the longest prefix that fits, or with this identifier code.

    With a code given, its prefix is cut off where the URI begins with it; a code that has no
    prefix is written all the same.
    """
    if code is None:
        fitting = [i for i, prefix in enumerate(URI_PREFIXES) if uri.startswith(prefix)]
        code = max(fitting, key=lambda i: len(URI_PREFIXES[i]))
    prefix = URI_PREFIXES[code] if code < len(URI_PREFIXES) else ""
    return bytes([code]) + uri.removeprefix(prefix).encode()


def text_payload(text: str, language: str = "en", utf16: bool = False) -> bytes:
    """A Text record's payload."""
    status = len(language) | (0x80 if utf16 else 0)
    return (bytes([status]) + language.encode("ascii")
            + text.encode("utf-16-be" if utf16 else "utf-8"))


def _smart_poster(poster: dict[str, Any]) -> bytes:
    records = records_from({"uri": poster["uri"]})
    titles = poster.get("titles") or {"en": poster.get("title", "")}
    for language, title in titles.items():
        if title:
            records += records_from({"text": title, "lang": language})
    if "action" in poster:
        records.append(Record(TNF_WELL_KNOWN, b"act", bytes([poster["action"]])))
    return encode(records)


def _whole_record(spec: dict[str, Any]) -> Record:
    data = bytes.fromhex(spec.get("hex", ""))
    if "uri" in spec:
        return Record(TNF_WELL_KNOWN, b"U", uri_payload(spec["uri"], spec.get("code")))
    if "text" in spec:
        payload = text_payload(spec["text"], spec.get("lang", "en"), spec.get("utf16", False))
        return Record(TNF_WELL_KNOWN, b"T", payload)
    if "sp" in spec:
        return Record(TNF_WELL_KNOWN, b"Sp", _smart_poster(spec["sp"]))
    if "mime" in spec:
        return Record(TNF_MIME, spec["mime"].encode(), data)
    if "abs" in spec:  # an absolute URI is the type, there is no payload
        return Record(TNF_ABSOLUTE, spec["abs"].encode(), b"")
    if "ext" in spec:
        return Record(TNF_EXTERNAL, spec["ext"].encode(), data)
    if "empty" in spec:
        return Record(TNF_EMPTY, b"", b"")
    return Record(spec.get("tnf", TNF_UNKNOWN), bytes.fromhex(spec.get("type_hex", "")), data)


def records_from(spec: dict[str, Any]) -> list[Record]:
    """The record that a description stands for; several where it is chunked."""
    known = {"uri", "code", "text", "lang", "utf16", "sp", "mime", "abs", "ext", "empty", "tnf",
             "type_hex", "hex", "id", "long", "chunk"}
    if unknown := set(spec) - known:
        raise ValueError(f"an NDEF record has no {', '.join(sorted(unknown))}")
    whole = _whole_record(spec)._replace(id=spec.get("id", "").encode(),
                                         long=spec.get("long", False))
    size = spec.get("chunk")
    if not size:
        return [whole]
    parts = [whole.payload[i:i + size] for i in range(0, len(whole.payload), size)] or [b""]
    following = Record(TNF_UNCHANGED, b"", b"", long=whole.long)
    return [(whole if i == 0 else following)._replace(payload=part, chunked=i < len(parts) - 1)
            for i, part in enumerate(parts)]


def message_from(spec: dict[str, Any]) -> bytes | None:
    """The NDEF message of a tag's description, or None where the tag holds none at all."""
    if "ndef_hex" in spec:
        return bytes.fromhex(spec["ndef_hex"])
    if "ndef" in spec:
        return encode([r for record in spec["ndef"] for r in records_from(record)])
    for kind in ("uri", "text", "sp"):
        if kind in spec:
            members = (kind, "lang", "code", "utf16", "long", "chunk")
            return encode(records_from({m: spec[m] for m in members if m in spec}))
    return b"" if spec.get("blank") else None
