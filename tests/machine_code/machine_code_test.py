"""What is read from cubins is what their compiler reports: machine_code_test.py NVCC"""

import contextlib
import io
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import cubins
import instructions
import kernel_names
import machine_code
import passes
import predictions
from cubins import Frame

FOLDER = pathlib.Path(__file__).parent
SAMPLES = 14  # kernels in sample.cu
NVCC = sys.argv.pop()

# Instructions of sm_90 as nvdisasm prints them, with the widths of what they load and store.
INSTRUCTIONS = [
    ("LDG.E.U8 R3, [R2.64]", 0x0000000402037981, 0x000EA2000C1E1100, [(0x181, 1, 2)]),
    ("LDG.E.U16 R3, [R2.64]", 0x0000000402037981, 0x000EA2000C1E1500, [(0x181, 2, 2)]),
    ("LDG.E R11, [R6.64]", 0x00000004060B7981, 0x001EA2000C1E1900, [(0x181, 4, 6)]),
    ("LDG.E.CONSTANT R8, [R8.64+0x10]", 0x0000100408087981, 0x001EE8000C1E9900, [(0x181, 4, 8)]),
    ("LDG.E.64 R2, [R2.64]", 0x0000000402027981, 0x000EA2000C1E1B00, [(0x181, 8, 2)]),
    ("LDG.E.128 R4, [R4.64]", 0x0000000404047981, 0x000EA2000C1E1D00, [(0x181, 16, 4)]),
    ("LDGSTS.E.BYPASS.128 [R7], [R2.64]", 0x0000000002077FAE, 0x000FE2000B901C46, [(0x1AE, 16, 2)]),
    ("STG.E.128 [R2.64], R4", 0x0000000402007986, 0x004FE2000C101D04, [(0x186, 16, 2)]),
    ("STG.E.U8 [R4.64], R3", 0x0000000304007986, 0x004FE2000C101104, [(0x186, 1, 4)]),
    ("STL.128 [R1], R4", 0x0000000401007387, 0x0001E20000100C00, [(0x187, 16, 1)]),
    ("STL [R8], R9", 0x0000000908007387, 0x0001E20000100800, [(0x187, 4, 8)]),
    ("LDL R17, [R2]", 0x0000000002117983, 0x0001620000100800, [(0x183, 4, 2)]),
    ("LDGDEPBAR", 0x00000000000079AF, 0x000E220000000000, []),
    ("@P0 ATOMG.E.ADD.STRONG.GPU PT, R15, [R4.64], R15", 0x0000000F040F09A8, 0x002EA200081EE1C4, []),
]

# Branches as nvdisasm prints them: where they stand, what they are, whether the next instruction may follow, their target.
BRANCHES = [
    (0xC0, "@!P0 BRA 0x150", 0x0000000000208947, 0x000FEA0003800000, True, 0x150),
    (0x220, "BRA 0x220", 0xFFFFFFFC00FC7947, 0x000FC0000383FFFF, False, 0x220),
    (0x40, "EXIT", 0x000000000000794D, 0x000FEA0003800000, False, None),
    (0x40, "@P0 EXIT", 0x000000000000094D, 0x000FEA0003800000, True, None),
]

NAMES = {
    "_ZN7lectern7kernels4cuda11run_threadsINS1_12PackedKernelINS0_7DigammaENS_10SmallFloatILi5ELi10ELj32256ELb1EEE"
    "St16integer_sequenceImJLm0EEEEEEEvT_": (
        "run_threads<PackedKernel<Digamma, float16, 1>>",
        "run_threads<PackedKernel>",
    ),
    "_ZN7lectern7kernels4cuda10run_phasesINS1_6PhasesIJNS1_43_GLOBAL__N__29aa7d75_10_updates_cu_91f0ba0311CountKernel"
    "INS4_9UpdateRowINS0_11AdamFunctorIfLb1ELb1EEEfEEEENS4_12UpdateKernelIS8_fEEEEEEEvT_": (
        "run_phases<Phases<CountKernel<UpdateRow<AdamFunctor<float, true, true>, float>>, "
        "UpdateKernel<AdamFunctor<float, true, true>, float>>>",
        "run_phases<Phases<CountKernel, UpdateKernel>>",
    ),
    "_ZN7lectern7kernels4cuda11run_threadsINS1_39_GLOBAL__N__bdc82cac_7_sort_cu_005096ea9MergePassEEEvT_": (
        "run_threads<MergePass>",
        "run_threads<MergePass>",
    ),
}


