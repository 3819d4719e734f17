"""The command `./lectern bundle`: packs tests, benchmarks and lectures, with a script that runs them, for a machine with a GPU."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import checkout  # noqa: E402
from checkout import ROOT, Failure, shown  # noqa: E402

EPILOG = """\
The folder can be moved and copied. It has the GPU tests, the benchmarks, the lectures and the libraries that they need, packed,
and `run`, which runs them all and reports the results (`./run --help`). The other machine provides the GPU's driver, the CUDA
toolkit, glibc, bash, tar, gzip and python3.

Exit status: 0 done, 1 something failed or CUDA's compiler is missing, 2 the command line is wrong."""

# Libraries that every system has, and those of the driver.
SYSTEM_LIBRARIES = (
    "ld-linux",
    "libc.so",
    "libcuda.so",
    "libdl.so",
    "libgcc_s.so",
    "libm.so",
    "libnvidia",
    "libpthread.so",
    "librt.so",
    "libstdc++.so",
    "linux-vdso",
)

STACK = ("CMakeLists.txt", "CMakePresets.json", "engine", "kernels", "tests")


def lines_of(manifest):
    """The lines of a manifest that the build wrote (bundle.cmake), as (kind, rest)."""
    return [(kind, rest) for kind, _, rest in (line.partition(" ") for line in manifest.read_text().splitlines())]


def copy_into(source, folder):
    """Copies a file, or a folder with its contents; links become copies of their targets."""
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, folder / source.name, dirs_exist_ok=True)
    else:
        shutil.copy2(source, folder)


def call(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip().rpartition("\n")[2]
        raise Failure(f"`{command[0]}` failed with exit status {done.returncode}: {said}")
    return done.stdout


def libraries_of(programs):
    """The shared libraries of the programs that another machine may lack: {name: path}."""
    found = {}
    for program in programs:
        for name, path in re.findall(r"^\s*(\S+) => (\S+)", call("ldd", program), re.MULTILINE):
            if name.startswith(SYSTEM_LIBRARIES):
                continue
            if not path.startswith("/"):
                raise Failure(f"{program}: its library {name} is not found; build it anew")
            found.setdefault(name, path)
    return found


def add_libraries(programs, folder):
    for name, path in libraries_of(programs).items():
        (folder / "lib").mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, folder / "lib" / name)


def add_scripts(root, folder):
    """The command `bench`, and the lists of tests for the sanitizer and of cases for the profiler."""
    for script in ("tests/checkout.py", *(f"tests/bench/{name}.py" for name in ("bench", "cpu", "gpu", "table", "torch_bench"))):
        copy_into(root / script, (folder / script).parent)
    for name in ("sanitizer", "profile"):
        copy_into(root / "tests/bundle/lists" / name, folder / "lists")


def write_names(file, paths):
    file.write_text("".join(os.path.basename(path) + "\n" for path in paths))


def add_programs(root, manifest, folder):
    """Adds the programs of a manifest, their libraries and their data."""
    contents = {kind: [] for kind in ("test", "lecture", "program", "texts", "architectures")}
    for kind, rest in lines_of(manifest):
        contents[kind].append(rest)
    programs = [pathlib.Path(path) for kind in ("test", "lecture", "program") for path in contents[kind]]
    for program in programs:
        copy_into(program, folder / "bin")
    add_libraries(programs, folder)
    copy_into(root / "lectures/figures", folder / "lectures")
    for references in root.glob("lectures/references.bib"):
        copy_into(references, folder / "lectures")
    for goldens in root.glob("tests/*/goldens"):
        copy_into(goldens, folder / "tests" / goldens.parent.name)
    copy_into(root / "tests/checkpoint/safetensors.py", folder / "tests/checkpoint")
    for texts in contents["texts"]:
        copy_into(pathlib.Path(texts), folder)
    add_scripts(root, folder)
    write_names(folder / "lists/tests", contents["test"])
    write_names(folder / "lists/lectures", contents["lecture"])


