import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from checkout import NOT_STARTED, TIMED_OUT, build_preset, run

HERE = pathlib.Path(__file__).parent


def bash(script, **options):
    lines = []
    return run(["bash", "-c", script], lines.append, **options), lines


def is_gone(process):
    """Whether it has ended within ten seconds."""
    for _ in range(1000):
        try:
            if "State:\tZ" in pathlib.Path(f"/proc/{process}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


class Run(unittest.TestCase):
    def test_gives_lines_and_the_status(self):
        self.assertEqual(bash("echo one; echo; echo two >&2; printf three; exit 7"), (7, ["one", "", "two", "three"]))
        self.assertEqual(bash("kill -SEGV $$")[0], 128 + signal.SIGSEGV)
        self.assertEqual(run(["/no such program"], lambda line: None), NOT_STARTED)
        self.assertEqual(bash("echo $ONE", environment={"ONE": "1"}), (0, ["1"]))
        self.assertEqual(bash("exit 7", limit=60, silence=60)[0], 7)

    def test_kills_what_takes_too_long_with_what_it_started(self):
        begin = time.monotonic()
        status, lines = bash("sleep 60 & echo $!; wait", limit=0.3)
        self.assertEqual(status, TIMED_OUT)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertTrue(is_gone(int(lines[0])))
        for script in ("while true; do echo on; done", "exec >&- 2>&-; sleep 60"):
            self.assertEqual(bash(script, limit=0.2)[0], TIMED_OUT, script)

    def test_kills_what_is_silent_for_too_long(self):
        status, lines = bash("for i in {1..8}; do echo $i; sleep 0.2; done; sleep 60", silence=1.2)
        self.assertEqual((status, len(lines)), (TIMED_OUT, 8), "every line counts anew")

    def test_ends_the_program_with_this_process(self):
        script = "from checkout import run; run(['bash', '-c', 'echo $$; sleep 60'], lambda line: print(line, flush=True))"
        with subprocess.Popen([sys.executable, "-B", "-c", script], cwd=HERE, stdout=subprocess.PIPE) as caller:
            program = int(caller.stdout.readline())
            self.assertFalse(os.kill(program, 0))
            caller.kill()
        self.assertTrue(is_gone(program))


class Preset(unittest.TestCase):
    """A small project with a preset."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lectern test ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "CMakeLists.txt").write_text(
            """cmake_minimum_required(VERSION 3.25)
project(small NONE)
file(APPEND ${CMAKE_SOURCE_DIR}/configured "with ${EXTRA}\\n")
add_custom_target(good COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_SOURCE_DIR}/made)
add_custom_target(bad COMMAND ${CMAKE_COMMAND} -E false)"""
        )
        preset = {"name": "small", "generator": "Ninja", "binaryDir": "${sourceDir}/build/small"}
        (self.root / "CMakePresets.json").write_text(json.dumps({"version": 6, "configurePresets": [preset]}))

    def build(self, target, **definitions):
        built, _, self.log = build_preset("small", target, definitions, self.root)
        return built

    def test_is_configured_when_new_or_lacking_a_definition(self):
        self.assertTrue(self.build("good"))
        self.assertTrue((self.root / "made").exists())
        self.assertTrue(self.build("good"))
        self.assertEqual((self.root / "configured").read_text(), "with \n")
        self.assertTrue(self.build("good", EXTRA="ON"))
        self.assertTrue(self.build("good", EXTRA="ON"))
        self.assertEqual((self.root / "configured").read_text(), "with \nwith ON\n")

    def test_says_whether_everything_was_built(self):
        self.assertFalse(self.build("bad"))
        self.assertIn("FAILED", self.log.read_text())
        (self.root / "CMakeLists.txt").write_text("message(FATAL_ERROR no)")
        self.assertFalse(self.build("good", EXTRA="ON"))


if __name__ == "__main__":
    unittest.main()
