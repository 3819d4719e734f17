"""tidy.py CLANG_TIDY BUILD_TREE SOURCE…: clang-tidy finds nothing in these sources of a room, compiled as that tree compiles them.

They are read as one: nearly all of clang-tidy's time goes to the headers, which it would check once for each.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys


def compile_options(command):
    """The options without the compiler, the source, and what is written."""
    words = iter(shlex.split(command)[1:])
    options = []
    for word in words:
        if word in ("-o", "-c", "-MF", "-MT"):
            next(words)
        elif word not in ("-MD", "-MMD"):
            options.append(word)
    return options


def sources_of(entry):
    """What an entry of the compile commands compiles: the sources of a batch, or its file alone."""
    file = pathlib.Path(entry["file"])
    if not re.fullmatch(r"unity_.*\.cxx", file.name):
        return [entry["file"]]
    return re.findall(r'^#include "(.+)"$', file.read_text(), re.MULTILINE)


def main():
    clang_tidy, tree, sources = sys.argv[1], pathlib.Path(sys.argv[2]), set(sys.argv[3:])
    batches = {}
    for entry in json.loads((tree / "compile_commands.json").read_text()):
        for source in sources.intersection(sources_of(entry)):
            batches.setdefault((entry["directory"], *compile_options(entry["command"])), []).append(source)
            sources.remove(source)
    for source in sorted(sources):
        print(source, "is not compiled here")
    if not batches:
        return 77
    failed = False
    for (folder, *options), files in batches.items():
        files.sort()
        read = pathlib.Path(files[0])
        if len(files) > 1:
            read = tree / "tidy" / "_".join(read.with_suffix("").parts[-2:])
            read = read.with_suffix(".cpp")
            read.parent.mkdir(exist_ok=True)
            read.write_text("".join(f'#include "{file}"  // NOLINT(bugprone-suspicious-include)\n' for file in files))
        command = [clang_tidy, "--quiet", str(read), "--", *options]
        failed |= subprocess.run(command, cwd=folder, check=False).returncode != 0
    return int(failed)


sys.exit(main())
