#!/usr/bin/python3
"""What PyTorch prints, for tests/tensor/print_test.cpp.

  printed.py > printed.json       the goldens, the same at each run
  printed.py --live NUMBER        fresh tensors, other ones for each number

A tensor is a view of a storage: dtype, the storage's bytes in hexadecimal, sizes, strides, offset. With it stand the
options of torch.set_printoptions that differ from the defaults, and what was printed. PyTorch 1.13 has no float8: such a
tensor is printed as the float16 one of the same numbers, as PyTorch 2 does it, with the dtype's own name. It takes the
PyTorch 1.13 that Debian packages; exit status 77 says that this one is another.
"""

import argparse
import json
import random
import sys

try:
    import torch
    import torch._tensor_str as printing
except ImportError:
    sys.exit(77)
if not torch.__version__.startswith("1.13"):
    sys.exit(77)

INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
NAMES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]
NAN, INF = float("nan"), float("inf")


def hexadecimal(flat):
    """The bytes of a contiguous tensor of one dimension."""
    size = flat.element_size()
    if flat.dtype == torch.bool:
        words = [int(x) for x in flat.tolist()]
    else:
        words = flat.view(INTEGERS[size]).tolist()
    return b"".join((word & (256**size - 1)).to_bytes(size, "little") for word in words).hex()


def case(flat, sizes=None, strides=None, offset=0, **options):
    view = flat.view(sizes) if strides is None and sizes is not None else flat
    if strides is not None:
        view = flat.as_strided(sizes, strides, offset)
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    return {
        "dtype": str(flat.dtype).removeprefix("torch."),
        "storage": hexadecimal(flat),
        "sizes": list(view.shape),
        "strides": list(view.stride()),
        "offset": offset,
        "options": options,
        "text": str(view),
    }


def float8_number(bits, exponent_bits, mantissa_bits):
    bias = 2 ** (exponent_bits - 1) - 1
    sign = -1.0 if bits & 128 else 1.0
    exponent = bits >> mantissa_bits & (2**exponent_bits - 1)
    mantissa = bits & (2**mantissa_bits - 1)
    if exponent_bits == 5 and exponent == 31:
        return sign * INF if mantissa == 0 else NAN
    if exponent_bits == 4 and exponent == 15 and mantissa == 7:
        return NAN
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa / 2**mantissa_bits) * 2.0 ** (exponent - bias)


def float8_case(name, bits, sizes):
    exponent_bits, mantissa_bits = (4, 3) if name == "float8_e4m3fn" else (5, 2)
    numbers = torch.tensor([float8_number(b, exponent_bits, mantissa_bits) for b in bits], dtype=torch.float16)
    torch.set_printoptions(profile="default")
    indent = len("tensor(")
    text = printing._tensor_str(numbers.view(sizes), indent)
    strides = list(numbers.view(sizes).stride())
    return {
        "dtype": name,
        "storage": bytes(bits).hex(),
        "sizes": sizes,
        "strides": strides,
        "offset": 0,
        "options": {},
        "text": printing._add_suffixes("tensor(" + text, [f"dtype=torch.{name}"], indent, force_newline=False),
    }


