import json
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import gpu  # noqa: E402
from checkout import Failure  # noqa: E402
from cpu import NoSuchCase  # noqa: E402
from gpu import Row, Runs, Time  # noqa: E402

GPU = "A GPU, 2026-01-31, commit abc\n"
FIELDS = {"tensors": "[8]", "bytes": 1, "flops": 2, "limit_ns": 1, "limited_by": "memory", "limit_of": "H200", "known": ""}
CRASH, LATE = "ended by signal 11 (Segmentation fault)", "not reached in 9 s"


def row(name, ns, torch=Time(), **fields):
    return Row(name, {"name": name, "ns": ns, **FIELDS, **fields}, Time(ns), torch)


def some_runs():
    """A product at 3/4 of the limit and faster than PyTorch's, a copy, a crash, and what PyTorch lacks."""
    product = {"tensors": "[8] @ [8]", "bytes": 402653184, "flops": 1099511627776, "limit_ns": 1.5e6}
    rows = [
        row("product", 2e6, Time(3e6), **product, limited_by="arithmetic", known="790 TFLOP/s"),
        row("copy", 50e3, Time(error="ended by signal 9 (Killed)"), tensors="[64M]", bytes=200000000, limit_ns=46.5e3),
        Row("crash", ours=Time(error=CRASH)),
        Row("late", ours=Time(error=LATE)),
        Row("later", ours=Time(error=LATE)),
        row("small", 2500, limit_ns=0, limited_by="memory"),
    ]
    return Runs(rows, "PyTorch 2.11 with CUDA 13.0")


class Results(unittest.TestCase):
    maxDiff = None

    def test_table_shows_what_is_reached_and_what_is_not(self):
        self.assertEqual(
            gpu.table(GPU, some_runs()),
            GPU
            + f"""torch: PyTorch 2.11 with CUDA 13.0

case     tensors       ours  of limit         rate    torch  torch/ours  known
product  [8] @ [8]  2.00 ms      75 %  550 TFLOP/s  3.00 ms        1.50  790 TFLOP/s
copy     [64M]      50.0 µs      93 %    4000 GB/s        ✗
crash                     ✗
late                      ✗
later                     ✗
small    [8]        2.50 µs

of limit: the least time that an H200 needs for the bytes and operations of a call, through ours
known: what others have published of PyTorch on an H200, of attention on an H100
✗ ours, crash: {CRASH}
✗ ours, late, later: {LATE}
✗ torch, copy: ended by signal 9 (Killed)
3 of 6 cases measured, 1 of PyTorch
""",
        )
        alone = Runs([row("copy", 5, tensors="", limit_ns=0)], why_no_torch="none here")
        self.assertEqual(
            gpu.table(GPU, alone),
            GPU + "PyTorch was not measured: none here\n\ncase     ours\ncopy  5.00 ns\n\n1 of 1 cases measured\n",
        )

    def test_are_complete_when_all_that_was_asked_for_is_measured(self):
        for complete, ours, torch in [
            (True, Time(5), Time()),
            (False, Time(5), Time(error="it crashed")),
            (True, Time(5), Time(7)),
            (False, Time(error="it crashed"), Time(7)),
        ]:
            self.assertEqual(Runs([Row("a", {}, ours, torch)]).is_complete(), complete)

    def test_each_is_a_line(self):
        product, copy, _, late, _, small = some_runs().rows
        self.assertEqual(
            gpu.our_line(product),
            '{"of":"ours","name":"product","ns":2000000.0,"tensors":"[8] @ [8]","bytes":402653184,"flops":1099511627776,'
            '"limit_ns":1500000.0,"limited_by":"arithmetic","limit_of":"H200","known":"790 TFLOP/s"}',
        )
        self.assertEqual(gpu.our_line(late), f'{{"of":"ours","name":"late","error":"{LATE}"}}')
        limits = json.loads(gpu.our_line(small))
        self.assertEqual((limits["limit_ns"], limits["limited_by"]), (None, ""))
        self.assertEqual(gpu.torch_line(product), '{"of":"torch","name":"product","ns":3000000.0}')
        self.assertEqual(gpu.torch_line(copy), '{"of":"torch","name":"copy","error":"ended by signal 9 (Killed)"}')

    def test_refuse_what_is_no_measurement_of_the_case(self):
        line = json.dumps({"name": "add", "ns": 5, **FIELDS})
        self.assertEqual(gpu.read_ours("add", line).ours.nanoseconds, 5)
        for name, other in [("sub", line), ("add", ""), ("add", "{"), ("add", "{}"), ("add", '{"name":"add"}')]:
            with self.assertRaises(Failure):
                gpu.read_ours(name, other)


