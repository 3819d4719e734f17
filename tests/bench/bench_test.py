import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).with_name("bench.py")


class Command(unittest.TestCase):
    """A bundle whose tensor_bench crashes in one of its cases, and whose python3 has a PyTorch."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lectern test ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "commit").write_text("abc1234\narchitectures 90\n")
        self.program(
            "bin/tensor_bench",
            """if [ $1 = --list ]; then printf '%s\\n' add crash; exit; fi
[ $3 = crash ] && kill -SEGV $$
echo '{"name":"'$3'","tensors":"[8]","ns":5000,"bytes":1,"flops":2,"limit_ns":1000,"limited_by":"memory","limit_of":"H200",\
"known":""}'""",
        )
        self.program(
            "tools/python3",
            """echo '{"torch":"2.11","cuda":"13.0"}'
shift 3
for name; do echo '{"name":"'$name'","ns":6000}'; done""",
        )

    def program(self, name, script):
        file = self.folder / name
        file.parent.mkdir()
        file.write_text("#!/bin/bash\n" + script)
        file.chmod(0o700)

    def call(self, *arguments):
        environment = {**os.environ, "PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}"}
        command = [sys.executable, "-B", BENCH, *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, encoding="utf-8")

    def bench(self, *arguments):
        return self.call(*arguments, "--device", "cuda", "--program", "bin/tensor_bench", "--json-lines", "results.jsonl")

    def results(self):
        return [json.loads(line) for line in (self.folder / "results.jsonl").read_text().splitlines()]

    def test_shows_what_failed_and_says_so(self):
        said = self.bench("--against", "torch", "--limit", "60")
        self.assertEqual(said.returncode, 1, said.stderr)
        self.assertIn("add    [8]      5.00 µs      20 %", said.stdout)
        self.assertIn("✗ ours, crash: ended by signal 11", said.stdout)
        self.assertIn("commit abc1234\ntorch: PyTorch 2.11 with CUDA 13.0\n", said.stdout)
        header, add, crash, version, _, torch_crash = self.results()
        self.assertEqual((header["format"], header["commit"]), ("lectern-bench-lines/1", "abc1234"))
        self.assertEqual((add["ns"], version["torch"]), (5000, "2.11"))
        self.assertIn("error", crash)
        self.assertEqual((torch_crash["name"], torch_crash["ns"]), ("crash", 6000))

    def test_adds_to_the_lines_that_are_there(self):
        self.assertEqual(self.bench("add").returncode, 0)
        self.assertEqual(self.bench("add", "--against", "torch").returncode, 0)
        self.assertEqual(len(self.results()), 2 + 4)
        self.assertEqual(self.bench("sub").returncode, 2, "no such case")
        nowhere = self.call("--device", "cuda", "--program", "bin/tensor_bench", "--json-lines", "no/such/folder")
        self.assertEqual((nowhere.returncode, nowhere.stdout), (1, ""))
        self.assertTrue(nowhere.stderr.startswith("lectern: no/such/folder cannot be written"), nowhere.stderr)

    def test_refuses_what_it_cannot_measure(self):
        for arguments, why in [
            *((["--device", "cuda", option, "2"], "is not for --device cuda") for option in ("--threads", "--rounds", "--json")),
            *(([option, "9"], "is for --device cuda only") for option in ("--limit", "--case-limit", "--json-lines")),
            (["--threads", "0"], "0"),
            (["--threads", "1,x"], "x"),
            (["--threads", ""], "--threads"),
            (["--rounds", "0"], "0"),
            (["--against", "numpy"], "numpy"),
            (["one", "two"], "two"),
            (["--threads", "1", "one", "two"], "two"),
            (["--nonsense"], "--nonsense"),
        ]:
            said = self.call(*arguments)
            self.assertEqual((said.returncode, said.stdout), (2, ""), arguments)
            self.assertRegex(said.stderr, rf"^lectern: .*{why}.*; see `lectern bench --help`\n$")

    def test_explains_itself_and_its_exit_statuses(self):
        said = self.call("--help")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        for text in ("usage: lectern bench", "--against", "Exit status: 0 every bar was held"):
            self.assertIn(text, said.stdout)


if __name__ == "__main__":
    unittest.main()
