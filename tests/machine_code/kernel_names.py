"""Names of kernels for people: run_threads<PackedKernel<Add, bfloat16, 2>> for _ZN7lectern7kernels4cuda11run_…"""

import re
import subprocess

# In this order: `unsigned long` before `long`.
SHORTER = [
    (r"\(anonymous namespace\)::", ""),
    (r"\b(?:lectern|kernels|cuda|std|cub|CUB_\w+|detail|radix_sort|radix)::", ""),
    (r"SmallFloat<8, 7, 32704u, true>", "bfloat16"),
    (r"SmallFloat<5, 10, 32256u, true>", "float16"),
    (r"SmallFloat<4, 3, 127u, false>", "float8_e4m3fn"),
    (r"SmallFloat<5, 2, 127u, true>", "float8_e5m2"),
    (r"integer_sequence<unsigned long((?:, \d+ul)*)>", lambda match: str(match[1].count(","))),
    (r"\bunsigned long(?: long)?\b", "uint64"),
    (r"\bunsigned int\b", "uint32"),
    (r"\bunsigned short\b", "uint16"),
    (r"\bunsigned char\b", "uint8"),
    (r"\bsigned char\b", "int8"),
    (r"\blong\b", "int64"),
    (r"\bint\b", "int32"),
    (r"\bshort\b", "int16"),
    (r"\(Side\)0", "Side::a"),
    (r"\(Side\)1", "Side::b"),
    (r" >", ">"),
]

# What a kernel's name begins with and says little: how it is launched.
LAUNCHES = {"run_threads", "run_groups", "run_teams", "run_tiles", "run_phases", "Phases", "ByThreads", "HoldingRows"}


def demangled(names):
    run = subprocess.run(["c++filt", "--no-params"], input="\n".join(names), capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def shorter(name):
    for pattern, short in SHORTER:
        name = re.sub(pattern, short, name)
    return name


def short_names(names):
    return [shorter(name) for name in demangled(names)]


def arguments(text):
    """The template arguments in what stands between < and >."""
    depth, begin = 0, 0
    for i, letter in enumerate(text):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            yield text[begin:i].strip()
            begin = i + 1
    yield text[begin:].strip()


def family(name):
    """The name without template arguments, but for those that say what is launched: run_threads<PackedKernel>."""
    template, bracket, rest = name.partition("<")
    if template not in LAUNCHES or not bracket:
        return template
    return f"{template}<{', '.join(family(argument) for argument in arguments(rest[:-1]))}>"
