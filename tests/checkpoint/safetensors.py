"""The safetensors format, read and written from its description, with nothing but Python's own library.

safetensors.py read FILE       prints {"metadata": …, "tensors": {name: {"dtype", "shape", "bytes"}}}, bytes in
                               hexadecimal
safetensors.py write FILE      writes the file that standard input describes in the same way
"""
import json
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length).decode("utf-8"))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    assert sum(end - begin for begin, end in (t["data_offsets"] for t in header.values())) == len(data)
    assert (8 + length) % 8 == 0
    tensors = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        tensors[name] = {"dtype": tensor["dtype"], "shape": tensor["shape"], "bytes": data[begin:end].hex()}
    return {"metadata": metadata, "tensors": tensors}


def write(path, content):
    header = {"__metadata__": content["metadata"]} if content["metadata"] else {}
    data = b""
    for name, tensor in content["tensors"].items():
        numbers = bytes.fromhex(tensor["bytes"])
        header[name] = {
            "data_offsets": [len(data), len(data) + len(numbers)],
            "shape": tensor["shape"],
            "dtype": tensor["dtype"],
        }
        data += numbers
    text = json.dumps(header, indent=1).encode("utf-8")
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


if sys.argv[1] == "read":
    print(json.dumps(read(sys.argv[2])))
else:
    write(sys.argv[2], json.load(sys.stdin))
