"""The table of the CUDA kernels' machine code, which needs no GPU.

machine_code.py list ARCHITECTURE FILE…         prints every kernel of objects, shared libraries or programs
machine_code.py write TABLE ARCHITECTURE FILE…  writes the table, unless its list of stack frames would grow
machine_code.py check TABLE FILE…               compares what the kernels have on stack frames with that list

ARCHITECTURE is 90 for sm_90. Exit statuses: 0 done, 1 kernels have more or less than is listed, 2 something could
not be read, 77 the table is another compiler's or another architecture's.
"""

import argparse
import collections
import pathlib
import re
import sys

from cubins import Frame, Unreadable, compiler, cubins, kernels
from kernel_names import family, short_names

REWRITE = "cmake --preset cuda && ninja -C build/cuda machine-code-table"
DONE, DIFFERS, FAILED, SKIPPED = 0, 1, 2, 77
NO_FRAME = Frame()

HEADING = """\
The machine code of {count} CUDA kernels for sm_{architecture}, made by ptxas {compiler}; {framed} have a stack frame.
Read from the cubins, without a GPU, by tests/machine_code. Written anew by
    {rewrite}

A row has the kernels of one struct whose loads and stores of global memory have the same widths, in bytes; the narrow
ones may only be for what is left over at an array's end. The last number in PackedKernel<Add, float, 2> and in
StridedKernel is the number of operands.
"""
ROWS = "source                              kernels  registers  code, KB  loads           stores          framed  kernel"
ROW = "{:<34}  {:>7}  {:>9}  {:>8}  {:<14}  {:<14}  {:>6}  {}"
FRAMES_HEADING = """
The kernels with a stack frame: its bytes, then the bytes that instructions store to and load from fixed places of it
(spills, nearly always, unless there is an array), then those at computed places (an array). This list may only shrink;
a kernel that cannot do without comes in by hand.
"""
FRAMES = "frame  stored  loaded  indexed  source                              kernel"
FRAME = "{:>5}  {:>6}  {:>6}  {:>7}  {:<34}  {}"


def read(architecture, paths):
    """({(source, short name): kernel}, compilers, all architectures) of the compiled files."""
    found, compilers, architectures = {}, set(), set()
    for path in paths:
        try:
            for cubin_architecture, cubin in cubins(path):
                architectures.add(cubin_architecture)
                if cubin_architecture == architecture:
                    compilers.add(compiler(cubin))
                    add_kernels(found, pathlib.Path(path).name.removesuffix(".o"), list(kernels(cubin)))
        except Unreadable as error:
            raise Unreadable(f"{path}: {error}") from None
    if not architectures or (compilers and not found):
        raise Unreadable(f"no kernel in {len(paths)} files; name the objects that nvcc made of the kernels")
    return found, compilers, architectures


def add_kernels(found, source, more):
    for name, kernel in zip(short_names([kernel.name for kernel in more]), more, strict=True):
        if (source, name) in found:
            raise Unreadable(f"two kernels have the short name {name}; tell them apart in kernel_names.py")
        found[source, name] = kernel


def frames_of(found):
    return {key: kernel.frame for key, kernel in sorted(found.items()) if kernel.frame != NO_FRAME}


def span(numbers):
    return f"{min(numbers)}–{max(numbers)}" if min(numbers) < max(numbers) else str(min(numbers))


def widths(accesses):
    return ", ".join(str(width) for width in sorted(accesses, reverse=True)) or "none"


