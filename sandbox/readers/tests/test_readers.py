"""Virtual readers and tags end to end: the real pcscd and real PC/SC clients."""

import json
import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from private_pcscd import PrivatePcscd, Tags, cpu_ticks, free_ports

ACR122U, SECOND = "ACS ACR122U PICC Interface 00 00", "ACS ACR122U PICC Interface 01 00"
IDENTIV = "Identiv uTrust 3700 F CL Reader [uTrust 3700 F CL Reader] (S1) 01 00"
TYPE_2_ATR = "3B8F8001804F0CA0000003060300030000000068"
URL = "https://s.plings.io/?t=n&i=1&p=4.2.3.3.6"
GET_UID = "FFCA000000"


class WithReaders(unittest.TestCase):
    """Two readers for each test, on a pcscd that is compiled once for all."""

    pcscd: PrivatePcscd

    def setUp(self):
        self.port = free_ports(3)
        self.pcscd.start(2, self.port)
        self.addCleanup(self.pcscd.run, "stop")

    def tags(self, *options):
        """Tags for the first reader."""
        tags = Tags(self.port, *options)
        self.addCleanup(tags.close)
        return tags

    def watch(self):
        """A client that has seen both readers."""
        watch = self.pcscd.watch()
        self.addCleanup(watch.close)
        self.assertEqual([watch.next() for _ in range(3)],
                         ["pcscd", f"reader {ACR122U}", f"reader {SECOND}"])
        return watch


def setUpModule():
    """Compiles."""
    WithReaders.pcscd = PrivatePcscd()
    unittest.addModuleCleanup(WithReaders.pcscd.close)


class TagsComeAndGo(WithReaders):
    """What a client sees of tags."""

    def test_a_tag_is_present_gives_its_uid_and_is_gone(self):
        watch, tags = self.watch(), self.tags()
        ack = tags.do(id="x", insert={"kind": "ntag213", "uid": "04A1B2C3D4E5F6", "uri": URL})
        del ack["ns"], ack["bootNs"]
        self.assertEqual(ack, {"ev": "ack", "line": 1, "id": "x", "port": self.port})
        self.assertEqual(watch.next(), f"present {TYPE_2_ATR} {ACR122U}")
        self.assertEqual(self.pcscd.probe("transmit", ACR122U, GET_UID, "FFB0000304"),
                         ["04A1B2C3D4E5F69000", "E11012009000"])
        tags.do(remove=True)
        self.assertEqual(watch.next(), f"absent {ACR122U}")
        insert, seen, removed = map(tags.event, ("insert", "seen", "remove"))
        self.assertEqual((insert["kind"], insert["uid"]), ("ntag213", "04A1B2C3D4E5F6"))
        self.assertEqual((removed["apdus"], removed["why"]), (2, "script"))
        for clock in ("ns", "bootNs"):
            self.assertLess(insert[clock], seen[clock])
            self.assertLess(seen[clock], removed[clock])

    def test_a_swap_without_a_gap_is_two_arrivals(self):
        watch, tags = self.watch(), self.tags()
        tags.do(insert={"kind": "ntag213"})
        watch.until(f"present {TYPE_2_ATR}")
        for _ in range(20):
            self.pcscd.probe("transmit", ACR122U, GET_UID)  # leaves the tag powered but unused
            self.assertEqual(tags.do(insert={"kind": "ntag213"})["ev"], "ack")
            self.assertEqual(watch.until("present"), f"present {TYPE_2_ATR} {ACR122U}")

    def test_one_process_drives_several_readers(self):
        watch, tags = self.watch(), self.tags()
        taps = {"cards": [{"kind": "type5"}], "count": 2, "hold_ms": 60, "gap_ms": 60}
        tags.do(port=self.port + 1, taps={**taps, "background": True})
        tags.do(insert={"kind": "ntag213"})
        self.assertEqual(tags.event("taps")["count"], 2)
        seen = [watch.next() for _ in range(5)]
        self.assertEqual(sum(line.endswith(SECOND) for line in seen), 4, seen)
        self.assertEqual(sum(line.endswith(ACR122U) for line in seen), 1, seen)

    def test_a_mute_tag_is_mute(self):
        watch, tags = self.watch(), self.tags()
        tags.do(insert={"kind": "ntag213", "atr": ""})
        self.assertEqual(watch.until("mute"), f"mute {ACR122U}")

    def test_a_tag_pulled_in_the_middle(self):
        watch, tags = self.watch(), self.tags()
        tags.do(insert={"kind": "ntag213", "trace": True, "fault": {"pull_after": 1}})
        watch.until("present")
        answers = self.pcscd.probe("transmit", ACR122U, GET_UID, GET_UID)
        self.assertRegex(answers[1], "^failed transmit 801000(16|69|2F)$")
        removed = tags.event("remove")
        self.assertEqual((removed["apdus"], removed["why"]), (1, "pull"))
        traced = tags.event("apdu")
        self.assertEqual((traced["c"], traced["r"]), (GET_UID, answers[0]))
        self.assertEqual(tags.do(wait_gone=True)["ev"], "ack")

    def test_lines_that_make_no_sense_are_told_by_number(self):
        tags = self.tags()
        for step, why in (({"insert": {"kind": "paper"}}, "no kind paper"),
                          ({"remvoe": True}, "a line has no remvoe"),
                          ({"insert": {"kind": "ntag213"}, "port": 1}, "Connection refused")):
            error = tags.do(**step)
            self.assertEqual(error["ev"], "error")
            self.assertIn(why, error["why"])
        self.assertEqual(error["line"], 3)
        self.assertEqual(tags.close(), 1)

    def test_a_held_tag_costs_no_processor_time(self):
        watch, tags = self.watch(), self.tags()
        tags.do(insert={"kind": "ntag213"})
        watch.until("present")
        self.pcscd.probe("transmit", ACR122U, GET_UID)  # calls pcscd's event thread back
        watch.close()
        processes = self.pcscd.process, tags.process.pid
        before = [cpu_ticks(process) for process in processes]
        time.sleep(0.5)  # nothing happens: there is nothing to wait for
        spent = [cpu_ticks(process) - b for process, b in zip(processes, before, strict=True)]
        self.assertLess(max(spent), os.sysconf("SC_CLK_TCK") / 10)


