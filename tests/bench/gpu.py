"""Benchmarks on a GPU: each case of ours in a process of its own, then PyTorch's, within a limit of time."""

import dataclasses
import json
import math
import signal
import time
import typing

from checkout import NOT_STARTED, TIMED_OUT, Failure, run
from cpu import NO_TORCH, NoSuchCase, measure
from table import aligned, bandwidth_text, significant, time_text

NO_GPU, CALL_AGAIN = 3, 75
IMPORT_SECONDS = 60  # to import PyTorch and initialise the GPU, on a machine that has not read it from disk yet


@dataclasses.dataclass
class Time:
    """The time of a program for a case, or why it was not measured; neither if it was not tried."""

    nanoseconds: typing.Optional[float] = None
    error: str = ""


@dataclasses.dataclass
class Row:
    """A case: what tensor_bench printed for it, and the times of both programs."""

    name: str
    fields: dict = dataclasses.field(default_factory=dict)  # FIELDS; empty: not measured
    ours: Time = dataclasses.field(default_factory=Time)
    torch: Time = dataclasses.field(default_factory=Time)

    def limit(self):
        """The nanoseconds that the GPU needs at least; 0 if unknown, or nothing was measured."""
        return self.fields.get("limit_ns", 0)


@dataclasses.dataclass
class Runs:
    rows: list = dataclasses.field(default_factory=list)
    torch: str = ""  # its version; empty: not measured
    why_no_torch: str = ""

    def is_complete(self):
        """Whether every case was measured: by both, or by ours if PyTorch was not requested or is missing."""
        return all(row.ours.nanoseconds is not None and not row.torch.error for row in self.rows)


NUMBER = (int, float)
FIELDS = {  # of a measurement, as tensor_bench prints them
    "name": str,
    "tensors": str,
    "ns": NUMBER,
    "bytes": int,
    "flops": int,
    "limit_ns": NUMBER,
    "limited_by": str,
    "limit_of": str,
    "known": str,
}


def read_ours(name, line):
    """The row of a line of tensor_bench."""
    try:
        found = json.loads(line)
        if found["name"] == name and all(isinstance(found[field], kind) for field, kind in FIELDS.items()):
            return Row(name, {field: found[field] for field in FIELDS}, Time(found["ns"]))
    except (ValueError, KeyError, TypeError):
        pass
    raise Failure(f"it printed `{line}`, which is not a measurement of {name}")


def line_of(**fields):
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def header_line(context):
    return line_of(format="lectern-bench-lines/1", **context)


def our_line(row):
    if row.ours.nanoseconds is None:
        return line_of(of="ours", name=row.name, error=row.ours.error)
    unknown = {} if row.limit() > 0 else {"limit_ns": None, "limited_by": ""}
    return line_of(of="ours", **{**row.fields, **unknown})


def torch_line(row):
    result = {"error": row.torch.error} if row.torch.nanoseconds is None else {"ns": row.torch.nanoseconds}
    return line_of(of="torch", name=row.name, **result)


class Budget:
    """The time limit of all cases together."""

    def __init__(self, begin, limit):
        self.limit, self.end = limit, begin + limit

    def is_used_up(self):
        return time.monotonic() >= self.end

    def at_most(self, seconds):
        return min(seconds, max(1e-3, self.end - time.monotonic()))

    def not_reached(self):
        return f"not reached in {seconds_text(self.limit)}"

    def not_done(self, own):
        if self.is_used_up():
            return f"not done when the limit of {seconds_text(self.limit)} was reached"
        return f"not done after {seconds_text(own)}"


def seconds_text(seconds):
    return f"{seconds:.1f}".removesuffix(".0") + " s"


def how_it_ended(status, said):
    if 128 < status <= 128 + 64:
        how = f"ended by signal {status - 128} ({signal.strsignal(status - 128)})"
    else:
        how = f"exit status {status}"
    return f"{how}: {said}" if said else how


def run_benchmarks(ours, torch, filter, on_result, show, case_limit=30, limit=math.inf):
    """Measures the cases whose names contain `filter`: by ours, each in a process of its own, then by `torch`, or None.

    `on_result` gets each result at once, as a line of JSON; `show` gets the progress. A case that fails, crashes or takes too long
    does not affect the others.
    """
    begin = time.monotonic()
    names = names_with(ours, filter, case_limit)
    budget = Budget(begin, limit * 2 / 3 if torch else limit)  # PyTorch comes last and needs time, too
    runs = Runs()
    for name in names:
        if not budget.is_used_up():
            show(f"{len(runs.rows) + 1} of {len(names)}: {name}")
        runs.rows.append(measure_ours(ours, name, budget, case_limit, is_first=not runs.rows))
        on_result(our_line(runs.rows[-1]))
    if torch:
        Torch(torch, runs, Budget(begin, limit), case_limit, on_result, show).measure()
    return runs


def names_with(ours, filter, limit):
    names = []
    if run([*ours, "--list", "cuda"], names.append, limit=limit) != 0:
        raise Failure(f"{ours[0]} does not list its cases{': ' if names else ''}{names[-1] if names else ''}")
    found = [name for name in names if filter in name]
    if not found:
        raise NoSuchCase(f"no case's name contains `{filter}`; there are: {', '.join(names)}")
    return found


