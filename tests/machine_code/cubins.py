"""The kernels in compiled files: of every kernel its registers, its stack frame, and how wide it loads and stores.

Objects hold fatbins, these hold cubins, which are ELF files with a section of machine code for every kernel.
They are read here, since a toolkit may come without cuobjdump. NVIDIA documents neither fatbins nor instructions:
the widths were compared with what nvdisasm prints for all kernels of sm_90, and machine_code_test.py compares with
what ptxas reports.
"""

import collections
import ctypes
import dataclasses
import pathlib
import re
import struct
import typing

FATBIN = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes after it
FATBIN_MAGIC = 0xBA55ED50
# Kind, version, bytes of this header and after it, of these those compressed, architecture, bytes when decompressed.
FATBIN_ENTRY = struct.Struct("<HHIQI8xI24xQ")
CUBIN_ENTRY = 2

# Attributes of the section .nv.info: a symbol and a number each.
REGISTERS, FRAME_SIZE, STACK_SIZE = 0x2F, 0x11, 0x12
SYMBOL_AND_NUMBER = 4

# An instruction has two words. The low nine bits of the first say what it does, three bits of the second how wide.
LOADS = {0x180: "LD", 0x181: "LDG", 0x1AE: "LDGSTS"}
STORES = {0x185: "ST", 0x186: "STG"}
FRAME_LOAD, FRAME_STORE = 0x183, 0x187  # LDL, STL
ACCESSES = {*LOADS, *STORES, FRAME_LOAD, FRAME_STORE}
WIDTHS = [1, 1, 2, 2, 4, 8, 16]  # .U8 .S8 .U16 .S16, none, .64 .128
STACK_POINTER = 1  # R1


class Frame(typing.NamedTuple):
    """A kernel's stack frame, in bytes. The last three add up the widths of instructions, as ptxas -v counts spills."""

    size: int = 0
    stored: int = 0  # to fixed places: spills, and variables that stay there
    loaded: int = 0
    indexed: int = 0  # stored to or loaded from computed places: an array


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str  # as the linker knows it
    registers: int
    frame: Frame
    code: bytes
    loads: collections.Counter  # from global or generic addresses: how many instructions of which width
    stores: collections.Counter


class Unreadable(Exception):
    """A file that is not what was expected."""


def sections(elf):
    """(name, content) of every section of an ELF file."""
    if elf[:4] != b"\x7fELF":
        raise Unreadable("neither an object nor a library nor a program")
    (table,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    names_at = headers[names][4]
    for name, kind, _, _, offset, length in headers:
        no_bits = kind == 8
        yield text_at(elf, names_at + name), b"" if no_bits else elf[offset : offset + length]


def text_at(data, offset):
    return data[offset : data.index(b"\0", offset)].decode()


def decompressed(payload, size):
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError:
        raise Unreadable("its cubins are compressed, and there is no libzstd.so.1; install libzstd1") from None
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    buffer = ctypes.create_string_buffer(size)
    if library.ZSTD_decompress(buffer, size, payload, len(payload)) != size:
        raise Unreadable("a cubin in it is compressed, but not by zstd; compile with --compress-mode=size or none")
    return buffer.raw


def cubins_in(fatbins):
    """(architecture, ELF file) of the cubins in the fatbins of a section, which stand one after the other."""
    at = 0
    while at < len(fatbins):
        magic, _, header, length = FATBIN.unpack_from(fatbins, at)
        if magic != FATBIN_MAGIC:
            raise Unreadable(f"no fatbin at byte {at} of its section .nv_fatbin")
        end = at + header + length
        at += header
        while at < end:
            kind, _, header, length, compressed, architecture, size = FATBIN_ENTRY.unpack_from(fatbins, at)
            content = fatbins[at + header : at + header + length]
            at += header + length
            if kind == CUBIN_ENTRY:
                yield architecture, decompressed(content[:compressed], size) if compressed else content
        while at < len(fatbins) and fatbins[at] == 0:  # the linker aligns them
            at += 1


def cubins(path):
    """(architecture, ELF file) of the cubins in an object, a shared library or a program."""
    for name, content in sections(pathlib.Path(path).read_bytes()):
        if name == ".nv_fatbin":
            yield from cubins_in(content)


def attributes(cubin):
    """The numbers in .nv.info: {attribute: {symbol's name: number}}."""
    content = dict(sections(cubin))
    names = [text_at(content[".strtab"], name) for name, *_ in struct.iter_unpack("<IBBHQQ", content[".symtab"])]
    found = collections.defaultdict(dict)
    info, at = content[".nv.info"], 0
    while at < len(info):
        form, attribute, length = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == SYMBOL_AND_NUMBER:
            if length == 8:
                symbol, number = struct.unpack_from("<II", info, at)
                found[attribute][names[symbol]] = number
            at += length
    return found


def access_width(high):
    """Bytes that a lane loads or stores, by the second word of an instruction."""
    width = high >> 9 & 7
    if width >= len(WIDTHS):
        raise Unreadable("a load or store of unknown width; teach tests/machine_code/cubins.py")
    return WIDTHS[width]


def accesses(code):
    """(opcode, bytes, register that holds the address) of the loads and stores of machine code."""
    for low, high in struct.iter_unpack("<QQ", code):
        opcode = low & 0x1FF
        if opcode in ACCESSES:
            yield opcode, access_width(high), low >> 24 & 0xFF


def read_kernel(name, code, numbers):
    loads, stores, frame = collections.Counter(), collections.Counter(), collections.Counter()
    for opcode, width, register in accesses(code):
        if opcode in LOADS:
            loads[width] += 1
        elif opcode in STORES:
            stores[width] += 1
        elif register != STACK_POINTER:
            frame["indexed"] += width
        else:
            frame["stored" if opcode == FRAME_STORE else "loaded"] += width
    size = max(numbers[FRAME_SIZE].get(name, 0), numbers[STACK_SIZE].get(name, 0))
    return Kernel(name, numbers[REGISTERS][name], Frame(size, **frame), code, loads, stores)


def kernels(cubin):
    numbers = attributes(cubin)
    for section, code in sections(cubin):
        if section.startswith(".text."):
            yield read_kernel(section.removeprefix(".text."), code, numbers)


def compiler(cubin):
    """The version of ptxas that made it, `13.0.88` say."""
    note = dict(sections(cubin)).get(".note.nv.tkinfo", b"")
    version = re.search(rb"Cuda compilation tools, release [\d.]+, V([\d.]+)", note)
    return version[1].decode() if version else "of unknown version"
