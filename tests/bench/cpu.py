"""Benchmarks on the CPU: ours and PyTorch's by turns, compared with their bars."""

import dataclasses
import json

from checkout import NOT_STARTED, Failure, run
from table import aligned, bandwidth_text, significant, time_text

NOISE = 0.05  # by which two runs of the same program differ
NO_SUCH_CASE, NO_TORCH = 2, 77


class NoSuchCase(Failure):
    status = 2


@dataclasses.dataclass
class Row:
    """A case at a number of threads. Times are nanoseconds per call, one per round."""

    name: str
    tensors: str = ""
    threads: int = 1
    bytes: int = 0  # read and written by a call
    flops: int = 0
    bar: float = 0  # the nanoseconds that a call may take; 0: as many as PyTorch's
    faster: float = 1  # how many times as fast as PyTorch it must be
    copy_bar: float = 0  # how many times as long as a copy it may take
    obstacle: str = ""  # why it misses its bar
    copies: list = dataclasses.field(default_factory=list)  # times of a copy of as many bytes, if memory-bound
    arithmetic: list = dataclasses.field(default_factory=list)  # the least time for the formula's operations
    ours: list = dataclasses.field(default_factory=list)
    torch: list = dataclasses.field(default_factory=list)  # empty: not measured

    # Whatever else runs on the machine makes a round longer, never shorter: the shortest counts, on both sides.
    def our_time(self):
        return min(self.ours)

    def torch_time(self):
        return min(self.torch) if self.torch else None

    def ratio(self):
        """PyTorch's time divided by ours: above 1, ours is faster."""
        return self.torch_time() / self.our_time() if self.torch else None

    def limit(self):
        """What limits a memory-bound case: the copy, or the arithmetic if that takes longer on this processor."""
        if not self.copies:
            return None
        is_arithmetic = self.arithmetic and min(self.arithmetic) > min(self.copies)
        return "arithmetic" if is_arithmetic else "copy"

    def over_copy(self):
        """Our time divided by that of the limit."""
        if not self.copies:
            return None
        return self.our_time() / min(self.arithmetic if self.limit() == "arithmetic" else self.copies)

    def is_fast_enough(self):
        """Whether it is as fast as PyTorch, noise aside, or as many times as fast as it must be."""
        return self.ratio() is None or self.ratio() >= (self.faster if self.faster > 1 else 1 - NOISE)

    def held(self):
        """Whether it holds its bars; None if it has none."""
        if self.bar > 0:
            return self.our_time() <= self.bar
        if not self.torch and not self.copies:
            return None
        return self.is_fast_enough() and (self.over_copy() or 0) <= self.copy_bar

    def is_missed(self):
        return self.held() is False

    def title(self):
        return f"{self.name} ({threads_text(self.threads)})"


def threads_text(threads):
    return f"{threads} thread{'' if threads == 1 else 's'}"


def fields_of(program, line, names):
    try:
        fields = json.loads(line)
        for name, kind in names.items():
            if not isinstance(fields[name], kind):
                raise TypeError(name)
        return fields
    except (ValueError, KeyError, TypeError):
        raise Failure(f"{program} printed `{line}`, which is not a measurement") from None


MEASURED = {"name": str, "threads": int, "ns": (int, float)}


def find(rows, fields):
    return next((row for row in rows if (row.name, row.threads) == (fields["name"], fields["threads"])), None)


def add_ours(rows, line):
    """Takes in a line of tensor_bench."""
    fields = fields_of("tensor_bench", line, {**MEASURED, "tensors": str, "bytes": int, "flops": int})
    row = find(rows, fields)
    if row is None:
        kept = ("name", "tensors", "threads", "bytes", "flops", "faster", "copy_bar", "obstacle")
        row = Row(**{name: fields[name] for name in kept if name in fields}, bar=fields.get("bar_ns", 0))
        rows.append(row)
    row.ours.append(fields["ns"])
    for times, name in ((row.copies, "copy_ns"), (row.arithmetic, "arithmetic_ns")):
        if fields.get(name, 0) > 0:
            times.append(fields[name])


def add_torch(rows, line):
    """Takes in a line of torch_bench.py."""
    fields = fields_of("torch_bench.py", line, MEASURED)
    row = find(rows, fields)
    if row is None:
        raise Failure(f"torch_bench.py has a case `{fields['name']}`, tensor_bench does not; give both the same cases")
    row.torch.append(fields["ns"])


@dataclasses.dataclass
class Runs:
    rows: list = dataclasses.field(default_factory=list)
    torch: str = ""  # its version and BLAS; empty: not measured
    why_no_torch: str = ""


