"""How long the CUDA kernels take at best by their machine code, beside the limit: predicted, not measured.

predictions.py TABLE ARCHITECTURE FILE…  writes the table for the kernels of objects, shared libraries or programs

ARCHITECTURE is 90 for sm_90, the only one whose instructions are known here. Exit statuses: 0 done, 2 something could
not be read or written.
"""

import argparse
import collections
import pathlib
import sys
import typing

from cubins import LOADS, STORES, Unreadable
from instructions import FFMA, HMMA, UNIT_OF
from kernel_names import family
from machine_code import DONE, FAILED, read, span
from passes import Code

WARP = 32
# How many lanes a multiprocessor serves in a cycle, compute capability 9.0: "Throughput of Native Arithmetic
# Instructions" in the CUDA C++ Programming Guide.
LANES = {"float": 128, "half": 128, "integer": 64, "multiply": 64, "double": 64, "special": 16}
ISSUED = 4  # instructions of a warp in a cycle: each of the schedulers issues one
SHARED_BYTES = 128  # of shared memory in a cycle
# A warp's HMMA.16816 takes a cycle of the tensor cores by the data sheet. By mma.sync they reach 62.9 % of that: Luo et
# al. (2024), "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture".
HMMA_CYCLES = 1 / 0.629

# An H200: the clock is that of the data sheet's float32, the bandwidth that of a copy, the products of 16 bits those of
# cuBLAS, as in tests/bench/limits.cpp.
MULTIPROCESSORS = 132
CLOCK = 1.98e9
BANDWIDTH = 4.3e12
# Of a product: the operations of a warp's instruction, how many there can be in a second.
PRODUCTS = {HMMA: (4096, 790e12), FFMA: (2 * WARP, 67e12)}

BY_ARITHMETIC = 0.8  # of the limit's time; from there on a kernel is listed

HEADING = """\
What {count} CUDA kernels take at best on an H200 by their machine code for sm_{architecture}: predicted, not measured.
Read from the cubins, without a GPU, by tests/machine_code. Written anew by
    cmake --preset cuda && ninja -C build/cuda machine-code-table

A pass is what a warp does again and again: whole packs, with all that is optional (tests/machine_code/passes.py). Its
loads and stores are bytes of a thread, those that caches give included. A + marks instructions that a loop within the
pass repeats: it takes more time than is said here. `busiest` is the unit of a multiprocessor that the pass keeps busy
longest (`issue`: every instruction takes a turn of a scheduler), `cycles` for how long. `limit` is how long its bytes
take at the {bandwidth:.1f} TB/s of a copy or, where it multiplies tiles, its products at {half:.0f} TFLOP/s on tensor cores (cuBLAS's)
or {single:.0f} without them. A pass takes at least the longer of the two; `of limit` is the limit relative to that. Latencies
come on top, and that warps wait for each other: tests/bench/README.md sets what was measured beside it.

A row has the kernels of one struct in a source, from the least to the most; `busiest` is that of the slowest one.
"""
ROWS = "source                              kernels  loads    stores   instructions  busiest   cycles     limit      of limit  kernel"
ROW = "{:<34}  {:>7}  {:<7}  {:<7}  {:>12}  {:<8}  {:>9}  {:>9}  {:>8}  {}"
LIST_HEADING = """
The kernels whose busiest unit takes more than {share:.0%} of the limit's time, and those that multiply tiles:
"""
LIST = "loads  stores  instructions  busiest   cycles   limit  of limit  rate          source                              kernel"
LINE = "{:>5}  {:>6}  {:>12}  {:<8}  {:>6.0f}  {:>6.0f}  {:>8.2f}  {:<12}  {:<34}  {}"