def measure_ours(ours, name, budget, case_limit, is_first):
    if budget.is_used_up():
        return Row(name, ours=Time(error=budget.not_reached()))
    measured = []
    status, said = measure([*ours, "cuda", "--case", name], measured.append, limit=budget.at_most(case_limit))
    if status == NO_GPU and is_first:
        raise Failure(said)
    if status == 0:
        try:
            return read_ours(name, measured[-1] if measured else "")
        except Failure as failure:
            return Row(name, ours=Time(error=str(failure)))
    error = budget.not_done(case_limit) if status == TIMED_OUT else how_it_ended(status, said)
    return Row(name, ours=Time(error=error))


class Torch:
    """Measures PyTorch in one process or, where that dies, in another one for the remaining cases."""

    def __init__(self, program, runs, budget, case_limit, on_result, show):
        self.program, self.runs, self.budget, self.on_result, self.show = program, runs, budget, on_result, show
        self.silence = case_limit + IMPORT_SECONDS
        self.left = list(runs.rows)

    def measure(self):
        while self.left and not self.budget.is_used_up() and not self.runs.why_no_torch:
            self.measure_until_it_dies()
        while self.left and not self.runs.why_no_torch:
            self.fail(self.budget.not_reached())

    def measure_until_it_dies(self):
        names = [row.name for row in self.left]
        self.show(f"PyTorch: {len(names)} cases")
        limit = self.budget.at_most(math.inf)
        status, said = measure([*self.program, "cuda", *names], self.take, limit=limit, silence=self.silence)
        if status in (NO_TORCH, NOT_STARTED):
            self.runs.why_no_torch = said
            self.on_result(line_of(of="torch", error=said))
            return
        if not self.left or (status == CALL_AGAIN and len(self.left) < len(names)):
            return
        if status == TIMED_OUT:
            why = self.budget.not_done(self.silence)
        else:
            why = "torch_bench.py left it out" if status == 0 else how_it_ended(status, said)
        if self.runs.torch:
            return self.fail(why)  # the case that was being measured
        while self.left:
            self.fail(why)

    def take(self, line):
        """Takes a line about PyTorch, or a result; other lines are ignored."""
        try:
            fields = json.loads(line)
            if "torch" in fields:
                if not self.runs.torch:
                    self.on_result(line_of(of="torch", **fields))
                self.runs.torch = f"PyTorch {fields['torch']} with CUDA {fields['cuda']}"
                return
            row = next((row for row in self.left if row.name == fields["name"]), None)
            if row:
                error = fields.get("error", "")
                self.finish(row, Time(error=error) if error else Time(0.0 + fields["ns"]))
        except (ValueError, KeyError, TypeError):
            pass

    def fail(self, error):
        self.finish(self.left[0], Time(error=error))

    def finish(self, row, measured):
        row.torch = measured
        self.left.remove(row)
        self.on_result(torch_line(row))
        if measured.nanoseconds is not None:
            self.show(f"PyTorch: {row.name}, {len(self.left)} to go")


def time_or_error(measured):
    if measured.nanoseconds is not None:
        return time_text(measured.nanoseconds)
    return "✗" if measured.error else ""


def rate_text(row):
    if row.fields["limited_by"] != "arithmetic":
        return bandwidth_text(row.fields["bytes"], row.ours.nanoseconds)
    return significant(row.fields["flops"] / row.ours.nanoseconds / 1e3) + " TFLOP/s"


def cells_of(row):
    ours, torch = row.ours.nanoseconds, row.torch.nanoseconds
    return [
        row.name,
        row.fields.get("tensors", ""),
        time_or_error(row.ours),
        f"{100 * row.limit() / ours:.0f} %" if row.limit() > 0 else "",
        rate_text(row) if row.limit() > 0 else "",
        time_or_error(row.torch),
        f"{torch / ours:.2f}" if ours is not None and torch is not None else "",
        row.fields.get("known", ""),
    ]


def errors_text(program, rows):
    """What was not measured, in order; cases with the same reason together."""
    names = {}
    for row in rows:
        error = getattr(row, program).error
        if error:
            names.setdefault(error, []).append(row.name)
    return "".join(f"✗ {program}, {', '.join(cases)}: {error}\n" for error, cases in names.items())


def count_text(runs):
    ours, torch = (
        sum(getattr(row, program).nanoseconds is not None for row in runs.rows) for program in ("ours", "torch")
    )
    return f"{ours} of {len(runs.rows)} cases measured{f', {torch} of PyTorch' if runs.torch else ''}\n"


def table(context, runs):
    """The table for readers: the context, the rows, and what was not measured and why."""
    titles = ["case", "tensors", "ours", "of limit", "rate", "torch", "torch/ours", "known"]
    out = context + (f"torch: {runs.torch}\n" if runs.torch else "")
    if runs.why_no_torch:
        out += f"PyTorch was not measured: {runs.why_no_torch}\n"
    out += "\n" + aligned([titles, *map(cells_of, runs.rows)]) + "\n"
    limited = next((row for row in runs.rows if row.limit() > 0), None)
    if limited:
        gpu = limited.fields["limit_of"]
        out += f"of limit: the least time that an {gpu} needs for the bytes and operations of a call, through ours\n"
    if any(row.fields.get("known") for row in runs.rows):
        out += "known: what others have published of PyTorch on an H200, of attention on an H100\n"
    return out + errors_text("ours", runs.rows) + errors_text("torch", runs.rows) + count_text(runs)
