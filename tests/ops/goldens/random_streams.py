#!/usr/bin/python3
"""What PyTorch's CPU generator draws, as programs that tests/ops/random_test.cpp repeats.

  random_streams.py > random_streams.json     the goldens, the same at each run
  random_streams.py --live NUMBER     fresh programs, other ones for each number

A program is a seed and calls that draw from one generator one after the other; with each call stands what came, the
bytes of the whole storage in hexadecimal. A tensor is a view of a zeroed storage: sizes, strides, offset, storage (its
number of elements). It takes the PyTorch 1.13 that Debian packages, whose vectorised loops fuse multiplication and
addition; exit status 77 says that this one is another.
"""

import argparse
import ctypes
import json
import random
import sys

try:
    import torch
except ImportError:
    print("there is no torch", file=sys.stderr)
    sys.exit(77)
version = getattr(torch, "__version__", "none, an empty folder")
if not version.startswith("1.13") or "USE_MKL=ON" in torch.__config__.show():
    print("torch is " + version + ", or with MKL: not Debian's 1.13", file=sys.stderr)
    sys.exit(77)
if "CPU capability usage: AVX" not in torch.__config__.show():
    print("torch does not fuse on this processor", file=sys.stderr)
    sys.exit(77)

FLOATS = ["float64", "float32", "float16", "bfloat16"]
INTEGERS = ["int64", "int32", "int16", "int8", "uint8"]
SEEDS = [0, 42, -1, 2**33 + 5]
SIZES = [0, 1, 7, 15, 16, 17, 31, 32, 33, 100]