class RunBenchmarks(unittest.TestCase):
    """Programs that do what they are told for a case, written for the occasion."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lectern test ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.results, self.shown = [], []

    def program(self, name, script):
        file = self.folder / name
        file.write_text(f"echo {name} $* >>'{self.folder / 'calls'}'\n{script}")
        return ["bash", file]

    def ours(self, names, misdeeds=""):
        """Its cases, and what it does for $name that is not to measure it."""
        line = json.dumps({"name": "NAME", "ns": 5, **FIELDS}).replace("NAME", "'$name'")
        return self.program(
            "ours",
            f"""if [ $1 = --list ]; then printf '%s\\n' {names}; exit; fi
name=$3
case $name in none) ;; {misdeeds} esac
echo '{line}'""",
        )

    def torch(self, misdeeds=""):
        """Measures each of its arguments, but for misdeeds."""
        return self.program(
            "torch",
            f"""echo '{{"torch":"2.11","cuda":"13.0"}}'
shift
for name; do
  case $name in none) ;; {misdeeds} esac
  echo '{{"name":"'$name'","ns":10}}'
done""",
        )

    def run_benchmarks(self, ours, torch=None, filter="", **limits):
        self.results.clear()
        return gpu.run_benchmarks(ours, torch, filter, self.results.append, self.shown.append, **limits)

    def calls(self):
        return (self.folder / "calls").read_text()

    def outcomes(self, runs, program):
        times = [(row.name, getattr(row, program)) for row in runs.rows]
        return [f"{name}: {time.error if time.nanoseconds is None else int(time.nanoseconds)}" for name, time in times]

    def test_gives_each_case_a_process_and_pytorch_one(self):
        runs = self.run_benchmarks(self.ours("add copy other"), self.torch(), "o")
        self.assertEqual(self.calls(), "ours --list cuda\nours cuda --case copy\nours cuda --case other\ntorch cuda copy other\n")
        self.assertEqual(self.outcomes(runs, "ours"), ["copy: 5", "other: 5"])
        self.assertEqual(self.outcomes(runs, "torch"), ["copy: 10", "other: 10"])
        self.assertEqual(runs.torch, "PyTorch 2.11 with CUDA 13.0")
        version = '{"of":"torch","torch":"2.11","cuda":"13.0"}'
        self.assertEqual(self.results, [*map(gpu.our_line, runs.rows), version, *map(gpu.torch_line, runs.rows)])
        self.assertEqual(self.shown[1], "2 of 2: other")
        self.assertTrue(runs.is_complete())

    def test_a_case_that_fails_costs_only_itself(self):
        misdeeds = """
hangs) sleep 60 ;;
crashes) echo 'about to'; kill -SEGV $$ ;;
throws) echo 'out of memory' >&2; exit 1 ;;
lies) name=other ;;
silent) exit 0 ;;"""
        begin = time.monotonic()
        runs = self.run_benchmarks(self.ours("hangs crashes throws a lies silent b", misdeeds), case_limit=1)
        self.assertLess(time.monotonic() - begin, 40)
        hangs, crashes, throws, a, lies, silent, b = self.outcomes(runs, "ours")
        self.assertEqual(hangs, "hangs: not done after 1 s")
        self.assertEqual(crashes, f"crashes: {CRASH}: about to")
        self.assertEqual(throws, "throws: exit status 1: out of memory")
        self.assertEqual((a, b), ("a: 5", "b: 5"))
        self.assertIn("is not a measurement of lies", lies)
        self.assertIn("is not a measurement of silent", silent)
        self.assertFalse(runs.is_complete())
        self.assertEqual(self.results[0], '{"of":"ours","name":"hangs","error":"not done after 1 s"}')
        self.assertEqual(len(self.results), 7)

    def test_goes_on_after_the_case_that_killed_pytorch(self):
        misdeeds = """