def reported(text):
    """What ptxas -v says of each kernel: {name: (registers, frame, spill stores, spill loads)}."""
    pattern = (
        r"Function properties for (\S+)\n"
        r" *(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n"
        r".*Used (\d+) registers"
    )
    return {name: tuple(map(int, (numbers[3], *numbers[:3]))) for name, *numbers in re.findall(pattern, text)}


class Reading(unittest.TestCase):
    def test_instructions(self):
        for text, low, high, accesses in INSTRUCTIONS:
            with self.subTest(text):
                self.assertEqual(list(cubins.accesses(struct.pack("<QQ", low, high))), accesses)

    def test_unknown_width(self):
        with self.assertRaisesRegex(cubins.Unreadable, "unknown width"):
            list(cubins.accesses(struct.pack("<QQ", 0x0000000402037981, 0x000EA2000C1E1F00)))

    def test_branches(self):
        for place, text, low, high, falls_through, target in BRANCHES:
            with self.subTest(text):
                last = instructions.instructions(struct.pack("<QQ", low, high) * (place // instructions.SIZE + 1))[-1]
                self.assertEqual(last.falls_through, falls_through)
                self.assertEqual(last.target and last.target * instructions.SIZE, target)

    def test_widths_of_shared_memory(self):
        for text, opcode, high, width in (
            ("LDS.128", instructions.LDS, 0x000E280000000C00, 16),
            ("LDSM.16.M88.4", instructions.LDSM, 0x000E280000000200, 16),
            ("LDSM.16.M88.2", instructions.LDSM, 0x000E280000000100, 8),
            ("SHFL.BFLY", instructions.SHFL, 0x000E2800000E0000, 4),
        ):
            with self.subTest(text):
                self.assertEqual(instructions.width(opcode, high), width)

    def test_names(self):
        self.assertEqual(kernel_names.short_names(NAMES), [short for short, _ in NAMES.values()])
        self.assertEqual([kernel_names.family(short) for short, _ in NAMES.values()], [of for _, of in NAMES.values()])


class Comparing(unittest.TestCase):
    LISTED = {("a.cu", "f"): Frame(16, 8, 8, 0), ("a.cu", "g"): Frame(40, 0, 24, 16), ("b.cu", "f"): Frame(8, 4, 4, 0)}

    def expect(self, changes, more, less):
        frames = {key: frame for key, frame in {**self.LISTED, **changes}.items() if frame}
        self.assertEqual(machine_code.compare(self.LISTED, frames), (more, less))

    def test_the_same(self):
        self.expect({}, [], [])

    def test_another_kernel(self):
        self.expect({("b.cu", "g"): Frame(8, 0, 0, 0)}, [("b.cu", "g")], [])

    def test_more_of_anything(self):
        for i in range(4):
            frame = [*self.LISTED["a.cu", "f"]]
            frame[i] += 4
            self.expect({("a.cu", "f"): Frame(*frame)}, [("a.cu", "f")], [])

    def test_less(self):
        self.expect({("a.cu", "f"): Frame(16, 8, 4, 0)}, [], [("a.cu", "f")])
        self.expect({("a.cu", "f"): None}, [], [("a.cu", "f")])

    def test_another_name(self):
        self.expect({("a.cu", "f"): None, ("a.cu", "h"): Frame(16, 8, 8, 0)}, [], [("a.cu", "f")])
        self.expect({("a.cu", "f"): None, ("b.cu", "h"): Frame(16, 8, 8, 0)}, [("b.cu", "h")], [("a.cu", "f")])
        two = {("a.cu", "h"): Frame(16, 8, 8, 0), ("a.cu", "i"): Frame(16, 8, 8, 0)}
        self.expect({("a.cu", "f"): None, **two}, [("a.cu", "i")], [("a.cu", "f")])


class Compiled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.object = str(pathlib.Path(cls.folder.name) / "sample.cu.o")
        cls.table = pathlib.Path(cls.folder.name) / "table.txt"
        options = ["-arch=sm_90", "--compress-mode=size", "-Xptxas=-v", "-o", cls.object]
        nvcc = subprocess.run([NVCC, *options, "-c", FOLDER / "sample.cu"], stderr=subprocess.PIPE, text=True, check=True)
        cls.report = nvcc.stderr

    def run_main(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = machine_code.main([str(argument) for argument in arguments])
        return status, output.getvalue()

    def predict(self, name):
        found, _, _ = machine_code.read(90, [self.object])
        return predictions.predict(found["sample.cu", name].code)

    def test_branches_go_to_instructions(self):
        for _, cubin in cubins.cubins(self.object):
            for kernel in cubins.kernels(cubin):
                listed = instructions.instructions(kernel.code)
                targets = [one.target for one in listed if one.target is not None]
                self.assertTrue(all(0 <= target < len(listed) for target in targets), kernel.name)

    def test_a_pass_is_a_whole_pack(self):
        one = self.predict("add_packs")
        self.assertEqual((one.loads, one.stores, one.operations, one.repeats), (32, 16, 0, False))
        self.assertLess(one.instructions, 32)
        self.assertEqual(one.of_limit, 1)
        self.assertEqual(one.rate, "4300 GB/s")

    def test_without_a_loop_it_is_the_whole_kernel(self):
        one = self.predict("copy<float4>")
        self.assertEqual((one.loads, one.stores), (16, 16))

    def test_arithmetic_takes_longer(self):
        one = self.predict("multiply_often")
        self.assertEqual((one.loads, one.stores, one.unit, one.repeats), (16, 16, "double", False))
        self.assertAlmostEqual(one.busy, 2 * 128 / 2, delta=4)
        self.assertAlmostEqual(one.memory, 32 * 32 * 132 * 1.98e9 / 4.3e12)
        self.assertAlmostEqual(one.of_limit, one.memory / one.busy)

    def test_what_is_called_for_rare_values_does_not_count(self):
        found, _, _ = machine_code.read(90, [self.object])
        opcodes = [one.opcode for one in passes.Code(found["sample.cu", "multiply_often"].code).one_pass().instructions]
        self.assertNotIn(instructions.CALL, opcodes)

    def test_loops_that_need_not_run_are_left_out(self):
        one = self.predict("add_dimensions")
        self.assertEqual((one.loads, one.stores, one.repeats), (16, 16, False))
        self.assertLess(one.instructions, 20)

    def test_loops_within_are_marked(self):
        self.assertTrue(self.predict("repeat").repeats)

    def test_products(self):
        one = self.predict("multiply_tiles")
        self.assertEqual(one.operations, 2 * 16 * 16 * 16)
        self.assertAlmostEqual(one.limit, one.operations / 790e12 * 132 * 1.98e9)
        one = self.predict("multiply_float_tiles")
        self.assertEqual((one.operations, one.loads, one.stores), (2 * 32 * 4 * 16, 0, 0))
        self.assertRegex(one.rate, r"^\d+ TFLOP/s$")

    def test_table_of_predictions(self):
        table = self.table.with_name("predictions.txt")
        self.assertEqual(predictions.main([str(table), "90", self.object]), 0)
        text = table.read_text(encoding="utf-8")
        self.assertIn(f"What {SAMPLES} CUDA kernels take at best", text)
        rows, listed = text.split("The kernels whose busiest unit")
        self.assertRegex(rows, r"\nsample.cu +1  32 +16 .* 1\.00  add_packs\n")
        self.assertRegex(listed, r"\n +16 +16 .* GB/s +sample.cu +multiply_often\n")
        self.assertNotIn("add_packs", listed)

    def test_predictions_of_what_is_no_object_fail(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(predictions.main([str(self.table), "90", str(FOLDER / "sample.cu")]), 2)
        self.assertIn("neither an object nor a library nor a program", errors.getvalue())

    def write(self, **changes):
        """A table of the sample, with changed lines of its list of frames."""
        self.table.unlink(missing_ok=True)
        self.assertEqual(self.run_main("write", self.table, 90, self.object), (0, ""))
        text = self.table.read_text(encoding="utf-8")
        for old, new in changes.items():
            text = re.sub(rf".*sample\.cu +{old}\n", new, text)
        self.table.write_text(text, encoding="utf-8")
        return text

    def check(self):
        return self.run_main("check", self.table, self.object)

    def test_is_what_ptxas_reports(self):
        expected = reported(self.report)
        found = [kernel for _, cubin in cubins.cubins(self.object) for kernel in cubins.kernels(cubin)]
        self.assertEqual(len(found), SAMPLES)
        self.assertEqual({kernel.name for kernel in found}, set(expected))
        for kernel in found:
            with self.subTest(kernel.name):
                registers, frame, stored, loaded = expected[kernel.name]
                self.assertEqual((kernel.registers, kernel.frame.size), (registers, frame))
                if not kernel.frame.indexed:
                    self.assertEqual((kernel.frame.stored, kernel.frame.loaded), (stored, loaded))

    def test_widths(self):
        found, _, _ = machine_code.read(90, [self.object])
        for name, width in (("uint8", 1), ("int16", 2), ("float", 4), ("double", 8), ("float4", 16)):
            copy = found["sample.cu", f"copy<{name}>"]
            self.assertEqual((copy.loads, copy.stores), ({width: 1}, {width: 1}), name)
        self.assertEqual(found["sample.cu", "copy_through_shared"].loads, {16: 1})
        self.assertGreater(found["sample.cu", "spill"].frame.stored, 0)
        self.assertEqual(found["sample.cu", "spill"].frame.indexed, 0)
        self.assertGreater(found["sample.cu", "index_array"].frame.indexed, 0)

    def test_list_names_every_kernel(self):
        status, output = self.run_main("list", 90, self.object)
        self.assertEqual(status, 0)
        self.assertEqual(output.count("sample.cu  "), SAMPLES)

    def test_what_is_listed_passes(self):
        self.write()
        status, output = self.check()
        self.assertEqual(status, 0, output)
        self.assertEqual(output, f"{SAMPLES} kernels, 2 of them with a stack frame, as {self.table} lists them\n")

    def test_a_new_frame_fails_and_is_not_written(self):
        text = self.write(spill="")
        for status, output in (self.check(), self.run_main("write", self.table, 90, self.object)):
            self.assertEqual(status, 1)
            self.assertRegex(output, r"sample.cu  spill\n  had no stack frame\n  has a stack frame of \d+ bytes, \d+ st")
        self.assertEqual(self.table.read_text(encoding="utf-8"), text)

    def test_a_larger_frame_fails(self):
        self.write(spill="  8  4  4  0  sample.cu  spill\n")
        status, output = self.check()
        self.assertEqual(status, 1)
        self.assertIn("had a stack frame of 8 bytes, 4 stored and 4 loaded at fixed places", output)

    def test_a_list_that_can_shrink_fails_and_is_written(self):
        self.write(spill="  999  999  999  0  sample.cu  spill\n")
        status, output = self.check()
        self.assertEqual(status, 1)
        self.assertIn(machine_code.REWRITE, output)
        self.assertEqual(self.run_main("write", self.table, 90, self.object), (0, ""))
        self.assertEqual(self.check()[0], 0)

    def test_changed_rows_are_told(self):
        text = self.write()
        self.table.write_text(text.replace("copy_through_shared", "copy_through_registers"), encoding="utf-8")
        status, output = self.check()
        self.assertEqual(status, 0)
        self.assertIn("Other rows of it have changed", output)

    def test_another_compiler_is_skipped(self):
        text = self.write(spill="")
        self.table.write_text(re.sub("ptxas [0-9.]+", "ptxas 1.2.3", text), encoding="utf-8")
        status, output = self.check()
        self.assertEqual(status, 77)
        self.assertIn("sample.cu  spill\n", output)
        self.assertRegex(output, "skipped: ptxas 1.2.3 made .*\nMore on stack frames have 1 of them, less 0.")

    def test_another_architecture_is_skipped(self):
        text = self.write()
        self.table.write_text(text.replace("sm_90", "sm_80"), encoding="utf-8")
        status, output = self.check()
        self.assertEqual(status, 77)
        self.assertIn("is for sm_80, the kernels are for [90]", output)

    def test_no_kernel_fails(self):
        self.write()
        status, output = self.run_main("check", self.table, sys.executable)
        self.assertEqual(status, 2)
        self.assertIn("no kernel in 1 files; ", output)

    def test_no_table_fails(self):
        status, output = self.run_main("check", self.object + ".txt", self.object)
        self.assertEqual(status, 2)
        self.assertIn("No such file", output)


if __name__ == "__main__":
    unittest.main()
