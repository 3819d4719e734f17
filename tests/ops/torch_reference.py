"""Evaluates expressions with PyTorch: reads the name of a folder from each line, prints an empty line when it is done.

FOLDER/cases.json lists cases: an expression, the dtype that it is done with, the tensors that it names (dtype, sizes,
strides, offset, and where in FOLDER/inputs the bytes of the storage are), whether gradients are wanted, and whether it is
composed: nothing that PyTorch has.
A case may also be a program: a list of statements on variables t0, t1, …, some empty. Its result is the error of each, if
any, and what the variables hold in the end. An error takes all gradients away, since it may have left a part of them.
What is saved for gradients is copied, so that they are right whatever is changed in place.
FOLDER/results.json gets for each case the values, and the gradients of all inputs, from fixed gradients of the values:
tensors (dtype, sizes, and where in FOLDER/results the elements are, in row-major order) or the error. Exit status 77:
there is no PyTorch.

What is composed, and where PyTorch has no such operation for a narrow dtype, is evaluated in float64 and rounded once. Tensors of the
float8 dtypes, which PyTorch 1.13 lacks, are tensors of float64 until they are written.
"""

import functools
import json
import math
import os
import pathlib
import sys
import warnings

try:
    import torch
except ImportError as error:
    print(f"no PyTorch: {error}", file=sys.stderr)
    sys.exit(77)

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / room) for room in ("nn", "optim")]
import torch_modules
import torch_optimizers

DTYPES = {"float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}
WORDS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
# Bits of a normal number with the leading 1, the exponent of the smallest number, and the largest number.
NARROW = {
    "float16": (11, -24, 65504.0),
    "bfloat16": (8, -133, float(torch.finfo(torch.bfloat16).max)),
    "float8_e4m3fn": (4, -9, 448.0),
    "float8_e5m2": (3, -16, 57344.0),
}
FLOAT8 = {"float8_e4m3fn": (4, 3, 7), "float8_e5m2": (5, 2, 15)}  # bits of exponent and mantissa, bias
ERRORS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AssertionError)


class Rounded:
    """A tensor of float64 whose numbers are those of another floating dtype (float32 rounds as it is written)."""

    def __init__(self, value, dtype):
        self.dtype, self.value = dtype, value
        if dtype not in NARROW:
            return
        bits, least, largest = NARROW[dtype]
        _, exponent = torch.frexp(value)
        step = torch.exp2(torch.clamp(exponent - bits, min=least).double())
        rounded = torch.round(value / step) * step  # ties to even
        beyond = float("nan") if dtype == "float8_e4m3fn" else float("inf")
        self.value = torch.where(rounded.abs() > largest, torch.copysign(torch.tensor(beyond).double(), value), rounded)


@functools.cache
def float8_numbers(dtype):
    """What the bytes 0 to 255 stand for."""
    exponent_bits, mantissa_bits, bias = FLOAT8[dtype]
    numbers = []
    for byte in range(256):
        exponent = byte >> mantissa_bits & (1 << exponent_bits) - 1
        mantissa = (byte & (1 << mantissa_bits) - 1) / (1 << mantissa_bits)
        number = (1 + mantissa) * 2.0 ** (exponent - bias) if exponent else mantissa * 2.0 ** (1 - bias)
        if dtype == "float8_e4m3fn" and byte & 0x7F == 0x7F:
            number = float("nan")
        if dtype == "float8_e5m2" and exponent == 31:
            number = float("nan") if mantissa else float("inf")
        numbers.append(-number if byte & 0x80 else number)
    return torch.tensor(numbers, dtype=torch.float64)


def float8_bytes(rounded):
    numbers = float8_numbers(rounded.dtype)[:128]
    finite = numbers[: (numbers < float("inf")).sum()]
    code = torch.searchsorted(finite, rounded.value.abs().contiguous())
    if rounded.dtype == "float8_e5m2":
        code = torch.where(rounded.value.isinf(), 0x7C, code)
    code = torch.where(rounded.value.isnan(), 0x7F, code)
    return (code + 128 * torch.signbit(rounded.value)).to(torch.uint8).numpy().tobytes()


def read(inputs, given):
    data = bytearray(inputs[given["begin"] : given["end"]])
    if given["dtype"] in FLOAT8:
        codes = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
        storage = float8_numbers(given["dtype"])[codes.long()]
    else:
        assert given["dtype"] in DTYPES
        dtype = getattr(torch, given["dtype"])
        storage = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
    return storage.as_strided(given["sizes"], given["strides"], given["offset"])


def write(results, value):
    if value is None:
        return None
    begin = len(results)
    if isinstance(value, Rounded) and value.dtype in FLOAT8:
        dtype, sizes = value.dtype, value.value.shape
        results += float8_bytes(value)
    else:
        if isinstance(value, Rounded):
            value = value.value.to(getattr(torch, value.dtype))
        value = torch.as_tensor(value).detach().clone()  # gradients of 0 may lie nowhere in memory
        dtype, sizes = str(value.dtype).removeprefix("torch."), value.shape
        results += value.contiguous().flatten().view(WORDS[value.element_size()]).numpy().tobytes()
    return {"dtype": dtype, "sizes": list(sizes), "begin": begin, "end": len(results)}


