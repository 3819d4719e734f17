#!/usr/bin/python3
"""distributed.py PROGRAM: all_reduce of PROGRAM (distributed_bench) beside that of PyTorch's Gloo, for 2 and 4 processes.

Both take the maximum of float32 numbers, with one thread a process. Times are medians, in microseconds; the two take turns, and
of three turns the fastest counts.
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


def measured(command, ranks):
    """Seconds by size."""
    port = str(free_port())
    environment = dict(os.environ, OMP_NUM_THREADS='1')
    processes = [subprocess.Popen([*command, str(rank), str(ranks), port], env=environment, text=True,
                                  stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL)
                 for rank in range(ranks)]
    output, _ = processes[0].communicate(timeout=600)
    if any(process.wait(60) for process in processes):
        sys.exit('a rank failed')
    return {int(size): float(seconds) for size, seconds in (line.split() for line in output.splitlines())}


def main():
    if len(sys.argv) == 5:
        return torch_rank(*map(int, sys.argv[2:]))
    sides = {'ours': [sys.argv[1]], 'torch': [sys.executable, '-B', __file__, 'torch']}
    for ranks in (2, 4):
        best = {side: {} for side in sides}
        for _ in range(3):
            for side, command in sides.items():
                for size, seconds in measured(command, ranks).items():
                    best[side][size] = min(seconds, best[side].get(size, seconds))
        print(f'{ranks} processes\n{"bytes":>10} {"ours":>12} {"PyTorch":>12} {"ratio":>7}')
        for size, ours in best['ours'].items():
            theirs = best['torch'][size]
            print(f'{size:>10} {ours * 1e6:>12.1f} {theirs * 1e6:>12.1f} {ours / theirs:>7.2f}')


if __name__ == '__main__':
    main()
