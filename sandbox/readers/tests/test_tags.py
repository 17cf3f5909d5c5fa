"""What lies where on a tag, and what it answers on which reader."""

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from virtual_tags.faults import Faults  # noqa: E402
from virtual_tags.kinds import KINDS, make_tag  # noqa: E402
from virtual_tags.tlv import fitted  # noqa: E402
from virtual_tags.type5 import Type5  # noqa: E402

URL = "https://s.plings.io/?t=n&i=1&p=4.2.3.3.6"
GET_UID = "FFCA000000"


def ask(tag, *commands):
    """The answers to commands, in hex."""
    return [tag.answer(bytes.fromhex(command)).hex().upper() for command in commands]


def on(model, **spec):
    """A tag on a reader of a model."""
    tag = make_tag(spec)
    tag.place_on(model)
    return tag


class AllKinds(unittest.TestCase):
    """What holds for every kind of tag."""

    def test_every_kind_gives_its_uid_and_holds_a_url(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                tag = make_tag({"kind": kind, "uri": URL})
                self.assertEqual(ask(tag, GET_UID), [tag.uid.hex().upper() + "9000"])
                self.assertEqual(tag.atr[0], 0x3B)
                data = bytes(tag.memory)
                if kind == "classic1k":  # without the trailers
                    data = b"".join(data[s * 64:s * 64 + 48] for s in range(16))
                self.assertIn(tag.message, data)

    def test_the_length_of_the_uid_may_be_asked_for(self):
        tag = make_tag({"kind": "ntag213", "uid": "04A1B2C3D4E5F6"})
        self.assertEqual(ask(tag, "FFCA000004", "FFCA00000A"), ["6C07", "04A1B2C3D4E5F66282"])

    def test_whatever_is_sent_is_answered(self):
        chance = random.Random(1)
        heads = [bytes.fromhex(h) for h in ("FFB0", "FFCA", "FF82", "FF86", "FF88", "FFA40001",
                                            "FF000000", "00A4", "00B0", "FF00000010D440011006",
                                            "FF00000010D442")]
        for kind in KINDS:
            for model in ("acr122u", "omnikey"):
                tag = on(model, kind=kind, uri=URL)
                for _ in range(300):
                    command = chance.choice(heads) + chance.randbytes(chance.randrange(24))
                    with self.subTest(kind=kind, command=command.hex()):
                        self.assertGreaterEqual(len(tag.answer(command)), 2)

    def test_a_random_id_begins_with_08(self):
        tag = make_tag({"kind": "type4", "uid": "random4"})
        self.assertEqual((len(tag.uid), tag.uid[0]), (4, 8))

    def test_what_makes_no_sense_is_refused(self):
        for spec, reason in (({"kind": "paper"}, "no kind paper"),
                             ({"kind": "type4", "pre": []}, "type4 has no pre"),
                             ({"kind": "ntag213", "text": "a" * 200}, "don't fit, ntag213 has 144"),
                             ({"kind": "ntag213", "reader": "x"}, "no reader model x"),
                             ({"kind": "ntag213", "uid": "zz"}, "hexadecimal")):
            with self.subTest(spec=spec), self.assertRaisesRegex(ValueError, reason):
                make_tag(spec)


class Type2Layout(unittest.TestCase):
    """Type 2 memory."""

    def test_the_header_holds_uid_and_container(self):
        tag = make_tag({"kind": "ntag213", "uid": "04A1B2C3D4E5F6", "uri": URL})
        self.assertEqual(tag.memory[:16].hex().upper(), "04A1B29FC3D4E5F604480000E1101200")

    def test_the_area_begins_with_page_4(self):
        tag = make_tag({"kind": "ntag213", "uri": URL, "pre": ["lock", "null", "prop"]})
        self.assertEqual(tag.memory[16:35].hex().upper(),
                         "0103A00C34" + "00" + "FD0876656E646F720001" + "0325D1")
        self.assertEqual(tag.memory[16 + 18 + 37], 0xFE)

    def test_lies_about_the_length(self):
        tag = make_tag({"kind": "ntag213", "uri": "a:", "claim": 200, "no_term": True})
        self.assertEqual(tag.memory[16:18].hex(), "03c8")
        tag = make_tag({"kind": "ntag213", "uri": "a:", "long_tlv": True, "post": "0300"})
        self.assertEqual(tag.memory[16:29].hex().upper(), "03FF0007D1010355" + "00613A" + "0300")

    def test_bytes_can_be_placed_as_they_are(self):
        tag = make_tag({"kind": "ntag213", "area_hex": "0300FE", "cc": "E1106D0F"})
        self.assertEqual(tag.memory[12:19].hex().upper(), "E1106D0F0300FE")
        tag = make_tag({"kind": "ntag213", "mem_hex": "00112233"})
        self.assertEqual(bytes(tag.memory).hex(), "00112233")

    def test_a_tag_from_the_factory_has_no_container(self):
        self.assertEqual(make_tag({"kind": "ultralight"}).memory[12:16], bytes(4))
        self.assertEqual(make_tag({"kind": "ntag213", "blank": True}).memory[16:19].hex(), "0300fe")

    def test_a_terminator_without_room_is_left_out(self):
        spec = {"kind": "ultralight", "ndef_hex": "00" * 46}
        self.assertEqual(make_tag(spec).memory[16:18].hex(), "032e")
        self.assertEqual(fitted(b"abcd", 3, {"kind": "x", "cut": True}), b"abc")

    def test_a_read_rolls_over_at_the_end(self):
        tag = make_tag({"kind": "ultralight", "uid": "04A1B2C3D4E5F6"})
        self.assertEqual(ask(tag, "FFB0000F10"), ["00000000" + "04A1B29FC3D4E5F604480000" + "9000"])

    def test_each_reader_has_its_own_limits(self):
        for model, command, answer in (
                ("acr122u", "FFB0000311", "6300"), ("acr122u", "FFB0100010", "6300"),
                ("acr1252u", "FFB0000306", "6300"), ("omnikey", "FFB0000306", "6C10"),
                ("omnikey", "FFB0100010", "6A82"), ("identiv", "FFB0100010", "6981")):
            with self.subTest(model=model, command=command):
                self.assertEqual(ask(on(model, kind="ntag213"), command), [answer])
        self.assertEqual(len(ask(on("identiv", kind="ntag213"), "FFB0000390")[0]), 2 * 0x92)
        self.assertEqual(ask(on("limited64", kind="ntag213"), "FFB0000340"), ["6700"])
        self.assertEqual(ask(on("whole16", kind="ntag213"), "FFB0000308"), ["6C10"])
        self.assertEqual(len(ask(on("acr1252u", kind="ntag213"), "FFB0000330")[0]), 2 * 0x32)

    def test_a_page_that_is_not_there_loses_the_tag_on_some_readers(self):
        for model, lost in (("acr122u", True), ("omnikey", False)):
            with self.subTest(model=model):
                tag = on(model, kind="ultralight", uid="04A1B2C3D4E5F6")
                self.assertNotEqual(ask(tag, "FFB0001010")[0][-4:], "9000")
                self.assertEqual(ask(tag, GET_UID, "FFB0000310")[0] == "6300", lost)
                tag.reset()
                self.assertEqual(ask(tag, GET_UID), ["04A1B2C3D4E5F69000"])

    def test_direct_transmit_reaches_the_tag(self):
        tag = make_tag({"kind": "ntag213", "uri": URL})
        self.assertEqual(ask(tag, "FF00000003D44260"), ["D543000004040201000F039000"])
        self.assertEqual(ask(tag, "FF00000005D440013003"),
                         ["D54100" + tag.memory[12:28].hex().upper() + "9000"])
        self.assertEqual(ask(make_tag({"kind": "ultralight"}), "FF00000003D44260"), ["D543019000"])


class OtherLayouts(unittest.TestCase):
    """Type 3, 4 and 5 and MIFARE Classic."""

    def test_type4_needs_application_and_file(self):
        tag = make_tag({"kind": "type4", "uri": "a:"})
        select = "00A4040007D276000085010100"
        self.assertEqual(ask(tag, "00B000000F"), ["6986"])
        self.assertEqual(ask(tag, select, "00A4000C02E103", "00B000000F"),
                         ["9000", "9000", "000F20003B00340406E104010000009000"])
        self.assertEqual(ask(tag, "00A4000C02E104", "00B0000009", "00B000003C", "00B0010001"),
                         ["9000", "0007D101035500613A9000", "6700", "6B00"])
        tag.reset()
        self.assertEqual(ask(tag, "00A4000C02E104"), ["6A82"])

    def test_type4_lies_and_absences(self):
        select = "00A4040007D276000085010100"
        self.assertEqual(ask(make_tag({"kind": "desfire", "no_app": True}), select), ["6A82"])
        tag = make_tag({"kind": "type4", "uri": "a:", "claim": 0xFFFF})
        self.assertEqual(tag.memory[:2].hex(), "ffff")
        tag = make_tag({"kind": "type4", "area_hex": "0003D00000", "fid": 0xE105, "cc": "0000"})
        self.assertEqual(ask(tag, select, "00A4000C02E103", "00B0000002", "00A4000C02E105",
                             "00B0000005"), ["9000", "9000", "00009000", "9000", "0003D000009000"])

    def test_type4_from_the_factory(self):
        select = "00A4040007D276000085010100"
        self.assertEqual(ask(make_tag({"kind": "desfire"}), select), ["6A82"])
        self.assertEqual(ask(make_tag({"kind": "ntag424"}), select, "00A4000C02E104",
                             "00B0000002"), ["9000", "9000", "00009000"])
        self.assertEqual(ask(make_tag({"kind": "type4", "no_file": True}), select,
                             "00A4000C02E104"), ["9000", "6A82"])

    def test_type4_of_type_b(self):
        tag = make_tag({"kind": "type4b", "uri": "a:"})
        self.assertEqual(tag.atr.hex(), "3b888001" + "00000000f7718500" + "0a")
        self.assertEqual((len(tag.uid), ask(tag, "FFCA010000")), (4, ["6A81"]))

    def test_type4_with_an_extended_file(self):
        tag = make_tag({"kind": "type4", "uri": "a:", "extended": True, "read": 0x80})
        self.assertEqual(tag.container.hex(), "0011" + "30" + "003b0034" + "0608e104"
                         + "00000100" + "8000")
        self.assertEqual(tag.memory[:11].hex(), "00000007" + "d101035500613a")

    def test_type4_keeps_its_answer_or_wants_another_length(self):
        start = ("00A4040007D276000085010100", "00A4000C02E104")
        tag = make_tag({"kind": "type4", "uri": "a:", "by_response": True})
        self.assertEqual(ask(tag, *start, "00B0000009", "00C0000005", "00C0000004", "00C0000001"),
                         ["9000", "9000", "6109", "0007D101036104", "5500613A9000", "6986"])
        tag = make_tag({"kind": "type4", "uri": "a:", "exact_le": True, "file_size": 12})
        self.assertEqual(ask(tag, *start, "00B0000030", "00B000000C")[2:],
                         ["6C0C", "0007D101035500613A" + "000000" + "9000"])

    def test_a_reader_may_have_less_room_than_a_tag_gives(self):
        start = ("00A4040007D276000085010100", "00A4000C02E104")
        tag = on("limited64", kind="type4", uri="a:", mle=255)
        answers = ask(tag, *start, "00B000003F", "00B000003E", "00B0000000")
        self.assertEqual(answers[2], "6700")
        self.assertEqual(len(answers[3]), 2 * 64)
        self.assertEqual(answers[4], "6700")

    def test_type3_goes_by_direct_transmit_on_an_acr122u(self):
        tag = make_tag({"kind": "type3", "uid": "02FE010203040506", "uri": "a:"})
        self.assertEqual(tag.atr.hex(), "3b8f8001804f0ca000000306" + "03f011" + "000000008a")
        polled = ask(tag, "FF00000009D440010600FFFF0100")[0]
        self.assertEqual(polled, "D54100" + "1401" + "02FE010203040506" + "00F1000000014300"
                         + "12FC" + "9000")
        read = ask(tag, "FF00000015D44001" + "1006" + "02FE010203040506" + "010B00018000")[0]
        self.assertEqual(read[:6] + read[8:10] + read[26:32], "D54100" + "07" + "000001")
        self.assertEqual(read[32:64], tag.memory[:16].hex().upper())
        self.assertEqual(ask(tag, "FFB0000010"), ["6300"])

    def test_type3_attributes_have_a_checksum(self):
        block = make_tag({"kind": "type3", "uri": "a:"}).memory[:16]
        self.assertEqual(int.from_bytes(block[14:], "big"), sum(block[:14]))
        self.assertEqual(int.from_bytes(block[11:14], "big"), 7)

    def test_type3_takes_a_service_elsewhere(self):
        tag = on("omnikey", kind="type3", uri="a:")
        self.assertEqual(tag.atr.hex(), "3b8f8001804f0ca000000306" + "11003b" + "0000000042")
        answers = ask(tag, "FFB0000010", "FFA4000102" + "0B00", "FFB0000110")
        self.assertEqual(answers[:2], ["6986", "9000"])
        self.assertTrue(answers[2].startswith("D101035500613A"))

    def test_type5_has_its_container_in_front(self):
        tag = make_tag({"kind": "type5", "uri": "a:"})
        self.assertIsInstance(tag, Type5)
        self.assertEqual(ask(tag, "FFB0000010"), ["E14027010307D101035500613AFE0000" + "9000"])
        self.assertEqual(ask(tag, "FFB0004F08"), ["6300"])

    def test_classic_opens_a_sector_with_its_key(self):
        tag = make_tag({"kind": "classic1k", "uri": "a:"})
        load, open_1 = "FF82000006D3F7D3F7D3F7", "FF860000050100046000"
        self.assertEqual(ask(tag, "FFB0000410", open_1), ["6300", "6300"])
        answers = ask(tag, load, open_1, "FFB0000410", "FFB0000710", "FFB0000810")
        self.assertEqual(answers[:2], ["9000", "9000"])
        self.assertEqual(answers[2][:18], "0307D101035500613A")
        self.assertEqual(answers[3], "000000000000" + "7F078840" + "FFFFFFFFFFFF" + "9000")
        self.assertEqual(answers[4], "6300")
        self.assertEqual(ask(tag, "FFB0000410"), ["6300"])

    def test_classic_lists_its_sectors_in_the_directory(self):
        tag = make_tag({"kind": "classic1k", "uri": "a:", "mad_sectors": 1})
        self.assertEqual(tag.memory[17:22].hex().upper(), "0103E10000")
        locked = make_tag({"kind": "classic1k", "uri": "a:", "key_a": "010203040506"})
        self.assertEqual(locked.memory[112:118].hex(), "010203040506")


class FaultRules(unittest.TestCase):
    """Which answers a fault spoils, and how."""

    def test_errors_by_number(self):
        answer = b"\x01\x02\x90\x00"
        faults = Faults({"error_at": [2], "error_from": 4, "sw": "6A82"})
        self.assertEqual([faults.spoil(i, answer).hex() for i in range(1, 6)],
                         ["01029000", "6a82", "01029000", "6a82", "6a82"])

    def test_cut_answers(self):
        answer = b"\x01\x02\x03\x90\x00"
        self.assertEqual(Faults({"truncate_at": 1, "keep": 2}).spoil(1, answer).hex(), "0102")
        self.assertEqual(Faults({"short_at": "all", "keep": 2}).spoil(7, answer).hex(), "01029000")

    def test_noise_keeps_length_and_status_word(self):
        spoilt = Faults({"noise_at": 1}).spoil(1, bytes(16) + b"\x90\x00")
        self.assertEqual((len(spoilt), spoilt[-2:]), (18, b"\x90\x00"))
        self.assertEqual(len(Faults({"garbage_at": 1, "garbage_len": 5}).spoil(1, b"ab")), 5)

    def test_a_misspelt_fault_is_refused(self):
        with self.assertRaisesRegex(ValueError, "there is no fault pull_afer"):
            Faults({"pull_afer": 1})


if __name__ == "__main__":
    unittest.main()