class Prediction(typing.NamedTuple):
    """Of a warp's pass; times in cycles of a multiprocessor."""

    loads: int  # bytes of a thread
    stores: int
    operations: int  # of the warp's products
    limit: float
    instructions: int
    repeats: bool  # some of them
    unit: str  # the busiest
    busy: float

    @property
    def memory(self):
        return cycles((self.loads + self.stores) * WARP, BANDWIDTH)

    @property
    def time(self):
        return max(self.busy, self.memory)

    @property
    def of_limit(self):
        return min(1, self.limit / self.time)

    @property
    def rate(self):
        seconds = self.time / (MULTIPROCESSORS * CLOCK)
        if self.operations:
            return f"{self.operations / seconds / 1e12:.0f} TFLOP/s"
        return f"{(self.loads + self.stores) * WARP / seconds / 1e9:.0f} GB/s"


def cycles(amount, a_second):
    """Of all multiprocessors' ones, in which each has done its share."""
    return amount / a_second * MULTIPROCESSORS * CLOCK


def busy_times(instructions):
    """{unit: cycles}."""
    times = collections.Counter(issue=len(instructions) / ISSUED)
    for one in instructions:
        unit = UNIT_OF.get(one.opcode)
        if unit == "tensor":
            times[unit] += HMMA_CYCLES
        elif unit == "shared":
            times[unit] += WARP * max(one.width, 4) / SHARED_BYTES
        elif unit:
            times[unit] += WARP / LANES[unit]
    return times


def predict(code):
    instructions, repeats, products = Code(code).one_pass()
    loads = sum(one.width for one in instructions if one.opcode in LOADS)
    stores = sum(one.width for one in instructions if one.opcode in STORES)
    of_one, a_second = PRODUCTS.get(products, (0, 1))
    operations = of_one * sum(one.opcode == products for one in instructions)
    limit = cycles(operations, a_second) or cycles((loads + stores) * WARP, BANDWIDTH)
    unit, busy = max(busy_times(instructions).items(), key=lambda item: item[1])
    return Prediction(loads, stores, operations, limit, len(instructions), repeats, unit, busy)


def rounded(values):
    return span([round(value) for value in values])


def fractions(values):
    low, high = (f"{value:.2f}" for value in (min(values), max(values)))
    return low if low == high else f"{low}–{high}"


def rows(predictions):
    groups = collections.defaultdict(list)
    for (source, name), prediction in predictions.items():
        groups[source, family(name)].append(prediction)
    for (source, struct), group in sorted(groups.items()):
        yield ROW.format(
            source,
            len(group),
            rounded([one.loads for one in group]),
            rounded([one.stores for one in group]),
            rounded([one.instructions for one in group]) + "+" * any(one.repeats for one in group),
            min(group, key=lambda one: one.of_limit).unit,
            rounded([one.busy for one in group]),
            rounded([one.limit for one in group]),
            fractions([one.of_limit for one in group]),
            struct,
        )


def lines(predictions):
    for (source, name), one in sorted(predictions.items()):
        if one.limit and (one.operations or one.busy > BY_ARITHMETIC * one.limit):
            count = f"{one.instructions}{'+' * one.repeats}"
            times = one.busy, one.limit, one.of_limit, one.rate
            yield LINE.format(one.loads, one.stores, count, one.unit, *times, source, name)


def table_of(found, architecture):
    predictions = {key: predict(kernel.code) for key, kernel in found.items()}
    heading = HEADING.format(
        count=len(found), architecture=architecture, bandwidth=BANDWIDTH / 1e12,
        half=PRODUCTS[HMMA][1] / 1e12, single=PRODUCTS[FFMA][1] / 1e12,
    )
    listed = LIST_HEADING.format(share=BY_ARITHMETIC)
    return "\n".join([heading, ROWS, *rows(predictions), listed, LIST, *lines(predictions)]) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("architecture", type=int, choices=[90])
    parser.add_argument("files", nargs="+")
    parsed = parser.parse_args(arguments)
    try:
        found, _, _ = read(parsed.architecture, parsed.files)
        parsed.table.write_text(table_of(found, parsed.architecture), encoding="utf-8")
    except (Unreadable, OSError) as error:
        print(f"predictions: {error}", file=sys.stderr)
        return FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
