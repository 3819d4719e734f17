"""tidy.py CLANG_TIDY BUILD_TREE NAME SOURCE…: clang-tidy finds nothing in these sources, compiled as that tree compiles them.

They are read as one, with the options of all: nearly all of clang-tidy's time goes to the headers, which it would check once for
each. The compiler's own warnings are left to the compiler.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

WITH_ARGUMENT = ("-o", "-c", "-MF", "-MT", "-isystem")
NOT_OPTIONS = ("-o", "-c", "-MF", "-MT", "-MD", "-MMD", "-Xclang")  # -Xclang: a precompiled header


def compile_options(command):
    """The options without the compiler, the source, what is written, warnings and precompiled headers; each with its argument."""
    words = iter(shlex.split(command)[1:])
    options = []
    for word in words:
        option = (word, next(words)) if word in (*WITH_ARGUMENT, "-Xclang") else (word,)
        if word not in NOT_OPTIONS and not word.startswith("-W"):
            options.append(option)
    return options


def sources_of(entry):
    """What an entry of the compile commands compiles: the sources of a batch, or its file alone."""
    file = pathlib.Path(entry["file"])
    if not re.fullmatch(r"unity_.*\.cxx", file.name):
        return [entry["file"]]
    return re.findall(r'^#include "(.+)"$', file.read_text(), re.MULTILINE)


def main():
    clang_tidy, tree, name = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    left, files, options = set(sys.argv[4:]), [], {}
    for entry in json.loads((tree / "compile_commands.json").read_text()):
        compiled = left.intersection(sources_of(entry))
        if compiled:
            left -= compiled
            files.extend(compiled)
            options.update(dict.fromkeys(compile_options(entry["command"])))
    for source in sorted(left):
        print(source, "is not compiled here")
    if not files:
        return 77
    together = tree / "tidy" / f"{name}.cpp"
    together.parent.mkdir(exist_ok=True)
    together.write_text("".join(f'#include "{file}"  // NOLINT(bugprone-suspicious-include)\n' for file in sorted(files)))
    words = [word for option in options for word in option]
    return subprocess.run([clang_tidy, "--quiet", str(together), "--", *words], check=False).returncode


sys.exit(main())
