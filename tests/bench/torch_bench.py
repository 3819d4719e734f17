"""The speed of PyTorch's tensor operations on the CPU: torch_bench.py THREADS [FILTER].

Prints a line of JSON about PyTorch, then one for each case whose name contains FILTER: the median time of a call. The cases
of tensor_bench.cpp have the same names and the same tensors. Exit status 77: there is no PyTorch.
"""

import json
import pathlib
import sys

try:
    import torch
    from torch.nn.functional import gelu, silu
    from torch.utils.benchmark import Timer
except ImportError as error:
    print(f"no PyTorch: {error}")
    sys.exit(77)

SECONDS = 0.25
MANY = 1 << 24
rand = torch.rand
functional = torch.nn.functional


def with_gradients(**tensors):
    return {name: tensor.requires_grad_() for name, tensor in tensors.items()}


def layer_norm_tensors():
    return {**with_gradients(x=rand(4096, 4096), w=rand(4096), b=rand(4096)), "g": rand(4096, 4096)}


def cross_entropy_tensors():
    return {**with_gradients(x=rand(4096, 4096)), "t": torch.randint(4096, (4096,))}


def bfloat16_matrices(size):
    return {name: rand(size, size, dtype=torch.bfloat16) for name in "xy"}


def attention(q, k, v, hidden):
    """As it is composed where nothing fused exists."""
    scores = (q @ k.transpose(-2, -1)) * q.size(-1) ** -0.5
    return scores.masked_fill_(hidden, -torch.inf).softmax(-1) @ v


def attention_tensors(length):
    heads = {name: rand(8, length, 64) for name in "qkv"}
    return {**heads, "g": rand(8, length, 64), "hidden": torch.ones(length, length, dtype=torch.bool).triu(1)}


def attention_with_gradients(length):
    tensors = attention_tensors(length)
    return {**tensors, **with_gradients(**{name: tensors[name] for name in "qkv"})}


def parameter_with_gradient():
    parameter = rand(4096, 4096).requires_grad_()
    parameter.grad = rand(4096, 4096)
    return parameter


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.linear1, self.linear2 = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x, hidden):
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, 2))
        x = x + self.out(attention(q, k, v, hidden).transpose(1, 2).flatten(2))
        return x + self.linear2(gelu(self.linear1(self.norm2(x))))


class GPT(torch.nn.Module):
    def __init__(self, vocabulary, length, width, layers, heads):
        super().__init__()
        self.tokens = torch.nn.Embedding(vocabulary, width)
        self.positions = torch.nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = torch.nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm = torch.nn.LayerNorm(width)
        self.hidden = torch.ones(length, length, dtype=torch.bool).triu(1)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x, self.hidden)
        return self.norm(x) @ self.tokens.weight.t()


def step(model, optimizer, loss):
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()


class Adafactor:
    """PyTorch 1.13 has none: the formulas of ours (optim/adafactor.h) for a matrix, in place where they can be."""

    def __init__(self, parameter):
        self.p, self.t = parameter, 0
        self.row, self.col = torch.zeros(parameter.shape[0]), torch.zeros(parameter.shape[1])

    @torch.no_grad()
    def step(self):
        self.t += 1
        rms = lambda x: x.norm() / x.numel() ** 0.5
        share, rate = self.t**-0.8, min(1e-2, self.t**-0.5) * rms(self.p).clamp_(min=1e-3)
        square = (self.p.grad**2).add_(1e-30)
        self.row.lerp_(square.mean(1), share)
        self.col.lerp_(square.mean(0), share)
        update = torch.outer((self.row / self.row.mean()).rsqrt_(), self.col.rsqrt()).mul_(self.p.grad)
        self.p.sub_(update.mul_(rate / rms(update).clamp_(min=1)))


def mlp():
    model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1024))
    x, y = torch.randn(64, 1024), torch.randn(64, 1024)
    return {"m": model, "o": torch.optim.AdamW(model.parameters()), "loss": lambda: functional.mse_loss(model(x), y)}


def gpt():
    model = GPT(4096, 256, 256, 4, 4)
    tokens, targets = torch.randint(4096, (8, 256)), torch.randint(4096, (8 * 256,))
    return {
        "m": model,
        "o": torch.optim.AdamW(model.parameters()),
        "loss": lambda: functional.cross_entropy(model(tokens).flatten(0, 1), targets),
    }


ATTENTION = "attention(q, k, v, hidden)"
ATTENTION_BACKWARD = "torch.autograd.grad(attention(q, k, v, hidden), (q, k, v), g)"

