"""The command `./lectern bench`: benchmarks the tensor operations, beside PyTorch (README.md)."""

import argparse
import datetime
import math
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import checkout  # noqa: E402
import cpu  # noqa: E402
import gpu  # noqa: E402
from checkout import Failure, shown  # noqa: E402

TORCH_BENCH = FOLDER / "torch_bench.py"

EPILOG = """\
A bar is a time that a case may take, or PyTorch's time. That is Debian's PyTorch with OpenBLAS in its OpenMP build, whose malloc
keeps freed memory.

On a GPU there are no bars. Each case runs in a process of its own: one that fails, crashes or hangs does not affect the others.
PyTorch is that of the python3 on the PATH.

Exit status: 0 every bar was held or, on a GPU, every case was measured; 1 one was not, or something failed; 2 the command line is
wrong or no case matches; 3 something is not installed."""


def number_between(least, most):
    def number(text):
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"`{text}` is not a number from {least} to {most}")
        return int(text)

    return number


def numbers_of_threads(text):
    return [number_between(1, 1024)(part) for part in text.split(",")]


def file(text):
    path = pathlib.Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return path.absolute()


def processors():
    return len(os.sched_getaffinity(0))


def parser():
    result = checkout.Parser("bench", "Benchmarks the tensor operations", EPILOG)
    add = result.add_argument
    add("filter", metavar="FILTER", nargs="?", default="", help="only the cases whose names contain this")
    add("--device", choices=["cpu", "cuda"], default="cpu", help="cpu, or cuda for the first GPU")
    add("--against", choices=["torch"], help="measures PyTorch too, by turns with ours, on a GPU after ours")
    add("--program", type=file, metavar="FILE", help="a tensor_bench that is already built, as in a bundle")
    add = result.add_argument_group("on the CPU").add_argument
    default_threads = "1,2" if processors() > 1 else "1"
    threads = f"numbers of threads, separated by commas; {default_threads} without it"
    add("--threads", type=numbers_of_threads, metavar="N[,N…]", help=threads)
    rounds = "how often each program runs, of which the shortest counts; 5 without it"
    add("--rounds", type=number_between(1, 1000), metavar="N", help=rounds)
    add("--json", type=pathlib.Path, metavar="FILE", help="a file for the results, with the times of all rounds")
    add = result.add_argument_group("with --device cuda").add_argument
    add("--json-lines", type=pathlib.Path, metavar="FILE", help="a file to which each result is appended at once")
    seconds = number_between(1, 1_000_000)
    add("--limit", type=seconds, metavar="SECONDS", help="ends the run within this time, and reports what was not reached")
    add("--case-limit", type=seconds, metavar="SECONDS", help="kills a case that takes longer; 30 without it")
    return result


CPU_OPTIONS, GPU_OPTIONS = ("threads", "rounds", "json"), ("json_lines", "limit", "case_limit")


def parse(argv):
    options = parser()
    arguments = options.parse_args(argv)
    on_gpu = arguments.device == "cuda"
    for name in CPU_OPTIONS if on_gpu else GPU_OPTIONS:
        if getattr(arguments, name) is not None:
            option = "--" + name.replace("_", "-")
            options.error(f"{option} is {'not for --device cuda' if on_gpu else 'for --device cuda only'}")
    if not on_gpu and arguments.program and arguments.against:
        options.error("--program excludes --against without --device cuda")
    return arguments


class StatusLine:
    """Progress on standard error: on a terminal a single line, cleared in the end; elsewhere a line each time."""

    def __init__(self):
        self.is_terminal = sys.stderr.isatty()

    def show(self, what):
        print(f"\r\x1b[K{what}" if self.is_terminal else f"  {what}\n", end="", file=sys.stderr, flush=True)

    def __enter__(self):
        return self.show

    def __exit__(self, *_):
        if self.is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def build_program(show):
    show("building the benchmarks")
    built, tree, log = checkout.build_preset("bench", "tensor_bench")
    if not built:
        raise Failure(f"the benchmarks did not build; the whole log: {shown(log)}")
    return tree / "bin/tensor_bench"


