"""Each case for a GPU once, with tiny tensors, on a simulated one and by PyTorch on the CPU: cases_test.py TENSOR_BENCH"""

import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import gpu  # noqa: E402

TENSOR_BENCH = sys.argv.pop(1)
TORCH_BENCH = ["/usr/bin/python3", "-B", pathlib.Path(__file__).with_name("torch_bench.py")]
HAS_TORCH = subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode == 0
CASE_LIMIT = 300  # seconds, of a slow machine


def run(filter="", torch=None):
    results = []
    runs = gpu.run_benchmarks([TENSOR_BENCH, "--tiny"], torch, filter, results.append, lambda what: None, CASE_LIMIT)
    return runs, results


class Cases(unittest.TestCase):
    def test_run_on_a_simulated_gpu_and_beside_torch(self):
        runs, results = run(torch=[*TORCH_BENCH, "--tiny", "--on", "cpu"] if HAS_TORCH else None)
        for row in runs.rows:
            self.assertFalse(row.ours.error, row.name)
            self.assertFalse(row.torch.error, row.name)
            self.assertTrue(row.fields["tensors"], row.name)
        self.assertEqual(bool(runs.torch), HAS_TORCH, runs.why_no_torch)
        self.assertEqual(len(results), 2 * len(runs.rows) + 1 if HAS_TORCH else len(runs.rows))  # PyTorch's version, too
        self.assertTrue(runs.is_complete())
        self.assertEqual([row.name for row in runs.rows[:2]], ["ceiling_matmul_bfloat16_8192", "ceiling_copy_float32"])

    def fields_of(self, name):
        rows = run(name)[0].rows
        self.assertEqual(len(rows), 1, name)
        return rows[0].fields

    def test_have_the_limit_of_what_they_count(self):
        copy = self.fields_of("ceiling_copy")
        self.assertEqual((copy["limited_by"], copy["bytes"]), ("memory", 2 * 4 * 1003))
        self.assertAlmostEqual(copy["limit_ns"], 8024 / 4300, delta=0.01, msg="at 4.3 TB/s")
        for name, rate, why in (("gpt2_step", 790e3, "at 790 TFLOP/s"), ("mlp_step", 67e3, "float32, by the data sheet")):
            step = self.fields_of(name)
            self.assertEqual(step["limited_by"], "arithmetic")
            self.assertAlmostEqual(step["limit_ns"], step["flops"] / rate, delta=0.01, msg=why)
        self.assertEqual(self.fields_of("to_host_pinned")["limit_ns"], 0, "the way to the host is nothing that is counted")

    @unittest.skipUnless(HAS_TORCH, "/usr/bin/python3 has no PyTorch")
    def test_have_the_names_of_pytorchs(self):
        names = [
            sorted(subprocess.run([*program, "--list", "cuda"], capture_output=True, check=True).stdout.split())
            for program in (TORCH_BENCH, [TENSOR_BENCH])
        ]
        self.assertEqual(*names)


if __name__ == "__main__":
    unittest.main()
