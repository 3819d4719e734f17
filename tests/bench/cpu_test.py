import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import cpu  # noqa: E402
from checkout import Failure  # noqa: E402
from cpu import Row, Runs, add_ours, add_torch  # noqa: E402

PROCESSOR = "A processor, 2026-01-31, commit abc1234\n"


def ours(name, ns, threads=1, **more):
    fields = {"name": name, "tensors": "[16M]", "threads": threads, "ns": ns, "bytes": 200000000, "flops": 1000000, "bar_ns": 0}
    return json.dumps({**fields, **more})


def torch(name, ns, threads=1):
    return json.dumps({"name": name, "threads": threads, "ns": ns})


def rows_of(our_lines, torch_lines=()):
    rows = []
    for line in our_lines:
        add_ours(rows, line)
    for line in torch_lines:
        add_torch(rows, line)
    return rows


def some_rows():
    """A copy faster than PyTorch's, a sum slower on two threads, a product, and a small addition within its time."""
    product = {"tensors": "[8, 8] @ [8, 8]", "bytes": 1000000, "flops": 200000000000}
    return rows_of(
        [
            *(ours("copy", ns) for ns in (5e6, 4e6, 9e6)),
            ours("sum", 1.5e6, threads=2),
            ours("product", 2e9, **product),
            ours("small_add", 80, bar_ns=200),
        ],
        [
            *(torch("copy", ns) for ns in (8e6, 6e6, 7e6)),
            torch("sum", 0.6e6, threads=2),
            torch("product", 1.92e9),
            torch("small_add", 1050),
        ],
    )


class Rows(unittest.TestCase):
    def test_the_shortest_rounds_are_compared(self):
        rows = some_rows()
        self.assertEqual(len(rows), 4)
        self.assertEqual((rows[0].our_time(), rows[0].torch_time(), rows[0].ratio()), (4e6, 6e6, 1.5))
        self.assertEqual(Row("even", ours=[30, 10, 20, 40]).our_time(), 10)

    def test_are_held_against_their_bars(self):
        memory = {"copy_bar": 1.5, "copies": [120, 100, 110]}
        for held, why, fields in [
            (None, "nothing to hold it against", {}),
            (True, "as fast, noise aside", {"torch": [96]}),
            (False, "slower", {"torch": [94]}),
            (True, "its own bar alone counts", {"torch": [94], "bar": 100}),
            (False, "above its own bar", {"torch": [500], "bar": 99}),
            (True, "1.5 times the copy", {**memory, "ours": [150]}),
            (False, "PyTorch counts as well", {**memory, "ours": [150], "torch": [130]}),
            (True, "both are held", {**memory, "ours": [150], "torch": [200]}),
            (False, "more than the copy allows", {**memory, "ours": [151], "torch": [200]}),
            (False, "the copy takes longer", {**memory, "ours": [160], "arithmetic": [90]}),
            (True, "the arithmetic takes longer", {**memory, "ours": [160], "arithmetic": [128]}),
            (True, "it is to be faster", {"faster": 1.2, "torch": [120]}),
            (False, "with no room for noise", {"faster": 1.2, "torch": [119]}),
        ]:
            self.assertIs(Row("x", **{"ours": [100], **fields}).held(), held, why)

    def test_refuse_what_is_no_measurement(self):
        rows = []
        for line in ("{", "{}", '{"name":"add","threads":"one","ns":1}'):
            for add in (add_ours, add_torch):
                with self.assertRaises(Failure, msg=line):
                    add(rows, line)
        self.assertEqual(rows, [])
        add_ours(rows, ours("add", 5))
        for line in (torch("sub", 5), torch("add", 5, threads=2)):
            with self.assertRaises(Failure, msg="a case that only PyTorch has"):
                add_torch(rows, line)


