"""NDEF messages against samples written out by hand from the specifications."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from virtual_tags import ndef  # noqa: E402


def message(**spec):
    """A description's message in hex."""
    return ndef.message_from(spec).hex().upper()


class Encoding(unittest.TestCase):
    """Descriptions become the bytes that the specifications ask for."""

    def test_a_uri_takes_the_longest_prefix(self):
        self.assertEqual(message(uri="https://www.nfc.com"), "D101085502" + "6E66632E636F6D")
        self.assertEqual(message(uri="urn:epc:id:1"), "D10102551E31")
        self.assertEqual(message(uri="x:"), "D1010355" + "00783A")

    def test_a_uri_code_can_be_chosen_even_a_reserved_one(self):
        self.assertEqual(message(uri="https://a", code=0), "D1010A5500" + "68747470733A2F2F61")
        self.assertEqual(message(uri="a", code=0x24), "D10102552461")

    def test_text_in_both_encodings(self):
        self.assertEqual(message(text="hi", lang="de"), "D1010554" + "0264656869")
        self.assertEqual(message(text="h", utf16=True), "D1010554" + "82656E0068")

    def test_a_smart_poster_holds_its_own_message(self):
        self.assertEqual(message(sp={"uri": "tel:1", "title": "a", "action": 0}),
                         "D10215" + "5370" + "9101025505" + "31" + "1101045402656E61"
                         + "51030161637400")

    def test_long_and_identified_records(self):
        self.assertEqual(message(ndef=[{"mime": "a/b", "hex": "01", "id": "x", "long": True}]),
                         "CA0300000001" + "01" + "612F62" + "78" + "01")
        self.assertEqual(message(uri="https://" + "a" * 255)[:14], "C1010000010055")

    def test_other_type_name_formats(self):
        self.assertEqual(message(ndef=[{"abs": "a:b"}]), "D30300613A62")
        self.assertEqual(message(ndef=[{"ext": "a.b:c", "hex": "FF"}]), "D40501612E623A63FF")
        self.assertEqual(message(ndef=[{"empty": True}]), "D00000")
        self.assertEqual(message(ndef=[{"tnf": 7, "type_hex": "AA", "hex": "BB"}]), "D70101AABB")

    def test_chunks_carry_the_type_once(self):
        self.assertEqual(message(ndef=[{"mime": "a/b", "hex": "010203", "chunk": 2}]),
                         "B20302612F620102" + "56000103")

    def test_no_ndef_and_an_empty_message_differ(self):
        self.assertIsNone(ndef.message_from({"kind": "ntag213"}))
        self.assertEqual(ndef.message_from({"blank": True}), b"")

    def test_a_misspelt_member_is_refused(self):
        with self.assertRaisesRegex(ValueError, "an NDEF record has no urI"):
            message(ndef=[{"urI": "a"}])


class Decoding(unittest.TestCase):
    """A message comes apart into the records it was made of."""

    def test_what_was_encoded_comes_back(self):
        for spec in ({"uri": "https://a.example/"}, {"text": "ä", "lang": "sv"}, {"empty": True},
                     {"mime": "a/b", "hex": "00" * 300, "id": "i"}, {"uri": "a", "chunk": 1}):
            records = ndef.records_from(spec)
            with self.subTest(spec=spec):
                decoded = ndef.decode(ndef.encode(records))
                self.assertEqual([r[:5] for r in decoded], [r[:5] for r in records])

    def test_broken_messages_are_refused(self):
        for broken, reason in (("D101", "over the end"), ("D101055502", "over the end"),
                               ("9101015500", "no end"), ("510101550000", "out of place"),
                               ("D10101550051010155" + "00", "out of place"), ("", "no end")):
            with self.subTest(broken=broken), self.assertRaisesRegex(ValueError, reason):
                ndef.decode(bytes.fromhex(broken))


if __name__ == "__main__":
    unittest.main()