def run_benchmarks(ours, torch, threads, filter, rounds, show, torch_environment=None):
    """Runs both programs by turns, so that a disturbance of the machine affects both, and as often again what missed its
    bar: others on the same host may take its bandwidth for minutes. `torch` may be None."""
    runs = Runs()

    def take_torch(line):
        if line.startswith('{"torch"'):
            fields = json.loads(line)
            runs.torch = f"PyTorch {fields['torch']} with {fields['blas']}"
        else:
            add_torch(runs.rows, line)

    def measure_both(title, *which):
        nonlocal torch
        show(f"{title}: ours")
        status, said = measure([*ours, *which], lambda line: add_ours(runs.rows, line))
        if status == NO_SUCH_CASE:
            raise NoSuchCase(said)
        if status != 0:
            raise Failure(f"tensor_bench failed with exit status {status}: {said}")
        if torch is None:
            return
        show(f"{title}: torch")
        status, said = measure([*torch, *which], take_torch, environment=torch_environment)
        if status in (NO_TORCH, NOT_STARTED):
            torch, runs.why_no_torch = None, said
        elif status != 0:
            raise Failure(f"torch_bench.py failed with exit status {status}: {said}")

    for count in threads:
        for number in range(1, rounds + 1):
            measure_both(f"{threads_text(count)}, round {number} of {rounds}", str(count), filter)
        for row in [row for row in runs.rows if row.threads == count and row.is_missed()]:
            for number in range(1, rounds + 1):
                title = f"{row.title()}, again, round {number} of {rounds}"
                measure_both(title, str(count), "--case", row.name)
    return runs


def measure(arguments, on_json, **options):
    """Runs a benchmark program. Returns its exit status and its last line that is not JSON."""
    said = ""

    def take(line):
        nonlocal said
        if line.startswith("{"):
            on_json(line)
        elif line:
            said = line

    return run(arguments, take, **options), said


def rate_text(row):
    if row.bar > 0 or row.bytes == 0:
        return ""
    if row.flops <= row.bytes:
        return bandwidth_text(row.bytes, row.our_time())
    return significant(row.flops / row.our_time()) + " GFLOP/s"


def bar_text(row):
    held = row.held()
    if held is None:
        return ""
    if row.bar > 0:
        return f"{'✓ ≤' if held else '✗ >'} {time_text(row.bar)}"
    parts = []
    if row.over_copy() is not None:
        parts.append(f"{significant(row.over_copy())} × {row.limit()} (≤ {row.copy_bar:g})")
    if row.torch and row.faster > 1:
        parts.append(f"{'≥' if row.is_fast_enough() else '<'} {row.faster:g} times as fast")
    elif row.torch:
        parts.append("as fast" if row.is_fast_enough() else "slower")
    return f"{'✓' if held else '✗'} {', '.join(parts)}"


def cells_of(row):
    # A case with a bar of its own is short, so that the call from Python is part of PyTorch's time.
    torch = time_text(row.torch_time()) + ("*" if row.bar > 0 else " ") if row.torch else ""
    ratio = f"{row.ratio():.2f}" if row.torch else ""
    return [row.name, row.tensors, str(row.threads), time_text(row.our_time()), torch, ratio, rate_text(row), bar_text(row)]


def count_text(rows):
    bars = [row for row in rows if row.held() is not None]
    if not bars:
        return ""
    missed = [row.title() for row in bars if row.is_missed()]
    return f"{len(bars) - len(missed)} of {len(bars)} bars held{'; missed: ' if missed else ''}{', '.join(missed)}\n"


def table(context, runs, rounds):
    """The table for readers: the context, the rows, and which bars were held."""
    rows = runs.rows
    titles = ["case", "tensors", "threads", "ours", "torch ", "torch/ours", "rate", "bar"]
    out = context + (f"torch: {runs.torch}\n" if runs.torch else "")
    out += f"The shortest of {rounds} rounds" if rounds > 1 else "One round"
    out += f", of {2 * rounds} for what missed its bar in these.\n\n" if any(len(row.ours) > rounds for row in rows) else ".\n\n"
    out += aligned([titles, *map(cells_of, rows)]) + "\n"
    if any(row.bar > 0 and row.torch for row in rows):
        out += "* called from Python, which is part of the time\n"
    if any(row.copies for row in rows):
        out += "× copy: of as many bytes, in the same run\n"
    if any(row.limit() == "arithmetic" for row in rows):
        out += (
            "× arithmetic: the formula's multiply-adds, at the best rate of this processor in the same run, take longer "
            "than the copy\n"
        )
    if runs.torch:
        out += f"as fast: torch/ours is at least {1 - NOISE:.2f}\n"
    for row in rows:
        if row.is_missed() and row.obstacle:
            out += f"{row.title()}: {row.obstacle}\n"
    return out + count_text(rows)


def as_json(context, runs, rounds):
    """The same for programs, with the times of all rounds."""
    rows = [
        {
            "name": row.name,
            "tensors": row.tensors,
            "threads": row.threads,
            "bytes": row.bytes,
            "flops": row.flops,
            "ours_ns": row.our_time(),
            "torch_ns": row.torch_time(),
            "ratio": row.ratio(),
            "over_copy": row.over_copy(),
            "limit": row.limit(),
            "bar_ns": row.bar or None,
            "held": row.held(),
            "obstacle": row.obstacle if row.is_missed() else "",
            "ours_rounds_ns": row.ours,
            "torch_rounds_ns": row.torch,
        }
        for row in runs.rows
    ]
    document = {"format": "lectern-bench/1", **context, "torch": runs.torch, "rounds": rounds, "rows": rows}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