class Table(unittest.TestCase):
    maxDiff = None

    def table(self, rows, torch="", rounds=1):
        return cpu.table(PROCESSOR, Runs(rows, torch), rounds)

    def test_shows_both_sides_and_the_bars(self):
        self.assertEqual(
            self.table(some_rows(), "PyTorch 1.13 with openblas-openmp/libopenblas.so", rounds=3),
            PROCESSOR
            + """torch: PyTorch 1.13 with openblas-openmp/libopenblas.so
The shortest of 3 rounds.

case       tensors          threads     ours    torch   torch/ours         rate  bar
copy       [16M]                  1  4.00 ms  6.00 ms         1.50    50.0 GB/s  ✓ as fast
sum        [16M]                  2  1.50 ms   600 µs         0.40     133 GB/s  ✗ slower
product    [8, 8] @ [8, 8]        1   2.00 s   1.92 s         0.96  100 GFLOP/s  ✓ as fast
small_add  [16M]                  1  80.0 ns  1.05 µs*       13.12               ✓ ≤ 200 ns

* called from Python, which is part of the time
as fast: torch/ours is at least 0.95
3 of 4 bars held; missed: sum (2 threads)
""",
        )

    def test_shows_how_far_memory_is(self):
        softmax = ours("softmax", 6e6, bytes=120000000, flops=1, copy_ns=5e6, copy_bar=1.3)
        step = ours("step", 5e6, tensors="[8]", bytes=0, flops=0, faster=1.2)
        self.assertEqual(
            self.table(rows_of([softmax, step], [torch("softmax", 5e6), torch("step", 7e6)]), "1"),
            PROCESSOR
            + """torch: 1
One round.

case     tensors  threads     ours    torch   torch/ours       rate  bar
softmax  [16M]          1  6.00 ms  5.00 ms         0.83  20.0 GB/s  ✗ 1.20 × copy (≤ 1.3), slower
step     [8]            1  5.00 ms  7.00 ms         1.40             ✓ ≥ 1.2 times as fast

× copy: of as many bytes, in the same run
as fast: torch/ours is at least 0.95
1 of 2 bars held; missed: softmax (1 thread)
""",
        )

    def test_says_why_a_bar_is_missed(self):
        norm = {"copy_ns": 2e6, "copy_bar": 1.5, "obstacle": "it waits for memory"}
        table = self.table(rows_of([ours("norm", 4e6, **norm), ours("norm", 2e6, threads=2, **norm)]))
        self.assertIn("\nnorm (1 thread): it waits for memory\n1 of 2 bars held", table)

    def test_says_where_arithmetic_is_the_limit(self):
        table = self.table(rows_of([ours("gelu", 6e6, copy_ns=3e6, arithmetic_ns=5e6, copy_bar=1.5)]))
        self.assertIn("✓ 1.20 × arithmetic (≤ 1.5)", table)
        self.assertIn("× arithmetic: the formula's multiply-adds", table)

    def test_leaves_out_what_was_not_measured(self):
        lines = [ours("copy", 999.6e3), ours("sum", 9.996e3), ours("small_add", 250, bar_ns=200)]
        self.assertEqual(
            self.table(rows_of(lines)),
            PROCESSOR
            + """One round.

case       tensors  threads     ours        rate  bar
copy       [16M]          1  1.00 ms    200 GB/s
sum        [16M]          1  10.0 µs  20008 GB/s
small_add  [16M]          1   250 ns              ✗ > 200 ns

0 of 1 bars held; missed: small_add (1 thread)
""",
        )

    def test_has_every_round_for_programs(self):
        document = json.loads(cpu.as_json({"commit": "c"}, Runs(some_rows(), "t"), 3))
        self.assertEqual((document["format"], document["commit"]), ("lectern-bench/1", "c"))
        rows = document["rows"]
        self.assertEqual((rows[0]["ours_rounds_ns"], rows[0]["torch_ns"], rows[0]["held"]), ([5e6, 4e6, 9e6], 6e6, True))
        self.assertEqual((rows[1]["held"], rows[3]["bar_ns"]), (False, 200))
        alone = json.loads(cpu.as_json({}, Runs(rows_of([ours("copy", 5)])), 1))["rows"][0]
        self.assertEqual([alone[name] for name in ("torch_ns", "ratio", "held")], [None] * 3)


