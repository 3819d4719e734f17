"""Evaluates expressions with PyTorch: torch_reference.py FOLDER.

FOLDER/cases.json lists cases: an expression, and the tensors that it names: dtype, sizes, strides, offset, and where in
FOLDER/inputs the bytes of the storage are. FOLDER/results.json gets for each case the tensors that it evaluates to, or the
error: dtype, sizes, and where in FOLDER/results the elements are, in row-major order. Exit status 77: there is no PyTorch.
"""

import json
import pathlib
import sys

try:
    import torch
except ImportError as error:
    print(f"no PyTorch: {error}")
    sys.exit(77)

DTYPES = {"float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}
WORDS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def read(inputs, given):
    assert given["dtype"] in DTYPES
    dtype = getattr(torch, given["dtype"])
    data = bytearray(inputs[given["begin"] : given["end"]])
    storage = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
    return storage.as_strided(given["sizes"], given["strides"], given["offset"])


def write(results, value):
    value = torch.as_tensor(value)
    begin = len(results)
    results += value.contiguous().flatten().view(WORDS[value.element_size()]).numpy().tobytes()
    dtype = str(value.dtype).removeprefix("torch.")
    return {"dtype": dtype, "sizes": list(value.shape), "begin": begin, "end": len(results)}


def evaluate(inputs, results, case):
    names = {name: read(inputs, given) for name, given in case["inputs"].items()}
    try:
        values = eval(case["expression"], {"torch": torch} | names)
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return {"error": str(error)}
    if isinstance(values, torch.Tensor) or not isinstance(values, (tuple, list)):
        values = [values]
    return {"values": [write(results, value) for value in values]}


def main():
    folder = pathlib.Path(sys.argv[1])
    inputs = (folder / "inputs").read_bytes()
    results = bytearray()
    outcomes = [evaluate(inputs, results, case) for case in json.loads((folder / "cases.json").read_text())]
    (folder / "results").write_bytes(results)
    (folder / "results.json").write_text(json.dumps(outcomes))


main()