def add_sources(root, manifest, folder):
    """Adds the sources of the tensor stack, its tests and benchmarks, and the libraries that they need."""
    found, files = {}, []
    for kind, rest in lines_of(manifest):
        name, path = rest.split(" ", 1) if kind == "found" else ("", rest)
        if not (os.path.isabs(path) and os.path.exists(path)):
            raise Failure(
                f"{manifest}: `{rest}` was not found here; install what is missing (`./lectern doctor`), and build anew"
            )
        if kind == "found":
            found[name] = path.lstrip("/")
        else:
            files.append(pathlib.Path(path))
    listed = call("git", "-C", root, "-c", "core.quotePath=off", "ls-files", "--cached", "--others", "--exclude-standard", "--", *STACK)
    for source in listed.splitlines():
        if (root / source).exists():
            copy_into(root / source, (folder / "source" / source).parent)
    for file in files:
        copy_into(file, folder / "dependencies" / file.parent.relative_to("/"))
    entries = {**found, "CMAKE_BUILD_RPATH": "../lib"}
    (folder / "dependencies/found.cmake").write_text(
        "".join(f'set({name} "${{CMAKE_CURRENT_LIST_DIR}}/{path}" CACHE PATH "Of the bundle")\n' for name, path in entries.items())
    )
    libraries = [file for file in files if ".so" in file.name]
    add_libraries(libraries, folder)
    for library in libraries:
        link = folder / "lib" / library.name
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(pathlib.Path("../dependencies", library.relative_to("/")))
    add_scripts(root, folder)
    write_names(folder / "lists/lectures", [])


def write_bundle(root, about, out, fill):
    """Writes a bundle to the folder `out`: `run`, and packed what `fill(folder)` adds.

    It is written beside `out` and renamed; an earlier bundle is replaced, but its results stay. `about` has two lines: the commit,
    and what the bundle was compiled for.
    """
    folder = out.with_name(out.name + ".partial")  # exists if an earlier run was killed
    if out.exists() and any(out.iterdir()) and not (out / "commit").exists() and not folder.exists():
        raise Failure(f"{out}: it is not a bundle; name another folder with --out")
    shutil.rmtree(folder, ignore_errors=True)
    files = folder / "files"
    files.mkdir(parents=True)
    fill(files)
    (files / "commit").write_text(about)
    call("tar", "--create", "--gzip", "--owner=0", "--group=0", "--file", folder / "files.tar.gz", "--directory", files, ".")
    shutil.rmtree(files)
    (folder / "commit").write_text(about)
    copy_into(root / "tests/bundle/run", folder)
    copy_into(root / "LICENSE", folder)

    # Entry by entry: results of earlier runs stay where they are, whatever ends this one.
    out.mkdir(parents=True, exist_ok=True)
    for entry in out.iterdir():
        if not entry.is_dir():
            entry.unlink()
        elif entry.name != "results":
            shutil.rmtree(entry)
    for entry in folder.iterdir():
        entry.rename(out / entry.name)
    folder.rmdir()


def build_programs(architectures):
    print(f"  building for architectures {architectures}", file=sys.stderr)
    built, tree, log = checkout.build_preset("bundle", "bundle", {"LECTERN_CUDA_ARCHITECTURES": architectures})
    manifest = tree / "bundle.txt"
    if not built and (tree / "build.ninja").exists() and not manifest.exists():
        raise Failure(
            "a bundle needs CUDA's compiler, and nvcc was not found; install the CUDA toolkit, or set CUDA_HOME to its folder "
            f"and remove {shown(tree)}"
        )
    if not built:
        raise Failure(f"the bundle did not build; the whole log: {shown(log)}")
    return manifest


def architecture_list(text):
    if not re.fullmatch("[0-9a,]+", text):
        raise argparse.ArgumentTypeError(f"`{text}` is not a list of compute capabilities; give one like 80,90")
    return text.replace(",", ";")


def parse(argv):
    what = "Packs tests, benchmarks and lectures for a machine with a GPU and no package registry"
    parser = checkout.Parser("bundle", what, EPILOG)
    out = ROOT / "build/lectern-bundle"
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path, default=out, help=f"the folder to make; {shown(out)} without it")
    kind = parser.add_mutually_exclusive_group()
    archs = "compute capabilities to compile for, separated by commas; 90 without it"
    kind.add_argument("--archs", metavar="LIST", type=architecture_list, default="90", help=archs)
    sources = (
        "the sources of the tensor stack, its tests and benchmarks, which `run` builds there with nvcc, CMake and ninja, "
        "without lectures"
    )
    kind.add_argument("--source", action="store_true", help=sources)
    return parser.parse_args(argv)


def bundle(arguments):
    out, commit = pathlib.Path(os.path.abspath(arguments.out)), checkout.commit()
    if arguments.source:
        manifest = ROOT / "build/release/bundle-sources.txt"
        write_bundle(ROOT, f"{commit}\nsources\n", out, lambda folder: add_sources(ROOT, manifest, folder))
    else:
        manifest = build_programs(arguments.archs)
        about = f"{commit}\narchitectures {arguments.archs}\n"
        write_bundle(ROOT, about, out, lambda folder: add_programs(ROOT, manifest, folder))
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(f"{shown(out)}: {size / (1 << 20):.1f} MiB; there, on a machine with a GPU: ./run")
    return 0


if __name__ == "__main__":
    sys.exit(checkout.run_command(parse, bundle))