def dense(*sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return {"sizes": list(sizes), "strides": strides, "offset": 0, "storage": step if 0 not in sizes else 0}


def permuted(sizes, order):
    """A dense tensor of `sizes` with its dimensions in another order."""
    made = dense(*sizes)
    made["sizes"] = [made["sizes"][i] for i in order]
    made["strides"] = [made["strides"][i] for i in order]
    return made


def sliced(layout, dim, start, step):
    length = layout["sizes"][dim]
    made = {**layout, "sizes": list(layout["sizes"]), "strides": list(layout["strides"])}
    made["offset"] += start * layout["strides"][dim]
    made["sizes"][dim] = max(0, (length - start + step - 1) // step)
    made["strides"][dim] *= step
    return made


STRIDED = [
    permuted([5, 4], [1, 0]),
    permuted([2, 3, 5], [2, 0, 1]),
    sliced(dense(40), 0, 0, 2),
    sliced(dense(4, 9), 1, 2, 3),
    sliced(sliced(permuted([3, 6, 4], [1, 2, 0]), 0, 1, 2), 1, 0, 3),
]


def make(layout, dtype):
    storage = torch.zeros(layout["storage"], dtype=getattr(torch, dtype))
    return storage, torch.as_strided(storage, layout["sizes"], layout["strides"], layout["offset"])


def hexadecimal(tensor):
    tensor = tensor.contiguous()
    count = tensor.numel() * tensor.element_size()
    return ctypes.string_at(tensor.data_ptr(), count).hex() if count else ""


class Program:
    """Draws as it is written."""

    def __init__(self, seed):
        self.seed = seed
        self.calls = []
        torch.manual_seed(seed)

    def add(self, name, result, arguments=(), **more):
        self.calls.append({"call": name, "arguments": list(arguments), **more, "bytes": result})

    def fill(self, name, layout, dtype, *arguments):
        """An in-place method, or trunc_normal_."""
        storage, tensor = make(layout, dtype)
        if name == "trunc_normal_":
            torch.nn.init.trunc_normal_(tensor, *arguments)
        else:
            getattr(tensor, name)(*arguments)
        self.add(name, hexadecimal(storage), arguments, dtype=dtype, **layout)

    def like(self, name, layout, dtype):
        """rand_like or randn_like: a dense tensor's strides are kept."""
        made = getattr(torch, name)(make(layout, dtype)[1])
        self.add(name, hexadecimal(made.as_strided([made.numel()], [1])), dtype=dtype, **layout)

    def bernoulli_of(self, layout, dtype, p_layout, p_dtype, numbers):
        """bernoulli_ with a tensor of probabilities."""
        storage, tensor = make(layout, dtype)
        p_storage, p = make(p_layout, p_dtype)
        p_storage.copy_(torch.tensor([numbers.random() for _ in range(p_storage.numel())], dtype=torch.float64))
        tensor.bernoulli_(p)
        p_json = {"dtype": p_dtype, **p_layout, "bytes": hexadecimal(p_storage)}
        self.add("bernoulli_of", hexadecimal(storage), dtype=dtype, **layout, p=p_json)

    def create(self, name, sizes, dtype, *arguments):
        """rand, randn, randint or randperm."""
        made = getattr(torch, name)(*arguments, *([sizes] if sizes is not None else []), dtype=getattr(torch, dtype))
        self.add(name, hexadecimal(made), arguments, dtype=dtype, sizes=sizes or [])

    def multinomial(self, layout, dtype, samples, replacement, numbers, zeros=0):
        """Every third weight, `zeros` of them, is 0."""
        storage, weights = make(layout, dtype)
        values = [numbers.random() + 0.01 for _ in range(storage.numel())]
        values[1:1 + 3 * zeros:3] = [0] * len(values[1:1 + 3 * zeros:3])
        storage.copy_(torch.tensor(values, dtype=torch.float64))
        drawn = torch.multinomial(weights, samples, replacement)
        self.add("multinomial", hexadecimal(drawn), [samples, replacement], dtype=dtype, **layout,
                 weights=hexadecimal(storage))

    def state(self):
        """The FNV-1a hash of the generator's own bytes."""
        hashed = 0xCBF29CE484222325
        for byte in torch.default_generator.get_state().tolist():
            hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
        self.add("state", f"{hashed:016x}")

    def document(self):
        self.state()
        return {"seed": self.seed, "calls": self.calls}


# How each dtype's integers are drawn: 32 and 64 bits, bounds that a floating dtype does not hold.
BOUNDS = {
    "float64": [(-5, 10), (0, 2**40), (-2**53 - 1, 2**53 + 1)],
    "float32": [(-5, 10), (2**24 - 3, 2**24 + 8), (0, 2**33), (-2**25 - 1, 2**25 + 1)],
    "float16": [(-5, 10), (0, 4001), (-4001, 2)],
    "bfloat16": [(-5, 10), (0, 600), (0, 2**34)],
    "int64": [(0, 10), (-5, 2**32 - 5), (-5, 2**32 - 6), (-2**63, 2**63 - 1)],
    "int32": [(0, 10), (-2**31, 2**31 - 1)],
    "int16": [(-300, 7)],
    "int8": [(-128, 127)],
    "uint8": [(0, 256)],
    "bool": [(0, 2)],
}


def goldens():
    numbers = random.Random(1)
    for seed in SEEDS:
        program = Program(seed)
        for name in "uniform_", "normal_":
            for dtype in FLOATS:
                for size in SIZES if dtype == "float32" else [1, 15, 16, 33]:
                    program.fill(name, dense(size), dtype)
        yield program

    program = Program(42)
    for dtype in FLOATS:
        for layout in STRIDED:
            program.fill("uniform_", layout, dtype, -3.5, 1.25)
            program.fill("normal_", layout, dtype, 0.5, 2.25)
        for layout in STRIDED[:3]:
            program.fill("exponential_", layout, dtype, 0.7)
            program.like("rand_like", layout, dtype)
            program.like("randn_like", layout, dtype)
        program.fill("normal_", dense(17), dtype, -1, 0.02)
        program.fill("normal_", dense(200), dtype, 0.3, 1.7)
        program.fill("uniform_", dense(50), dtype, -0.3, 1.7)
        program.fill("exponential_", dense(9), dtype)
        if dtype != "float16":
            program.fill("trunc_normal_", dense(20), dtype)
            program.fill("trunc_normal_", STRIDED[0], dtype, 0.1, 0.02, -0.03, 0.2)
    yield program

    program = Program(7)
    for dtype, bounds in BOUNDS.items():
        program.fill("random_", dense(6), dtype)
        for low, high in bounds:
            program.fill("random_", STRIDED[2], dtype, low, high)
        if dtype in ("int64", "float64", "float32", "bfloat16"):
            program.fill("random_", dense(6), dtype, -2**63, None)
        if dtype not in ("float16", "int64"):
            program.fill("random_", dense(6), dtype, 1, None)
        if dtype != "bool":
            program.create("randperm", None, dtype, 20)
        if dtype != "float16":
            program.fill("bernoulli_", STRIDED[1], dtype, 0.3)
            for p_dtype in "float64", "float32", "bfloat16":
                program.bernoulli_of(STRIDED[0], dtype, dense(4, 5), p_dtype, numbers)
    for n in 0, 1, 2, 100:
        program.create("randperm", None, "int64", n)
    yield program

    program = Program(-1)
    for dtype in "float64", "float32", "bfloat16":
        for layout in dense(30), dense(2, 70), STRIDED[0]:
            for samples, replacement in (1, True), (10, True), (1, False), (4, False):
                program.multinomial(layout, dtype, samples, replacement, numbers)
        program.multinomial(dense(300), dtype, 3, False, numbers)
        program.multinomial(dense(20), dtype, 18, False, numbers, zeros=6)
    yield program

    # The second value of a pair survives what takes no pairs.
    program = Program(2**63)
    program.create("randn", [3], "float32")
    program.create("rand", [5], "float32")
    program.create("randn", [50], "float32")
    program.create("randint", [4], "int64", 10)
    program.create("randn", [1], "float64")
    program.create("randn", [2], "float16")
    program.create("randint", [4], "float32", -7, 7)
    program.create("rand", [2, 3], "bfloat16")
    program.create("randn", [4, 4], "bfloat16")
    program.create("randn", [2], "float32")
    yield program


def any_layout(numbers):
    kind = numbers.randrange(5)
    if kind == 0:
        return dense(numbers.choice(SIZES + [numbers.randrange(2000)]))
    sizes = [numbers.randrange(1, 9) for _ in range(numbers.randrange(1, 4))]
    if kind == 1:
        return dense(*sizes)
    layout = permuted(sizes, numbers.sample(range(len(sizes)), len(sizes)))
    if kind == 2:
        return layout
    for _ in range(kind - 2):
        dim = numbers.randrange(len(sizes))
        layout = sliced(layout, dim, numbers.randrange(layout["sizes"][dim] or 1), numbers.randrange(1, 4))
    return layout


def live(number):
    numbers = random.Random(number)
    for _ in range(40):
        program = Program(numbers.choice([numbers.randrange(2**64) - 2**63, numbers.randrange(2**32)]))
        for _ in range(12):
            layout, real = any_layout(numbers), numbers.choice(FLOATS)
            dtype = numbers.choice(list(BOUNDS))
            kind = numbers.randrange(10)
            if kind == 0:
                program.fill("uniform_", layout, real, numbers.uniform(-9, 0), numbers.uniform(0, 9))
            elif kind in (1, 2):
                program.fill("normal_", layout, real, numbers.uniform(-9, 9), numbers.uniform(0, 9))
            elif kind == 3:
                program.fill("exponential_", layout, real, numbers.uniform(0.1, 9))
            elif kind == 4 and real != "float16":
                program.fill("trunc_normal_", layout, real, 0, numbers.uniform(0.1, 3), -2, numbers.uniform(0, 2))
            elif kind == 5:
                program.fill("random_", layout, dtype, *numbers.choice([(), *BOUNDS[dtype]]))
            elif kind == 6 and dtype != "float16":
                program.fill("bernoulli_", layout, dtype, numbers.random())
            elif kind == 7 and dtype != "float16":
                p_layout = dense(*layout["sizes"])
                program.bernoulli_of(layout, dtype, p_layout, numbers.choice(["float64", "float32", "bfloat16"]), numbers)
            elif kind == 8:
                program.create("randperm", None, "int64", numbers.randrange(300))
            elif kind == 9 and real != "float16":
                categories, replacement = numbers.randrange(1, 400), numbers.random() < 0.5
                samples = numbers.randrange(1, 50 if replacement else min(categories, 50) + 1)
                program.multinomial(dense(numbers.randrange(1, 4), categories), real, samples, replacement, numbers)
        yield program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--live", type=int, metavar="NUMBER")
    number = parser.parse_args().live
    programs = [program.document() for program in (goldens() if number is None else live(number))]
    lines = []
    for program in programs:
        calls = ",\n".join(json.dumps(call, separators=(",", ":")) for call in program["calls"])
        lines.append('{"seed":%d,"calls":[\n%s]}' % (program["seed"], calls))
    print("[" + ",\n".join(lines) + "]")


main()