class RunBenchmarks(unittest.TestCase):
    """Programs that print what they are asked, written for the occasion."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lectern test ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, script):
        file = self.folder / name
        file.write_text(f"echo {name} $* >>'{self.folder / 'calls'}'\n{script}")
        return ["sh", file]

    def our_program(self, more=""):
        line = '{"name":"add","tensors":"[8]","threads":\'$1\',"ns":5,"bytes":1,"flops":1,"bar_ns":0}'
        return self.program("ours", f"echo '{line}'\n{more}")

    def run_benchmarks(self, ours, torch=None, threads=(1,), filter="", rounds=1, show=lambda what: None):
        return cpu.run_benchmarks(ours, torch, threads, filter, rounds, show)

    def calls(self):
        return (self.folder / "calls").read_text()

    def test_takes_turns(self):
        script = """echo 'No CUDA runtime is found'
echo '{"torch":"1.13","blas":"openblas-openmp/x.so"}'
echo '{"name":"add","threads":'$1',"ns":10}'"""
        shown = []
        runs = self.run_benchmarks(self.our_program(), self.program("torch", script), (1, 2), "ad", 2, shown.append)
        turns = [f"{program} {threads} ad\n" for threads in (1, 1, 2, 2) for program in ("ours", "torch")]
        self.assertEqual(self.calls(), "".join(turns))
        self.assertEqual((runs.torch, runs.why_no_torch), ("PyTorch 1.13 with openblas-openmp/x.so", ""))
        self.assertEqual([(row.threads, row.ours) for row in runs.rows], [(1, [5, 5]), (2, [5, 5])])
        self.assertEqual((len(shown), shown[2]), (8, "1 thread, round 2 of 2: ours"))

    def test_measures_again_what_missed_its_bar(self):
        torch = """echo '{"torch":"1.13","blas":"x"}'
echo '{"name":"add","threads":1,"ns":'$(if [ "$2" ]; then echo 4.9; else echo 4; fi)'}'"""
        runs = self.run_benchmarks(self.our_program(), self.program("torch", torch), rounds=2)
        first, again = "ours 1\ntorch 1\n", "ours 1 --case add\ntorch 1 --case add\n"
        self.assertEqual(self.calls(), 2 * first + 2 * again)
        self.assertEqual((runs.rows[0].ours, runs.rows[0].torch), ([5] * 4, [4, 4, 4.9, 4.9]))
        self.assertTrue(runs.rows[0].is_missed(), "the shortest counts on both sides")
        self.assertIn("The shortest of 2 rounds, of 4 for what missed its bar in these.\n", cpu.table("", runs, 2))

    def test_goes_on_without_pytorch(self):
        runs = self.run_benchmarks(self.our_program(), self.program("torch", "echo no PyTorch: none here; exit 77"), rounds=2)
        self.assertEqual(self.calls(), "ours 1\ntorch 1\nours 1\n", "it is asked once")
        self.assertEqual((runs.why_no_torch, runs.torch), ("no PyTorch: none here", ""))
        self.assertEqual(len(runs.rows[0].ours), 2)
        self.assertTrue(self.run_benchmarks(self.our_program(), ["/no such program"]).why_no_torch)

    def test_says_which_program_failed(self):
        with self.assertRaisesRegex(Failure, "^tensor_bench failed with exit status 1: out of memory$"):
            self.run_benchmarks(self.our_program("echo out of memory; exit 1"))
        with self.assertRaisesRegex(Failure, "^torch_bench.py failed with exit status 3: broken$"):
            self.run_benchmarks(self.our_program(), self.program("torch", "echo broken; exit 3"))
        with self.assertRaises(cpu.NoSuchCase):
            self.run_benchmarks(self.program("ours", "echo 'there is no such case' >&2; exit 2"))


if __name__ == "__main__":
    unittest.main()