# name: (what is timed, what makes its tensors)
CASES = {
    "matmul_512": ("x @ y", lambda: {"x": rand(512, 512), "y": rand(512, 512)}),
    "matmul_1024": ("x @ y", lambda: {"x": rand(1024, 1024), "y": rand(1024, 1024)}),
    "matmul_2048": ("x @ y", lambda: {"x": rand(2048, 2048), "y": rand(2048, 2048)}),
    "matmul_bfloat16_512": ("x @ y", lambda: bfloat16_matrices(512)),
    "matmul_bfloat16_2048": ("x @ y", lambda: bfloat16_matrices(2048)),
    "matmul_batched": ("x @ y", lambda: {"x": rand(64, 256, 256), "y": rand(64, 256, 256)}),
    "add": ("x + y", lambda: {"x": rand(MANY), "y": rand(MANY)}),
    "add_": ("x.add_(y)", lambda: {"x": rand(MANY), "y": rand(MANY)}),
    "add_strided": ("x + y", lambda: {"x": rand(4096, 8192)[:, ::2], "y": rand(4096, 8192)[:, ::2]}),
    "add_transposed": ("x + y", lambda: {"x": rand(4096, 4096), "y": rand(4096, 4096).t()}),
    "add_row": ("x + y", lambda: {"x": rand(4096, 4096), "y": rand(4096)}),
    "add_column": ("x + y", lambda: {"x": rand(4096, 4096), "y": rand(4096, 1)}),
    "copy": ("x.clone()", lambda: {"x": rand(MANY)}),
    "copy_transposed": ("x.contiguous()", lambda: {"x": rand(4096, 4096).t()}),
    "sum": ("x.sum()", lambda: {"x": rand(MANY)}),
    "sum_dim0": ("x.sum(0)", lambda: {"x": rand(4096, 4096)}),
    "sum_dim1": ("x.sum(1)", lambda: {"x": rand(4096, 4096)}),
    "var_dim1": ("x.var(1)", lambda: {"x": rand(4096, 4096)}),
    "softmax": ("x.softmax(1)", lambda: {"x": rand(4096, 4096)}),
    "softmax_backward": (
        "torch.autograd.grad(x.softmax(1), x, g)",
        lambda: {**with_gradients(x=rand(4096, 4096)), "g": rand(4096, 4096)},
    ),
    "gelu_backward": (
        "torch.autograd.grad(gelu(x), x, g)",
        lambda: {**with_gradients(x=rand(4096, 4096)), "g": rand(4096, 4096)},
    ),
    "softmax_dim0": ("x.softmax(0)", lambda: {"x": rand(4096, 4096)}),
    "log_softmax": ("x.log_softmax(1)", lambda: {"x": rand(4096, 4096)}),
    "layer_norm": ("functional.layer_norm(x, (4096,), w, b)", layer_norm_tensors),
    "layer_norm_backward": (
        "torch.autograd.grad(functional.layer_norm(x, (4096,), w, b), (x, w, b), g)",
        layer_norm_tensors,
    ),
    "cross_entropy": ("functional.cross_entropy(x, t)", cross_entropy_tensors),
    "cross_entropy_backward": (
        "torch.autograd.grad(functional.cross_entropy(x, t), x)",
        cross_entropy_tensors,
    ),
    "attention_512": (ATTENTION, lambda: attention_tensors(512)),
    "attention_2048": (ATTENTION, lambda: attention_tensors(2048)),
    "attention_512_backward": (ATTENTION_BACKWARD, lambda: attention_with_gradients(512)),
    "attention_2048_backward": (ATTENTION_BACKWARD, lambda: attention_with_gradients(2048)),
    "adamw": ("o.step()", lambda: {"o": torch.optim.AdamW([parameter_with_gradient()])}),
    "adafactor": ("o.step()", lambda: {"o": Adafactor(parameter_with_gradient())}),
    "clip_grad_norm_": ("torch.nn.utils.clip_grad_norm_(p, 0)", lambda: {"p": parameter_with_gradient()}),
    "mlp_step": ("step(m, o, loss)", mlp),
    "gpt_step": ("step(m, o, loss)", gpt),
    "exp": ("x.exp()", lambda: {"x": rand(MANY)}),
    "tanh": ("x.tanh()", lambda: {"x": rand(MANY) * 8 - 4}),
    "sigmoid": ("x.sigmoid()", lambda: {"x": rand(MANY) * 8 - 4}),
    "silu": ("silu(x)", lambda: {"x": rand(MANY) * 8 - 4}),
    "gelu": ("gelu(x)", lambda: {"x": rand(MANY) * 8 - 4}),
    "gelu_tanh": ("gelu(x, approximate='tanh')", lambda: {"x": rand(MANY) * 8 - 4}),
    "where": ("torch.where(c, x, y)", lambda: {"x": rand(MANY), "y": rand(MANY), "c": rand(MANY) > 0.5}),
    "to_bfloat16": ("x.to(torch.bfloat16)", lambda: {"x": rand(MANY)}),
    "small_add": ("x + y", lambda: {"x": rand(8), "y": rand(8)}),
    "small_add_recorded": ("x + y", lambda: {**with_gradients(x=rand(8)), "y": rand(8)}),
    "small_add_backward": ("(x + y).backward(g)", lambda: {**with_gradients(x=rand(8)), "y": rand(8), "g": rand(8)}),
    "small_add_": ("x.add_(y)", lambda: {"x": rand(8), "y": rand(8)}),
    "view_select": ("x[0]", lambda: {"x": rand(64, 64)}),
    "view_t": ("x.t()", lambda: {"x": rand(64, 64)}),
    "view_view": ("x.view(4096)", lambda: {"x": rand(64, 64)}),
}


def blas():
    """The library of matrix products that was loaded, as FOLDER/FILE."""
    paths = {line.split()[-1] for line in open("/proc/self/maps") if "blas" in line}
    path = next((path for path in paths if "libopenblas" in path), min(paths, default="no BLAS"))
    return "/".join(pathlib.Path(path).parts[-2:])


def main():
    threads, filter = int(sys.argv[1]), (sys.argv[2:] or [""])[0]
    print(json.dumps({"torch": torch.__version__, "blas": blas()}), flush=True)
    for name, (statement, make) in CASES.items():
        if filter not in name:
            continue
        names = {"torch": torch, "functional": functional, "silu": silu, "gelu": gelu, "attention": attention, "step": step}
        timer = Timer(statement, globals=names | make(), num_threads=threads)
        nanoseconds = 1e9 * timer.blocked_autorange(min_run_time=SECONDS).median
        print(json.dumps({"name": name, "threads": threads, "ns": round(nanoseconds, 2)}), flush=True)


main()