def goldens():
    f = lambda *numbers, dtype=torch.float32: torch.tensor(numbers, dtype=dtype)
    random_floats = lambda n, scale=1.0: torch.randn(n, generator=torch.Generator().manual_seed(n)) * scale
    yield case(f(1.0, 2, 3, 4, 5, 6), [2, 3])
    yield case(f(3.5), [])
    yield case(f(-0.0), [])
    yield case(f(NAN), [])
    yield case(f(INF), [1])
    yield case(f(0.0, 0.0, -0.0))
    yield case(f(NAN, 1, INF, -INF))
    yield case(f(NAN, 1.5, INF, -INF))
    yield case(f(NAN, 1e-9, INF, -INF, 0))
    yield case(f(NAN, 1e9, INF, -INF, 0))
    yield case(f(-NAN, NAN))
    yield case(f(1.0, 1001.0))
    yield case(f(1.0, 1000.0))
    yield case(f(1e8, 1e8))
    yield case(f(2e8, 2e8))
    yield case(f(0.0001, 0.05))
    yield case(f(0.00009999, 0.05))
    yield case(f(1e-38, 1e38))
    yield case(f(1.401298464324817e-45))
    yield case(f(0.1, 0.2, 0.3))
    yield case(f(0.00005, 0.00015, 0.5))
    yield case(f(0.12345, 0.12355, 99.99995))
    yield case(f(-1.0, 10.0, 100.0))
    yield case(f(1e-100, 1e100, dtype=torch.float64))
    yield case(f(1.0, 2.5, dtype=torch.float64))
    yield case(f(1.7976931348623157e308, dtype=torch.float64))
    yield case(f(1.0, 2.5, dtype=torch.float16))
    yield case(f(65504.0, 6e-8, dtype=torch.float16))
    yield case(f(1.0, 3.140625, dtype=torch.bfloat16))
    yield case(f(3e38, 1.0, dtype=torch.bfloat16))
    for dtype in [torch.int64, torch.int32, torch.int16, torch.int8]:
        yield case(f(-1, 2, 100, dtype=dtype))
    yield case(f(0, 255, 7, dtype=torch.uint8))
    yield case(f(-(2**63), 2**63 - 1, dtype=torch.int64))
    yield case(f(True, False, dtype=torch.bool))
    yield case(f(True, dtype=torch.bool), [])
    yield case(f(7, dtype=torch.int8), [])
    for sizes in [[0], [0, 3], [2, 0, 3]]:
        for dtype in [torch.float32, torch.float64, torch.int64, torch.bool]:
            yield case(torch.empty(0, dtype=dtype), sizes)
    yield case(torch.arange(30))
    yield case(torch.arange(1000))
    yield case(torch.arange(1001))
    yield case(torch.arange(1001, dtype=torch.int16))
    yield case(torch.arange(1001).float())
    yield case(random_floats(1001))
    yield case(random_floats(48), [4, 12])
    yield case(random_floats(60), [3, 20])
    yield case(random_floats(60).double(), [3, 20])
    yield case(random_floats(24), [2, 3, 4])
    yield case(random_floats(16), [2, 2, 2, 2])
    yield case(random_floats(1200), [12, 100])
    yield case(random_floats(1500, 1e6), [5, 300])
    yield case(random_floats(1100).half(), [100, 11])
    yield case(random_floats(64), [8, 8, 8, 8], [8, 0, 1, 0])
    yield case(random_floats(1002), [2, 501])
    yield case(random_floats(1002), [501, 2])
    yield case(random_floats(30), [7, 1, 1, 1], [3, 1, 1, 1], 5)
    yield case(torch.arange(12).float(), [4, 3], [1, 4])
    yield case(torch.arange(12).float(), [3], [4], 1)
    yield case(torch.arange(3).float(), [3, 4], [1, 0])
    yield case(torch.arange(3).float(), [40, 30], [0, 0], 2)
    yield case(random_floats(9), precision=2)
    yield case(random_floats(9), precision=0)
    yield case(random_floats(9), precision=10)
    yield case(random_floats(9).double() / 3, precision=20)
    yield case(random_floats(9), sci_mode=True)
    yield case(f(1e-9, 1e9), sci_mode=False)
    yield case(f(1.0, 2.0, INF), sci_mode=True)
    yield case(f(0.0, 0.0), sci_mode=True)
    yield case(torch.arange(20), threshold=10, edgeitems=2)
    yield case(torch.arange(20).float(), [4, 5], threshold=0, edgeitems=1)
    yield case(f(5.0), [], threshold=0)
    yield case(random_floats(40), linewidth=40)
    yield case(random_floats(40), [2, 20], linewidth=10)
    yield case(random_floats(40).double(), [2, 20], linewidth=120)
    yield case(torch.arange(8, dtype=torch.int16), linewidth=30)
    for name in ["float8_e4m3fn", "float8_e5m2"]:
        yield float8_case(name, [0x00, 0x38, 0xB8, 0x7E], [2, 2])
        yield float8_case(name, [0x7F, 0x01, 0x81, 0x30], [4])
        yield float8_case(name, [0x3C], [])
    yield float8_case("float8_e5m2", [0x7C, 0xFC, 0x3C, 0x40], [4])


def number(rng, kind):
    special = rng.random()
    if special < 0.03:
        return rng.choice([NAN, INF, -INF, 0.0, -0.0])
    if kind == 0:
        return float(rng.randint(-9, 9))
    if kind == 1:
        return rng.gauss(0, 1)
    if kind == 2:
        return rng.gauss(0, 1) * 10.0 ** rng.randint(-12, 12)
    return rng.randint(-4, 4) / 8


def live(seed):
    rng = random.Random(seed)
    for _ in range(200):
        dtype = getattr(torch, rng.choice(NAMES))
        storage = rng.choice([1, 2, 7, 30, 200, 600])
        kind = rng.randrange(4)
        if dtype.is_floating_point:
            flat = torch.tensor([number(rng, kind) for _ in range(storage)], dtype=torch.float64).to(dtype)
        elif dtype == torch.bool:
            flat = torch.tensor([rng.random() < 0.5 for _ in range(storage)])
        else:
            info = torch.iinfo(dtype)
            low, high = (max(-100, info.min), min(100, info.max)) if kind < 3 else (info.min, info.max)
            flat = torch.tensor([rng.randint(low, high) for _ in range(storage)], dtype=dtype)
        sizes, strides, room = [], [], storage - 1
        for _ in range(rng.randrange(5)):
            stride = rng.choice([0, 1, 1, 2, 5])
            size = rng.choice([1, 2, 3, 5, 8, 40]) if stride == 0 else rng.randint(1, room // stride + 1)
            if rng.random() < 0.01:
                size = 0
            sizes.append(size)
            strides.append(stride)
            room -= max(0, size - 1) * stride
        options = {}
        if rng.random() < 0.5:
            options["precision"] = rng.choice([0, 1, 2, 6, 12])
        if rng.random() < 0.5:
            options["threshold"] = rng.choice([0, 5, 100])
            options["edgeitems"] = rng.randint(1, 4)
        if rng.random() < 0.5:
            options["linewidth"] = rng.randint(1, 130)
        if rng.random() < 0.2:
            options["sci_mode"] = rng.random() < 0.5
        if 0 not in sizes and torch.Size(sizes).numel() > 5000:
            continue
        yield case(flat, sizes, strides, rng.randint(0, room), **options)


parser = argparse.ArgumentParser()
parser.add_argument("--live", type=int)
arguments = parser.parse_args()
cases = goldens() if arguments.live is None else live(arguments.live)
print("[" + ",\n".join(json.dumps(one) for one in cases) + "]")
