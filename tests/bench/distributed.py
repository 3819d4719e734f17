#!/usr/bin/python3
"""distributed.py PROGRAM: all_reduce of PROGRAM (distributed_bench) beside that of PyTorch's Gloo, for 2 and 4 processes.
distributed.py PROGRAM train: a step of a small GPT by 2 processes of one thread beside that by one of 2 threads.

Both all_reduce take the maximum of float32 numbers, with one thread a process. Times are medians, in microseconds; the two sides
take turns, and of three turns the fastest counts.
"""
import os
import socket
import statistics
import subprocess
import sys
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def torch_rank(rank, ranks, port):
    """What distributed_bench.cpp does, with PyTorch."""
    import torch
    import torch.distributed as dist
    dist.init_process_group('gloo', init_method=f'tcp://127.0.0.1:{port}', rank=rank, world_size=ranks)
    size = 1 << 10
    while size <= 64 << 20:
        x = torch.ones(size // 4)
        repeats = 200 if size < 1 << 20 else 30 if size < 16 << 20 else 8
        seconds = []
        for i in range(-2, repeats):
            start = time.perf_counter()
            dist.all_reduce(x, dist.ReduceOp.MAX)
            if i >= 0:
                seconds.append(time.perf_counter() - start)
        if rank == 0:
            print(size, statistics.median_high(seconds), flush=True)
        size *= 4
    dist.destroy_process_group()


def measured(command, ranks, threads=1, what=()):
    """Seconds by size."""
    port = str(free_port())
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    processes = [subprocess.Popen([*command, str(rank), str(ranks), port, *what], env=environment, text=True,
                                  stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL)
                 for rank in range(ranks)]
    output, _ = processes[0].communicate(timeout=600)
    if any(process.wait(60) for process in processes):
        sys.exit('a rank failed')
    return {int(size): float(seconds) for size, seconds in (line.split() for line in output.splitlines())}


def compare(sides, columns, title):
    """A table of what the two functions of `sides` measure."""
    best = ({}, {})
    for _ in range(3):
        for side, times in zip(sides, best):
            for size, seconds in side().items():
                times[size] = min(seconds, times.get(size, seconds))
    print(f'{title}\n{columns[0]:>10} {columns[1]:>12} {columns[2]:>12} {"ratio":>7}')
    for size, ours in best[0].items():
        theirs = best[1][size]
        print(f'{size:>10} {ours * 1e6:>12.1f} {theirs * 1e6:>12.1f} {ours / theirs:>7.2f}')


def main():
    if len(sys.argv) == 5:
        return torch_rank(*map(int, sys.argv[2:]))
    program = [sys.argv[1]]
    if sys.argv[2:] == ['train']:
        return compare((lambda: measured(program, 2, 1, ['train']), lambda: measured(program, 1, 2, ['train'])),
                       ('tokens', '2 processes', '2 threads'), 'a step of a small GPT')
    for ranks in (2, 4):
        compare((lambda: measured(program, ranks),
                 lambda: measured([sys.executable, '-B', __file__, 'torch'], ranks)),
                ('bytes', 'ours', 'PyTorch'), f'{ranks} processes')


if __name__ == '__main__':
    main()