def adafactor(p, gradients, steps=100, lr=None, eps=(1e-30, 1e-3), clip_threshold=1.0, decay_rate=-0.8, beta1=None,
              weight_decay=0.0, scale_parameter=True, warmup_init=False):
    """The parameter and what is kept for it, after the paper and Hugging Face's transformers (see adafactor.h)."""
    rms = lambda x: float((x * x).mean().sqrt())
    row = col = average = 0
    for t in range(1, steps + 1):
        g = gradients[(t - 1) % len(gradients)]
        rate = lr if lr is not None else min(1e-6 * t if warmup_init else 1e-2, t**-0.5)
        rate *= max(eps[1], rms(p)) if scale_parameter else 1
        share = t**decay_rate
        square = g * g + eps[0]
        if p.dim() >= 2:
            row = (1 - share) * row + share * square.mean(-1)
            col = (1 - share) * col + share * square.mean(-2)
            size = (row / row.mean(-1, keepdim=True)).unsqueeze(-1) * col.unsqueeze(-2)
        else:
            size = row = (1 - share) * row + share * square
        update = g / size.sqrt()
        update = rate * update / max(1, rms(update) / clip_threshold)
        if beta1 is not None:
            update = average = beta1 * average + (1 - beta1) * update
        p = p * (1 - weight_decay * rate) - update
    return [p, row] + ([col] if p.dim() >= 2 else []) + ([average] if beta1 is not None else [])


def values_of(expression, names):
    known = {"torch": torch, "modules": torch_modules, "inf": float("inf"), "Rounded": Rounded, "adafactor": adafactor}
    known["optimizers"] = torch_optimizers
    values = eval(expression, known | names)
    if isinstance(values, (torch.Tensor, Rounded)) or not isinstance(values, (tuple, list)):
        values = [values]
    return list(values)


def fixed_gradient(value):
    steps = (torch.arange(value.numel()) * 37 + 11) % 17 - 8
    return (steps / 8).to(value.dtype).reshape(value.shape)


def gradients_of(expression, names):
    leaves = {name: tensor.detach().requires_grad_() for name, tensor in names.items()}
    values = [value for value in values_of(expression, leaves) if getattr(value, "requires_grad", False)]
    if not values:
        return []
    return torch.autograd.grad(values, list(leaves.values()), list(map(fixed_gradient, values)), allow_unused=True)


def outcome(compute, inputs, results, case):
    dtype = case["dtype"]

    def values(widened):
        names = {name: read(inputs, given) for name, given in case["inputs"].items()}
        if not widened:
            return compute(case["expression"], names)
        values = compute(case["expression"], {name: tensor.double() for name, tensor in names.items()})
        return [
            Rounded(value, dtype) if isinstance(value, torch.Tensor) and value.dtype == torch.float64 else value
            for value in values
        ]

    try:
        try:
            found = values(dtype in FLOAT8 or case["composed"])
        except RuntimeError as error:
            if dtype not in NARROW or dtype in FLOAT8 or "not implemented for" not in str(error):
                raise
            found = values(True)
    except ERRORS as error:
        return {"error": str(error)}
    return {"values": [write(results, value) for value in found]}


def positions(sizes, seed, end):
    return ((torch.arange(math.prod(sizes)) * 37 + seed) % 1009 % end).reshape(sizes)


def numbers(sizes, seed, dtype):
    return (positions(sizes, seed, 7) - 3).to(dtype)


def cut(tensor, dim, start, stop, step):
    return tensor[(slice(None),) * dim + (slice(start, stop, step),)]


def run(program, results):
    names = {"torch": torch, "fixed_gradient": fixed_gradient, "positions": positions, "numbers": numbers, "cut": cut}
    errors = []

    def variables():
        return {int(name[1:]): value for name, value in names.items() if name[0] == "t" and name[1:].isdigit()}

    for statement in program:
        try:
            if not statement:
                raise RuntimeError("left out")
            with torch.autograd.graph.saved_tensors_hooks(lambda saved: saved.detach().clone(), lambda saved: saved):
                exec(statement, names)
            for tensor in variables().values():
                tensor.grad_fn  # of views, too, whose base has got a gradient: else they pass for leaves
                if tensor.is_leaf and tensor.grad is not None:
                    tensor.grad = tensor.grad.clone()  # two may be views of one tensor, to both of which more is added
            errors.append(None)
        except ERRORS as error:
            errors.append(str(error))
            for tensor in variables().values():
                tensor.grad = None
    found = variables()
    return {
        "errors": errors,
        "variables": [
            {
                "value": write(results, found[i]),
                "requires_grad": found[i].requires_grad,
                "grad": write(results, found[i].grad) if found[i].is_leaf else None,
            }
            if i in found
            else None
            for i in range(max(found, default=-1) + 1)
        ],
    }


def answer(folder):
    inputs = (folder / "inputs").read_bytes()
    results = bytearray()
    answers = []
    for case in json.loads((folder / "cases.json").read_text()):
        if "program" in case:
            answers.append(run(case["program"], results))
            continue
        answers.append({"values": outcome(values_of, inputs, results, case)})
        if case["gradients"] and "error" not in answers[-1]["values"]:
            answers[-1]["gradients"] = outcome(gradients_of, inputs, results, case)
    (folder / "results").write_bytes(results)
    (folder / "results.json").write_text(json.dumps(answers))


def main():
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing but the lines of main() goes to who asks
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        answer(pathlib.Path(line.rstrip("\n")))
        print(file=said, flush=True)


main()