def rows(found):
    groups = collections.defaultdict(list)
    for (source, name), kernel in found.items():
        groups[source, family(name), widths(kernel.loads), widths(kernel.stores)].append(kernel)
    for (source, struct, loads, stores), group in sorted(groups.items()):
        registers = span([kernel.registers for kernel in group])
        code = span([-(-len(kernel.code) // 1024) for kernel in group])
        framed = sum(kernel.frame != NO_FRAME for kernel in group)
        yield ROW.format(source, len(group), registers, code, loads, stores, framed, struct)


def frame_line(key, frame):
    return FRAME.format(*frame, *key)


def table_of(found, architecture, version):
    frames = frames_of(found)
    heading = HEADING.format(
        count=len(found), architecture=architecture, compiler=version, framed=len(frames), rewrite=REWRITE
    )
    listed = [frame_line(*item) for item in frames.items()]
    return "\n".join([heading, ROWS, *rows(found), FRAMES_HEADING, FRAMES, *listed]) + "\n"


def parse_table(text):
    """(architecture, compiler, {(source, short name): frame}) of a table."""
    made = re.search(r"for sm_(\d+), made by ptxas (.*?);", text)
    _, heading, listed = text.partition(FRAMES + "\n")
    if not made or not heading:
        raise Unreadable("not a table of machine code; take it from git again")
    frames = {}
    for line in listed.splitlines():
        *numbers, source, name = line.split(maxsplit=len(NO_FRAME) + 1)
        frames[source, name] = Frame(*map(int, numbers))
    return int(made[1]), made[2], frames


def read_table(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    try:
        return text, *parse_table(text)
    except (Unreadable, TypeError, ValueError) as error:
        raise Unreadable(f"{path}: {error}") from None


def is_within(frame, limit):
    return all(ours <= theirs for ours, theirs in zip(frame, limit, strict=True))


def compare(listed, frames):
    """(kernels that have more than is listed, kernels that have less or are gone). A kernel that is not listed may take
    the place of one of its source that is gone and had no less: it has another name now, and the list does not grow."""
    gone = [key for key in listed if key not in frames]
    more = []
    for key, frame in frames.items():
        place = next((old for old in gone if old[0] == key[0] and is_within(frame, listed[old])), None)
        if key in listed:
            if not is_within(frame, listed[key]):
                more.append(key)
        elif place:
            gone.remove(place)
        else:
            more.append(key)
    return more, [key for key in listed if key not in more and frames.get(key) != listed[key]]


def describe(frame):
    if frame == NO_FRAME:
        return "no stack frame"
    text = f"a stack frame of {frame.size} bytes"
    if frame.stored or frame.loaded:
        text += f", {frame.stored} stored and {frame.loaded} loaded at fixed places"
    if frame.indexed:
        text += f", {frame.indexed} at computed places"
    return text


def print_changes(keys, listed, frames):
    for key in keys:
        print(f"{key[0]}  {key[1]}")
        print(f"  had {describe(listed.get(key, NO_FRAME))}")
        print(f"  has {describe(frames.get(key, NO_FRAME))}")


def print_more(path, more, listed, frames):
    print_changes(more, listed, frames)
    print(f"Kernels that have more on stack frames than {path} lists: {len(more)}; keep it in registers.")
    print("Arrays go to the frame when a number that only the run knows indexes them, values when registers run out.")
    print("If a kernel cannot do without, put its line into the list by hand:")
    for key in more:
        print(frame_line(key, frames[key]))


def check(table, files):
    text, architecture, version, listed = read_table(table)
    found, compilers, architectures = read(architecture, files)
    if not found:
        print(f"skipped: {table} is for sm_{architecture}, the kernels are for {sorted(architectures)}")
        return SKIPPED
    frames = frames_of(found)
    more, less = compare(listed, frames)
    if compilers != {version}:
        print_changes(more, listed, frames)
        print(f"skipped: ptxas {version} made what {table} lists, ptxas {', '.join(sorted(compilers))} these kernels.")
        print(f"More on stack frames have {len(more)} of them, less {len(less)}. To list this compiler's: {REWRITE}")
        return SKIPPED
    if more:
        print_more(table, more, listed, frames)
        return DIFFERS
    if less:
        print_changes(less, listed, frames)
        print(f"Kernels that have less on stack frames than {table} lists, or other names: {len(less)};")
        print(f"shorten the list: {REWRITE}")
        return DIFFERS
    print(f"{len(found)} kernels, {len(frames)} of them with a stack frame, as {table} lists them")
    if text != table_of(found, architecture, version):
        print(f"Other rows of it have changed; bring them up to date: {REWRITE}")
    return DONE


def write(table, architecture, files):
    found, compilers, architectures = read(architecture, files)
    if len(compilers) != 1:
        raise Unreadable(
            f"kernels for {sorted(architectures)} by ptxas {sorted(compilers)}; compile all for {architecture} with one"
        )
    version = compilers.pop()
    if pathlib.Path(table).exists():
        _, *made, listed = read_table(table)
        more, _ = compare(listed, frames_of(found))
        if made == [architecture, version] and more:
            print_more(table, more, listed, frames_of(found))
            return DIFFERS
    pathlib.Path(table).write_text(table_of(found, architecture, version), encoding="utf-8")
    return DONE


def counts(accesses):
    return ", ".join(f"{count} of {width}" for width, count in sorted(accesses.items(), reverse=True)) or "none"


def print_list(architecture, files):
    found, _, _ = read(architecture, files)
    for (source, name), kernel in sorted(found.items()):
        print(f"{source}  {name}")
        print(f"  {kernel.registers} registers, {describe(kernel.frame)}, {len(kernel.code)} bytes of code")
        print(f"  loads: {counts(kernel.loads)} bytes; stores: {counts(kernel.stores)} bytes")
    return DONE


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, command in (("list", print_list), ("write", write), ("check", check)):
        its = commands.add_parser(name)
        its.set_defaults(command=command)
        if command in (write, check):
            its.add_argument("table")
        if command in (print_list, write):
            its.add_argument("architecture", type=int)
        its.add_argument("files", nargs="+")
    parsed = vars(parser.parse_args(arguments))
    command = parsed.pop("command")
    try:
        return command(**parsed)
    except (Unreadable, OSError) as error:
        print(f"machine_code: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
