"""The instructions of sm_90: which unit of a multiprocessor carries one out, and where a branch goes.

NVIDIA documents neither. The opcodes are what ptxas makes of PTX whose meaning is documented; those that Mesa's
compiler emits are the same (src/nouveau/compiler/nak/sm70_encode.rs). That branches are read rightly shows in that
those of all kernels go to instructions.
"""

import struct
import typing

from cubins import ACCESSES, access_width

SIZE = 16  # bytes of an instruction
ALWAYS = 7  # the predicate PT

CALL, BRANCH, EXIT, RETURN, TRAP = 0x144, 0x147, 0x14D, 0x150, 0x15C
LDS, STS, SHFL, LDSM, STSM = 0x184, 0x188, 0x189, 0x03B, 0x044
FFMA, HMMA = 0x023, 0x03C

UNITS = {
    "float": [0x020, 0x021, FFMA],  # FMUL FADD FFMA
    "half": [0x030, 0x031, 0x032, 0x033, 0x034, 0x035, 0x040],  # HADD2 HFMA2 HMUL2 HSET2 HSETP2 HFMA2.MMA HMNMX2
    "integer": [
        *[0x002, 0x003, 0x004, 0x007, 0x008, 0x009, 0x00A, 0x00B, 0x00C],  # MOV P2R R2P SEL FSEL FMNMX FSET FSETP ISETP
        *[0x010, 0x011, 0x012, 0x013, 0x016, 0x019, 0x01A, 0x01B],  # IADD3 LEA LOP3 IABS PRMT SHF SGXT BMSK
        *[0x036, 0x03E, 0x043, 0x045, 0x046, 0x048],  # VIADD F2FP F2IP I2FP VIADDMNMX VIMNMX
    ],
    "multiply": [0x024, 0x025, 0x026, 0x027],  # IMAD IMAD.WIDE IDP IMAD.HI
    "double": [0x028, 0x029, 0x02A, 0x02B],  # DMUL DADD DSETP DFMA
    "special": [
        *[0x100, 0x101, 0x102, 0x108, 0x109],  # FLO BREV FCHK MUFU POPC
        *[0x104, 0x105, 0x106, 0x107, 0x110, 0x111, 0x112, 0x113],  # F2F F2I I2F FRND, then those of 64 bits
    ],
    "shared": [LDS, STS, SHFL, LDSM, STSM],
    "tensor": [HMMA],
}
UNIT_OF = {opcode: unit for unit, opcodes in UNITS.items() for opcode in opcodes}


class Instruction(typing.NamedTuple):
    opcode: int  # the low nine bits
    width: int  # bytes that a lane loads, stores or shuffles; 0 for what does none of these
    target: int | None  # which instruction a branch or call goes to
    falls_through: bool  # whether the next one may follow


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


def is_conditional(low, high):
    """By its guard or, of branches, a second predicate; BRA.DIV and BRA.CONV ask whether lanes diverge."""
    guard, second, asks = low >> 12 & 15, high >> 23 & 15, high >> 27 & 1
    return guard != ALWAYS or second != ALWAYS or asks == 1


def target(low, high, i):
    """56 bits: how many times four bytes from the next instruction on. The lowest eight stand apart."""
    distance = ((low >> 34 | high << 30) & (1 << 48) - 1) << 8 | low >> 16 & 0xFF
    return i + 1 + signed(distance, 56) * 4 // SIZE


def width(opcode, high):
    if opcode in (LDSM, STSM):
        return 4 << (high >> 8 & 3)
    if opcode in ACCESSES or opcode in (LDS, STS):
        return access_width(high)
    return 4 if opcode == SHFL else 0


def instructions(code):
    found = []
    for i, (low, high) in enumerate(struct.iter_unpack("<QQ", code)):
        opcode = low & 0x1FF
        goes_to = target(low, high, i) if opcode in (BRANCH, CALL) else None
        goes_on = opcode not in (BRANCH, EXIT, RETURN, TRAP) or is_conditional(low, high)
        found.append(Instruction(opcode, width(opcode, high), goes_to, goes_on))
    return found