dies) kill -ABRT $$ ;;
asks) echo '{"name":"asks","error":"an illegal memory access"}'; exit 75 ;;
fails) echo '{"name":"fails","error":"out of memory"}'; continue ;;"""
        runs = self.run_benchmarks(self.ours("a dies b asks c fails d"), self.torch(misdeeds))
        results = ["a: 10", "dies: ended by signal 6 (Aborted)", "b: 10", "asks: an illegal memory access", "c: 10"]
        self.assertEqual(self.outcomes(runs, "torch"), [*results, "fails: out of memory", "d: 10"])
        calls = "torch cuda a dies b asks c fails d\ntorch cuda b asks c fails d\ntorch cuda c fails d\n"
        self.assertIn(calls, self.calls())
        self.assertEqual(len(self.results), 7 + 1 + 7, "PyTorch's version comes once")
        self.assertFalse(runs.is_complete())

    def test_pytorch_that_goes_in_circles_is_stopped(self):
        circles = self.program("torch", """echo '{"torch":"2","cuda":"1"}'; exit 75""")
        runs = self.run_benchmarks(self.ours("a b c"), circles)
        self.assertEqual(self.outcomes(runs, "torch"), [f"{name}: exit status 75" for name in "abc"])
        lazy = self.run_benchmarks(self.ours("a b"), self.torch("a) continue ;;"))
        self.assertEqual(self.outcomes(lazy, "torch"), ["a: torch_bench.py left it out", "b: 10"])

    def test_ends_within_the_limit_and_says_what_was_not_reached(self):
        begin = time.monotonic()
        runs = self.run_benchmarks(self.ours("a slow b c", "slow) sleep 60 ;;"), self.torch(), limit=4.5)
        self.assertLess(time.monotonic() - begin, 30)
        late = "not done when the limit of 3 s was reached"
        expected = ["a: 5", f"slow: {late}", "b: not reached in 3 s", "c: not reached in 3 s"]
        self.assertEqual(self.outcomes(runs, "ours"), expected, "two thirds are ours")
        self.assertEqual(self.outcomes(runs, "torch"), ["a: 10", "slow: 10", "b: 10", "c: 10"])
        self.assertEqual(json.loads(self.results[3])["error"], "not reached in 3 s")
        runs = self.run_benchmarks(self.ours("a b c"), self.torch("b) sleep 60 ;;"), limit=3)
        self.assertEqual(self.outcomes(runs, "torch"), ["a: 10", f"b: {late}", "c: not reached in 3 s"])
        self.assertEqual(json.loads(self.results[-1])["error"], "not reached in 3 s")

    def test_without_pytorch_only_ours_is_measured(self):
        for none in (self.program("torch", "echo 'no PyTorch: none here'; exit 77"), ["/no such program"]):
            runs = self.run_benchmarks(self.ours("a"), none)
            self.assertEqual(self.outcomes(runs, "ours"), ["a: 5"])
            self.assertTrue(runs.why_no_torch and runs.is_complete())
            self.assertEqual(json.loads(self.results[1]), {"of": "torch", "error": runs.why_no_torch})
        broken = self.run_benchmarks(self.ours("a b"), self.program("torch", "echo broken; exit 3"))
        self.assertEqual(self.outcomes(broken, "torch"), ["a: exit status 3: broken", "b: exit status 3: broken"])
        self.assertFalse(broken.is_complete(), "it is there, and does not work")

    def test_says_at_once_that_nothing_can_be_measured(self):
        no_gpu = "echo 'there is no GPU here' >&2; exit 3 ;;"
        with self.assertRaises(NoSuchCase):
            self.run_benchmarks(self.ours("a b"), filter="c")
        with self.assertRaises(Failure):
            self.run_benchmarks(self.program("ours", "echo broken; exit 1"))
        with self.assertRaisesRegex(Failure, "^there is no GPU here$"):
            self.run_benchmarks(self.ours("a b", f"a) {no_gpu}"))
        runs = self.run_benchmarks(self.ours("a b c", f"b) {no_gpu}"))
        self.assertEqual(self.outcomes(runs, "ours"), ["a: 5", "b: exit status 3: there is no GPU here", "c: 5"])


if __name__ == "__main__":
    unittest.main()