class ReadersComeAndGo(WithReaders):
    """What a client sees of readers and of pcscd itself."""

    def test_a_reader_is_unplugged_and_another_plugged_in(self):
        watch, tags = self.watch(), self.tags()
        self.assertEqual(self.pcscd.run("unplug", self.port + 1).stderr, "")
        self.assertEqual(watch.next(), f"gone {SECOND}")
        self.assertEqual(self.pcscd.run("plug", self.port + 2, "identiv", "S1").stderr, "")
        self.assertEqual(watch.next(), f"reader {IDENTIV}")
        tags.do(port=self.port + 2, insert={"kind": "ntag213"})
        self.assertEqual(watch.next(), f"present {TYPE_2_ATR} {IDENTIV}")
        self.assertEqual(tags.event("seen")["reader"], "identiv")
        self.assertEqual(self.pcscd.probe("transmit", IDENTIV, "FFB0100010"), ["6981"])

    def test_a_reader_can_be_unplugged_while_a_tag_hangs(self):
        watch, tags = self.watch(), self.tags()
        tags.do(insert={"kind": "ntag213", "fault": {"hang_at": 1}})
        watch.until("present")
        client = subprocess.Popen([self.pcscd.probe_path, "transmit", ACR122U, GET_UID],
                                  stdout=subprocess.PIPE, text=True,
                                  env=self.pcscd.environment())
        self.addCleanup(client.stdout.close)
        tags.write(json.dumps({"wait_ms": 100, "id": "hanging"}))
        tags.event("ack", id="hanging")
        self.assertIsNone(client.poll())
        self.assertEqual(self.pcscd.run("unplug", self.port).stderr, "")
        self.assertRegex(client.communicate(timeout=10)[0], "^failed transmit 801000..")
        self.assertEqual(watch.until("gone"), f"gone {ACR122U}")
        self.assertEqual(tags.event("remove")["why"], "reader")

    def test_a_hung_tag_ends_where_a_limit_is_set(self):
        self.pcscd.run("stop")
        self.pcscd.start(2, self.port, VIRTUAL_READERS_TIMEOUT_MS="200")
        watch, tags = self.watch(), self.tags()
        tags.do(insert={"kind": "ntag213", "fault": {"hang_at": 1}})
        watch.until("present")
        answers = self.pcscd.probe("transmit", ACR122U, GET_UID)
        self.assertRegex(answers[0], "^failed transmit 801000")

    def test_a_crash_leaves_the_socket_and_a_start_serves_again(self):
        watch, tags = self.watch(), self.tags()
        tags.do(insert={"kind": "ntag213"})
        watch.until("present")
        self.assertEqual(self.pcscd.run("crash").stderr, "")
        self.assertTrue((self.pcscd.folder / "run" / "pcscd.comm").is_socket())
        self.assertEqual(watch.next(), "pcscd gone")
        self.assertEqual(tags.event("remove")["why"], "reader")
        self.pcscd.start(2, self.port)
        self.assertEqual([watch.next() for _ in range(3)],
                         ["pcscd", f"reader {ACR122U}", f"reader {SECOND}"])
        tags.do(insert={"kind": "ntag213"})
        self.assertEqual(watch.next(), f"present {TYPE_2_ATR} {ACR122U}")

    def test_a_restart_keeps_what_is_plugged_in(self):
        watch = self.watch()
        self.pcscd.run("unplug", self.port)
        self.assertEqual(watch.next(), f"gone {ACR122U}")
        result = self.pcscd.run("restart")
        self.assertEqual(result.stdout, self.pcscd.run("environment").stdout)
        self.assertEqual(watch.until("pcscd"), "pcscd gone")
        self.assertEqual([watch.next(), watch.next()], ["pcscd", f"reader {ACR122U}"])

    def test_escape_commands_are_answered_recorded_and_can_be_refused(self):
        led = "FF00400E0400000000"
        self.assertEqual(self.pcscd.probe("control", ACR122U, led), ["9002"])
        self.pcscd.run("escape", self.port, "off")
        self.assertEqual(self.pcscd.probe("control", ACR122U, led), ["failed control 80100016"])
        self.pcscd.run("escape", self.port, "on")
        self.assertEqual(self.pcscd.probe("control", ACR122U, "FF00480000"),
                         ["41435231323255323037"])
        lines = (self.pcscd.folder / "escapes.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["command"] for line in lines], [led, led, "FF00480000"])


class BesideOthers(WithReaders):
    """A private pcscd disturbs nobody."""

    def test_two_run_side_by_side_and_the_machines_folder_is_untouched(self):
        machine = Path("/run/pcscd")
        before = sorted(os.listdir(machine)) if machine.exists() else None
        other = Path(str(self.pcscd.folder) + "-b")
        self.addCleanup(shutil.rmtree, other)
        self.addCleanup(self.pcscd.run, "stop", folder=other)
        result = self.pcscd.run("start", 1, self.port + 2, "omnikey", folder=other)
        self.assertEqual(result.stdout, f"export PCSCLITE_CSOCK_NAME={other}/run/pcscd.comm\n")
        self.watch()
        self.assertEqual(self.pcscd.run("stop").stderr, "")
        self.assertEqual(self.pcscd.run("plug", self.port, folder=other).stderr, "")
        self.assertEqual(sorted(os.listdir(machine)) if machine.exists() else None, before)

    def test_only_its_own_process_is_ended(self):
        self.pcscd.run("stop")
        stranger = subprocess.Popen(["sleep", "60"])
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.kill)
        (self.pcscd.folder / "pcscd").write_text(f"{stranger.pid} 1\n")
        self.assertEqual(self.pcscd.run("stop").stderr, "")
        self.assertEqual(self.pcscd.run("crash").stderr, "virtual-readers: no pcscd runs there\n")
        self.assertIsNone(stranger.poll())

    def test_what_cannot_be_started_is_told(self):
        other = self.pcscd.folder / "other"
        long = self.pcscd.folder / ("x" * 90)
        for arguments, folder, reason in (
                ((1, self.port), other, f"port {self.port}: Address already in use"),
                ((17, self.port), other, "pcscd holds at most 16 readers, not 17"),
                ((2, 65535), other, "65536 is no port"),
                ((1, self.port, "paper"), other, "no model paper; there are: acr122u acr1252u "
                                                  "identiv limited64 omnikey whole16"),
                ((2, self.port), self.pcscd.folder, "a pcscd already runs there, process "
                                                    f"{self.pcscd.process}"),
                ((), long, f"{long} is too long a path for a Unix socket (at most 89 bytes)")):
            with self.subTest(reason=reason):
                result = self.pcscd.run("start", *arguments, folder=folder)
                self.assertEqual(result.stderr.splitlines()[-1], f"virtual-readers: {reason}")
                self.assertEqual(result.returncode, 1)

    def test_a_reader_on_a_taken_port_is_not_plugged_in(self):
        tags = self.tags()
        other = self.pcscd.folder / "other"
        self.addCleanup(self.pcscd.run, "stop", folder=other)
        self.pcscd.run("start", 0, folder=other)
        result = self.pcscd.run("plug", self.port, folder=other)
        reason = f"port {self.port}: Address already in use"
        self.assertEqual(result.stderr, f"virtual-readers: {reason}\n")
        self.assertEqual(tags.do(insert={"kind": "ntag213"})["ev"], "ack")


    @unittest.skipIf(Path("/run/dbus/system_bus_socket").exists(), "polkit may allow it here")
    def test_polkit_refuses_where_it_is_asked(self):
        usage = subprocess.run(["/usr/sbin/pcscd", "--help"], capture_output=True, text=True)
        if "--disable-polkit" not in usage.stdout:
            self.skipTest("this pcscd does not ask polkit")
        self.pcscd.run("stop")
        self.pcscd.start(1, self.port, VIRTUAL_READERS_POLKIT="on")
        self.assertEqual(self.pcscd.probe("transmit", ACR122U, GET_UID),
                         ["failed establish 8010006A"])

    def test_as_many_readers_as_pcscd_holds(self):
        first = free_ports(16)
        self.pcscd.run("stop")
        self.pcscd.start(16, first)
        watch = self.pcscd.watch()
        self.addCleanup(watch.close)
        self.assertEqual(watch.next(), "pcscd")
        names = [watch.next() for _ in range(16)]
        self.assertEqual(names[15], "reader ACS ACR122U PICC Interface 0F 00")
        tags = Tags(first + 15)
        self.addCleanup(tags.close)
        tags.do(insert={"kind": "ntag213"})
        self.assertEqual(watch.next(), f"present {TYPE_2_ATR} ACS ACR122U PICC Interface 0F 00")


