"""What the validator refuses, whatever the schemas say, and how it answers."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from line_validator import Problem, Schemas, answer  # noqa: E402

PROGRAM = Path(__file__).resolve().parents[1] / "line_validator.py"
ALIVE = '{"alive":{}}'
STATUS = '{"jsonrpc":"2.0","id":1,"method":"status"}'


class LineTests(unittest.TestCase):
    """A line is more than what a schema sees of it."""

    schemas = Schemas()

    def problem(self, schema: str, line: str, method: str | None = None) -> str:
        """Why a line is refused."""
        with self.assertRaises(Problem) as caught:
            self.schemas.check(schema, line, method)
        return str(caught.exception)

    def test_good_lines_pass(self) -> None:
        self.schemas.check("reader", ALIVE)
        self.schemas.check("client", STATUS)
        self.schemas.check("reply", '{"id":1,"jsonrpc":"2.0","result":{}}', "unsubscribe")

    def test_what_is_no_json_is_refused(self) -> None:
        for line in ("", "{", ALIVE + "x", '{"alive":{},}', "\ufeff" + ALIVE, '{"alive":NaN}'):
            with self.subTest(line=line):
                self.assertIn("JSON", self.problem("reader", line))

    def test_a_member_twice_is_refused(self) -> None:
        line = '{"alive":{},"alive":{}}'
        self.assertEqual(self.problem("reader", line), "the member 'alive' stands there twice")

    def test_a_line_end_within_the_line_is_refused(self) -> None:
        for end in ("\n", "\r"):
            self.assertEqual(self.problem("reader", ALIVE + end), "a line end within the line")

    def test_lines_are_bounded(self) -> None:
        def padded(size: int) -> str:
            return STATUS[:-1] + " " * (size - len(STATUS)) + "}"

        self.schemas.check("client", padded(65_536))
        self.assertEqual(
            self.problem("client", padded(65_537)), "65537 bytes are more than 65536")

    def test_a_line_feed_at_the_end_of_a_text_does_not_pass_a_pattern(self) -> None:
        line = (
            '{"arrive":{"device":"d","token":"1","medium":"nfc","bootNanoseconds":1,'
            '"uid":"04%s"}}')
        self.schemas.check("reader", line % "")
        self.assertIn("does not match", self.problem("reader", line % "\\n"))

    def test_a_problem_says_where_it_is(self) -> None:
        line = '{"id":1,"jsonrpc":"2.0","method":"subscribe","params":{"types":["scan",5]}}'
        self.assertEqual(
            self.problem("client", line), "$.params.types[1]: 5 is not of type 'string'")

    def test_the_reply_to_one_method_is_not_taken_for_another(self) -> None:
        line = '{"id":1,"jsonrpc":"2.0","result":{}}'
        self.schemas.check("server", line)
        self.assertEqual(
            self.problem("reply", line, "scan.submit"), "$.result: 'scan' is a required property")

    def test_an_unknown_kind_or_method_is_a_problem(self) -> None:
        self.assertEqual(self.problem("sever", ALIVE), "no schema 'sever'")
        self.assertEqual(self.problem("reply", ALIVE, "no"), "no schema for the reply to 'no'")

    def test_answers(self) -> None:
        request = json.dumps({"schema": "reader", "line": ALIVE})
        self.assertEqual(answer(self.schemas, request), {"ok": True})
        request = json.dumps({"schema": "reader", "line": "{}"})
        self.assertEqual(
            answer(self.schemas, request),
            {"ok": False, "error": "$: {} does not have enough properties"})


class ProgramTests(unittest.TestCase):
    """The program as it is run."""

    def run_it(self, arguments: list[str], text: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, str(PROGRAM), *arguments], input=text, capture_output=True,
            check=False, timeout=60)

    def test_it_answers_each_line_at_once(self) -> None:
        with subprocess.Popen(
            [sys.executable, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as program:
            for line, expected in ((ALIVE, True), ("{", False), (ALIVE, True)):
                program.stdin.write(json.dumps({"schema": "reader", "line": line}) + "\n")
                program.stdin.flush()
                self.assertEqual(json.loads(program.stdout.readline())["ok"], expected)
            program.stdin.close()
            self.assertEqual(program.wait(timeout=60), 0)

    def test_a_good_stream_ends_with_0_and_no_words(self) -> None:
        ran = self.run_it(["reader"], f"{ALIVE}\n{ALIVE}\n".encode())
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, b"", b""))

    def test_each_bad_line_of_a_stream_is_told_with_its_number(self) -> None:
        ran = self.run_it(["reader"], f"{ALIVE}\n{{}}\n{ALIVE}\n".encode() + b"\xff\n")
        self.assertEqual(ran.returncode, 1)
        told = ran.stderr.decode().splitlines()
        self.assertEqual(told[0], "line 2: $: {} does not have enough properties")
        self.assertTrue(told[1].startswith("line 4: 'utf-8' codec"))
        self.assertEqual(len(told), 2)

    def test_another_argument_is_told_what_there_is(self) -> None:
        ran = self.run_it(["readers"], b"")
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"usage: line_validator.py [server|client|reader]", ran.stderr)


if __name__ == "__main__":
    unittest.main()