def measured_commit(program):
    """The checkout's commit, or that of a given program, from the file `commit` beside its folder."""
    if program is None:
        return checkout.commit() or "unknown"
    recorded = program.parent.parent / "commit"
    return recorded.read_text().partition("\n")[0] if recorded.exists() else "unknown"


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{models[0] if models else 'unknown processor'}, {processors()} logical"


def graphics_processor():
    found = checkout.output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    name, comma, driver = found.partition("\n")[0].partition(", ")
    return f"{name}, driver {driver}" if comma else "unknown GPU"


def context_of(device, arguments):
    return {"device": device, "date": datetime.date.today().isoformat(), "commit": measured_commit(arguments.program)}


def heading(context):
    return f"{context['device']}, {context['date']}, commit {context['commit']}\n"


def torch_environment(program):
    """Makes the comparison fair: one thread pool (OpenBLAS in its OpenMP build), and a malloc that keeps freed memory instead of
    returning it to the system page by page."""
    openblas = checkout.cache_entry(program.parent.parent, "OPENBLAS_LIBRARY") or ""
    folders = [os.path.dirname(openblas), os.environ.get("LD_LIBRARY_PATH", "")]
    return {
        "LD_LIBRARY_PATH": ":".join(filter(None, folders)),
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": "17179869184",
        "MALLOC_TOP_PAD_": "268435456",
    }


def bench_on_cpu(arguments):
    rounds = arguments.rounds or 5
    threads = arguments.threads or ([1, 2] if processors() > 1 else [1])
    torch = ["/usr/bin/python3", "-B", TORCH_BENCH] if arguments.against else None
    with StatusLine() as show:
        program = arguments.program or build_program(show)
        environment = torch_environment(program) if torch else None
        runs = cpu.run_benchmarks([program], torch, threads, arguments.filter, rounds, show, environment)
    if runs.why_no_torch:
        print(f"lectern: PyTorch was not measured ({runs.why_no_torch}); install python3-torch", file=sys.stderr)
    context = context_of(processor(), arguments)
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(cpu.as_json(context, runs, rounds), encoding="utf-8")
    print(cpu.table(heading(context), runs, rounds), end="")
    return 1 if any(row.is_missed() for row in runs.rows) else 0


class LinesFile:
    """Appends lines to a file, each at once, so that nothing is lost if this process is killed."""

    def __init__(self, path):
        self.path, self.is_whole = path, True
        try:
            self.file = open(path, "a", encoding="utf-8") if path else None
        except OSError:
            raise Failure(f"{shown(path)} cannot be written; name a file in a folder that is there") from None

    def add(self, line):
        try:
            if self.file:
                print(line, file=self.file, flush=True)
        except OSError:
            self.is_whole = False

    def finish(self):
        if not self.is_whole:
            raise Failure(f"{shown(self.path)} is incomplete; check whether the disk is full")


def bench_on_gpu(arguments):
    results = LinesFile(arguments.json_lines)
    with StatusLine() as show:
        program = arguments.program or build_program(show)
        torch = ["python3", "-B", TORCH_BENCH] if arguments.against else None
        context = context_of(graphics_processor(), arguments)
        results.add(gpu.header_line(context))
        limits = arguments.case_limit or 30, arguments.limit or math.inf
        runs = gpu.run_benchmarks([program], torch, arguments.filter, results.add, show, *limits)
    print(gpu.table(heading(context), runs), end="")
    results.finish()
    return 0 if runs.is_complete() else 1


def bench(arguments):
    return bench_on_gpu(arguments) if arguments.device == "cuda" else bench_on_cpu(arguments)


if __name__ == "__main__":
    sys.exit(checkout.run_command(parse, bench))