class BareClient(WithReaders):
    """The benchmarks' floor reads what it must and no more."""

    def bare(self, *options):
        """The bare client, ended with the test."""
        bare = self.pcscd.bare(*options)
        self.addCleanup(bare.close)
        return bare

    def test_it_reads_only_to_the_end_of_the_message(self):
        bare, tags = self.bare(), self.tags()
        for spec, size, apdus in (({"kind": "ntag213", "uri": URL}, 37, 4),
                                  ({"kind": "ntag216", "uri": "a:"}, 7, 2),
                                  ({"kind": "ntag213", "uri": URL, "pre": ["lock"]}, 37, 4),
                                  ({"kind": "ntag213", "uri": "a:", "long_tlv": True}, 7, 2),
                                  ({"kind": "ntag213"}, 0, 2),
                                  ({"kind": "type4", "uri": URL}, 0, 2)):
            with self.subTest(spec=spec):
                tags.do(insert=spec)
                tap = json.loads(bare.next())
                insert = tags.event("insert")
                self.assertEqual((tap["uid"], tap["ndefBytes"], tap["apdus"], tap["reader"]),
                                 (insert["uid"], size, apdus, ACR122U))
                self.assertLess(insert["ns"], tap["seenNs"])
                self.assertLess(tap["seenNs"], tap["ns"])
                self.assertLess(insert["bootNs"], tap["bootNs"])
                tags.do(remove=True)
                self.assertEqual(tags.event("remove")["apdus"], apdus)
        self.assertEqual(bare.close(), 0)

    def test_it_keeps_to_one_reader_and_outlives_pcscd(self):
        bare, tags = self.bare(SECOND), self.tags()
        tags.do(insert={"kind": "ntag213"})
        tags.do(port=self.port + 1, insert={"kind": "ntag213", "uid": "04000000000001"})
        self.assertEqual(json.loads(bare.next())["uid"], "04000000000001")
        self.pcscd.run("crash")
        tags.event("remove", port=self.port + 1)
        self.pcscd.start(2, self.port)
        tags.do(port=self.port + 1, insert={"kind": "ntag213", "uid": "04000000000002"})
        self.assertEqual(json.loads(bare.next())["uid"], "04000000000002")


if __name__ == "__main__":
    unittest.main()
