"""Shared by the commands of a checkout (bench, bundle): running programs, and building presets of CMakePresets.json."""

import argparse
import ctypes
import math
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_STARTED, TIMED_OUT = 127, -1
KILL_SECONDS = 10  # a process that the system has not ended by then is abandoned


class Failure(Exception):
    """An error that a command reports, with its exit status."""

    status = 1


def run(arguments, on_line, *, environment=None, limit=math.inf, silence=math.inf):
    """Runs a program without standard input; its output and errors go to `on_line`, line by line.

    Returns the exit status, 128 + N for signal N, NOT_STARTED, or TIMED_OUT: after `limit` seconds, or `silence` seconds
    without output, the program and what it started are killed. It is also killed when this process ends.
    """
    libc = ctypes.CDLL(None)
    try:
        child = subprocess.Popen(
            [os.fspath(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
            preexec_fn=lambda: libc.prctl(1, signal.SIGKILL),  # PR_SET_PDEATHSIG
        )
    except OSError:
        on_line(f"{arguments[0]}: it cannot be started")
        return NOT_STARTED
    begin = heard = time.monotonic()
    text = b""
    with child.stdout as output:
        while True:
            left = min(begin + limit, heard + silence) - time.monotonic()
            if left <= 0:
                return kill(child, text, on_line)
            if not select.select([output], [], [], None if left == math.inf else left)[0]:
                continue
            piece = os.read(output.fileno(), 1 << 16)
            if not piece:
                break
            heard = time.monotonic()
            *lines, text = (text + piece).split(b"\n")
            for line in lines:
                on_line(line.decode(errors="replace"))
    try:
        status = child.wait(None if left == math.inf else left)
    except subprocess.TimeoutExpired:
        return kill(child, text, on_line)
    if text:
        on_line(text.decode(errors="replace"))
    return status if status >= 0 else 128 - status


def kill(child, text, on_line):
    os.killpg(child.pid, signal.SIGKILL)
    if text:
        on_line(text.decode(errors="replace"))
    try:
        child.wait(KILL_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    return TIMED_OUT


def output_of(*arguments):
    """A program's standard output; empty if it fails."""
    try:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, text=True)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit(root=ROOT):
    return output_of("git", "-C", root, "describe", "--always", "--dirty", "--exclude=*")


def shown(path):
    """For messages: relative to the current folder if inside it."""
    path, here = pathlib.Path(os.path.abspath(path)), pathlib.Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def cache_entry(tree, name):
    """An entry of a build tree's CMake cache; None if there is none."""
    cache = pathlib.Path(tree) / "CMakeCache.txt"
    for line in cache.read_text().splitlines() if cache.exists() else ():
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return None


def build_preset(preset, target, definitions=None, root=ROOT):
    """Builds a target of a preset; configures its tree first if it is new, out of date, or lacks a definition.

    Returns whether that succeeded, the tree, and the log.
    """
    tree, log = root / "build" / preset, root / f"build/logs/{preset}.log"
    definitions = definitions or {}
    made, presets = tree / "build.ninja", root / "CMakePresets.json"
    commands = [["ninja", "-C", tree, "-k", "0", target]]
    if (
        not made.exists()
        or presets.stat().st_mtime > made.stat().st_mtime
        or any(cache_entry(tree, name) != value for name, value in definitions.items())
    ):
        defined = [f"-D{name}={value}" for name, value in definitions.items()]
        commands.insert(0, ["cmake", "-S", root, "--preset", preset, *defined])
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        built = all(subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode == 0
                    for command in commands)
    return built, tree, log


class Parser(argparse.ArgumentParser):
    """A parser that reports errors as the program `lectern` does."""

    def __init__(self, command, description, epilog):
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(f"lectern {command}", description=description, epilog=epilog, allow_abbrev=False, formatter_class=form)

    def error(self, message):
        self.exit(2, f"lectern: {message}; see `{self.prog} --help`\n")


def run_command(parse, command):
    """Runs a command with what `parse` makes of its arguments, reports its errors and returns its exit status.

    With --check-options before them, these are parsed only.
    """
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stderr.reconfigure(encoding="utf-8")
    words = sys.argv[1:]
    try:
        if words[:1] == ["--check-options"]:
            parse(words[1:])
            return 0
        return command(parse(words))
    except Failure as failure:
        print(f"lectern: {failure}", file=sys.stderr)
        return failure.status
    except OSError as error:
        print(f"lectern: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
