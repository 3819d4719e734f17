"""The speed of PyTorch's tensor operations.

torch_bench.py THREADS [FILTER | --case NAME]       on the CPU, the cases whose names contain FILTER, or the one NAME
torch_bench.py [--tiny] [--on cpu] cuda [NAME…]     on the GPU, the cases of these names, or all
torch_bench.py --list cuda                          the names of those

Prints a line of JSON about PyTorch, then one for each case: the median time of a call, or, on a GPU, what went wrong. The
cases of tensor_bench have the same names and the same tensors. --tiny makes the tensors small and calls each twice, to see
whether it runs; --on cpu does so without a GPU. Written for PyTorch 1.13 and 2.
Exit status: 77 there is no PyTorch, or it finds no GPU; 75 after what the last line says the GPU is of no use to this
process: call again for the other cases.
"""

import argparse
import collections
import functools
import gc
import json
import pathlib
import statistics
import sys
import time

try:
    import torch
    from torch.nn.functional import gelu, silu
    from torch.utils.benchmark import Timer
except ImportError as error:
    print(f"no PyTorch: {error}")
    sys.exit(77)

SECONDS = 0.25
BLOCK_SECONDS = 1e-3
QUEUED = 500  # a GPU's queue has room for 1,024 kernels
MANY = 1 << 24
NO_TORCH, CALL_AGAIN = 77, 75
functional = torch.nn.functional
fused_attention = getattr(functional, "scaled_dot_product_attention", None)  # PyTorch 2

device = "cpu"  # where all tensors are


def rand(*sizes, dtype=None):
    return torch.rand(*sizes, dtype=dtype, device=device)


def randn(*sizes):
    return torch.randn(*sizes, device=device)


def randint(high, sizes):
    return torch.randint(high, sizes, device=device)


def with_gradients(**tensors):
    return {name: tensor.requires_grad_() for name, tensor in tensors.items()}


def matrices(rows, columns, names="xy", dtype=None):
    return {name: rand(rows, columns, dtype=dtype) for name in names}


def matrix_and_gradient(rows, columns, dtype=None):
    return {**with_gradients(x=rand(rows, columns, dtype=dtype)), "g": rand(rows, columns, dtype=dtype)}


def layer_norm_tensors(rows, columns, dtype=None):
    parameters = {"w": rand(columns, dtype=dtype), "b": rand(columns, dtype=dtype)}
    return {**with_gradients(x=rand(rows, columns, dtype=dtype), **parameters), "g": rand(rows, columns, dtype=dtype)}


def cross_entropy_tensors(rows, classes, dtype=None):
    return {**with_gradients(x=rand(rows, classes, dtype=dtype)), "t": randint(classes, (rows,))}


def attention(q, k, v, hidden):
    """As it is composed where nothing fused exists."""
    scores = (q @ k.transpose(-2, -1)) * q.size(-1) ** -0.5
    return scores.masked_fill_(hidden, -torch.inf).softmax(-1) @ v


def later_keys(length):
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(1)


def prefer_fast_attention():
    """cuDNN's where it applies, then FlashAttention; in force as long as what this returns lives."""
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        order = ("CUDNN_ATTENTION", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH")
        chosen = sdpa_kernel([getattr(SDPBackend, name) for name in order], set_priority=True)
        chosen.__enter__()
        return chosen
    except (ImportError, AttributeError, TypeError):  # before PyTorch 2.6
        return None


def causal_attention(q, k, v):
    """PyTorch's own, where it has one."""
    if fused_attention:
        return fused_attention(q, k, v, is_causal=True)
    return attention(q, k, v, later_keys(q.size(-2)))


def attention_to_all(q, k, v):
    """As causal_attention(), of queries that see all keys."""
    if fused_attention:
        return fused_attention(q, k, v)
    return (q @ k.transpose(-2, -1) * q.size(-1) ** -0.5).softmax(-1) @ v


def causal_flash_attention(q, k, v):
    """By FlashAttention, where it applies; not by cuDNN."""
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel
    except ImportError:
        return causal_attention(q, k, v)
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
        return causal_attention(q, k, v)


def deterministic(function):
    torch.use_deterministic_algorithms(True)
    try:
        return function()
    finally:
        torch.use_deterministic_algorithms(False)


def attention_tensors(length):
    heads = {name: rand(8, length, 64) for name in "qkv"}
    return {**heads, "g": rand(8, length, 64), "hidden": later_keys(length)}


def attention_with_gradients(length):
    tensors = attention_tensors(length)
    return {**tensors, **with_gradients(**{name: tensors[name] for name in "qkv"})}


def parameter_with_gradient(rows):
    parameter = rand(rows, rows).requires_grad_()
    parameter.grad = rand(rows, rows)
    return parameter


class Block(torch.nn.Module):
    def __init__(self, width, heads, attend):
        super().__init__()
        self.heads, self.attend = heads, attend
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.linear1, self.linear2 = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, 2))
        x = x + self.out(self.attend(q, k, v).transpose(1, 2).flatten(2))
        return x + self.linear2(gelu(self.linear1(self.norm2(x))))


class GPT(torch.nn.Module):
    def __init__(self, vocabulary, length, width, layers, heads, attend):
        super().__init__()
        self.tokens = torch.nn.Embedding(vocabulary, width)
        self.positions = torch.nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = torch.nn.ModuleList([Block(width, heads, attend) for _ in range(layers)])
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.tokens.weight.t()


def step(model, optimizer, loss):
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()


class Adafactor:
    """PyTorch 1.13 has none: the formulas of ours (optim/adafactor.h) for a matrix, in place where they can be."""

    def __init__(self, parameter):
        self.p, self.t = parameter, 0
        self.row, self.col = (torch.zeros(size, device=device) for size in parameter.shape)

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


def adafactor(parameter):
    own = getattr(torch.optim, "Adafactor", None)
    return own([parameter]) if own and device == "cuda" else Adafactor(parameter)


def adamw(parameters):
    """The fastest that there is."""
    fused = {"fused": True} if fused_attention and device == "cuda" else {}
    return torch.optim.AdamW(parameters, **fused)


def training(model, loss):
    return {"m": model, "o": adamw(model.parameters()), "loss": loss}


def mlp(batch, width):
    layers = torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)
    model = torch.nn.Sequential(*layers).to(device)
    x, y = randn(batch, width), randn(batch, width)
    return training(model, lambda: functional.mse_loss(model(x), y))


def gpt(vocabulary, length, width, layers, heads, attend, autocast=False, compiles=False):
    """compiles: the loss, too."""
    model = GPT(vocabulary, length, width, layers, heads, attend).to(device)
    tokens, targets = randint(vocabulary, (8, length)), randint(vocabulary, (8 * length,))

    def loss_of_tokens():
        return functional.cross_entropy(model(tokens).flatten(0, 1), targets)

    forward = compiled(loss_of_tokens) if compiles else loss_of_tokens

    def loss():
        with torch.autocast(device, dtype=torch.bfloat16, enabled=autocast):
            return forward()

    return training(model, loss)


def written_gelu(x):
    return (torch.tanh((x * x * 0.035677408 + 0.7978845608) * x) + 1) * 0.5 * x


def written_layer_norm(x, weight, bias):
    centered = x - x.mean(-1, keepdim=True)
    return centered * torch.rsqrt(centered.square().mean(-1, keepdim=True) + 1e-5) * weight + bias


def compiled(function):
    """By torch.compile; on the CPU, where PyTorch 1.13 has none, as it is."""
    return torch.compile(function) if device == "cuda" else function


def captured(parts):
    """A step as a CUDA graph that is replayed; on the CPU the step itself."""
    run = functools.partial(step, parts["m"], parts["o"], parts["loss"])
    if device == "cpu":
        return {"replay": run}
    for group in parts["o"].param_groups:
        group["capturable"] = True
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return {"replay": graph.replay, "kept": parts}


def small_gpt():
    hidden = later_keys(256)
    return gpt(4096, 256, 256, 4, 4, lambda q, k, v: attention(q, k, v, hidden))


# What is timed, and what makes its tensors.
Case = collections.namedtuple("Case", ["statement", "make", "is_of_host"], defaults=[False])

ATTENTION = "attention(q, k, v, hidden)"
ATTENTION_BACKWARD = "torch.autograd.grad(attention(q, k, v, hidden), (q, k, v), g)"
CLIPPING = "torch.nn.utils.clip_grad_norm_(p, 0)"
CROSS_ENTROPY = "functional.cross_entropy(x, t)"
CROSS_ENTROPY_BACKWARD = "torch.autograd.grad(functional.cross_entropy(x, t), x)"
EMBEDDING_BACKWARD = "torch.ops.aten.embedding_dense_backward(g, t, rows, -1, False)"
GELU_BACKWARD = "torch.autograd.grad(gelu(x), x, g)"
LAYER_NORM = "functional.layer_norm(x, w.shape, w, b)"
LAYER_NORM_BACKWARD = "torch.autograd.grad(functional.layer_norm(x, w.shape, w, b), (x, w, b), g)"
LINEAR = "functional.linear(x, w, b)"
LINEAR_BACKWARD = "torch.autograd.grad(functional.linear(x, w, b), (x, w, b), g)"
SOFTMAX_BACKWARD = "torch.autograd.grad(x.softmax(1), x, g)"
STEP = "step(m, o, loss)"

CPU_CASES = {
    "matmul_512": Case("x @ y", lambda: matrices(512, 512)),
    "matmul_1024": Case("x @ y", lambda: matrices(1024, 1024)),
    "matmul_2048": Case("x @ y", lambda: matrices(2048, 2048)),
    "matmul_bfloat16_512": Case("x @ y", lambda: matrices(512, 512, dtype=torch.bfloat16)),
    "matmul_bfloat16_2048": Case("x @ y", lambda: matrices(2048, 2048, dtype=torch.bfloat16)),
    "matmul_batched": Case("x @ y", lambda: {"x": rand(64, 256, 256), "y": rand(64, 256, 256)}),
    "add": Case("x + y", lambda: {"x": rand(MANY), "y": rand(MANY)}),
    "add_": Case("x.add_(y)", lambda: {"x": rand(MANY), "y": rand(MANY)}),
    "add_strided": Case("x + y", lambda: {"x": rand(4096, 8192)[:, ::2], "y": rand(4096, 8192)[:, ::2]}),
    "add_transposed": Case("x + y", lambda: {"x": rand(4096, 4096), "y": rand(4096, 4096).t()}),
    "add_row": Case("x + y", lambda: {"x": rand(4096, 4096), "y": rand(4096)}),
    "add_column": Case("x + y", lambda: {"x": rand(4096, 4096), "y": rand(4096, 1)}),
    "copy": Case("x.clone()", lambda: {"x": rand(MANY)}),
    "copy_transposed": Case("x.contiguous()", lambda: {"x": rand(4096, 4096).t()}),
    "sum": Case("x.sum()", lambda: {"x": rand(MANY)}),
    "sum_dim0": Case("x.sum(0)", lambda: {"x": rand(4096, 4096)}),
    "sum_dim1": Case("x.sum(1)", lambda: {"x": rand(4096, 4096)}),
    "var_dim1": Case("x.var(1)", lambda: {"x": rand(4096, 4096)}),
    "softmax": Case("x.softmax(1)", lambda: {"x": rand(4096, 4096)}),
    "softmax_backward": Case(SOFTMAX_BACKWARD, lambda: matrix_and_gradient(4096, 4096)),
    "gelu_backward": Case(GELU_BACKWARD, lambda: matrix_and_gradient(4096, 4096)),
    "softmax_dim0": Case("x.softmax(0)", lambda: {"x": rand(4096, 4096)}),
    "log_softmax": Case("x.log_softmax(1)", lambda: {"x": rand(4096, 4096)}),
    "layer_norm": Case(LAYER_NORM, lambda: layer_norm_tensors(4096, 4096)),
    "layer_norm_backward": Case(LAYER_NORM_BACKWARD, lambda: layer_norm_tensors(4096, 4096)),
    "cross_entropy": Case(CROSS_ENTROPY, lambda: cross_entropy_tensors(4096, 4096)),
    "cross_entropy_backward": Case(CROSS_ENTROPY_BACKWARD, lambda: cross_entropy_tensors(4096, 4096)),
    "attention_512": Case(ATTENTION, lambda: attention_tensors(512)),
    "attention_2048": Case(ATTENTION, lambda: attention_tensors(2048)),
    "attention_512_backward": Case(ATTENTION_BACKWARD, lambda: attention_with_gradients(512)),
    "attention_2048_backward": Case(ATTENTION_BACKWARD, lambda: attention_with_gradients(2048)),
    "adamw": Case("o.step()", lambda: {"o": adamw([parameter_with_gradient(4096)])}),
    "adafactor": Case("o.step()", lambda: {"o": adafactor(parameter_with_gradient(4096))}),
    "clip_grad_norm_": Case(CLIPPING, lambda: {"p": parameter_with_gradient(4096)}),
    "mlp_step": Case(STEP, lambda: mlp(64, 1024)),
    "gpt_step": Case(STEP, small_gpt),
    "exp": Case("x.exp()", lambda: {"x": rand(MANY)}),
    "tanh": Case("x.tanh()", lambda: {"x": rand(MANY) * 8 - 4}),
    "sigmoid": Case("x.sigmoid()", lambda: {"x": rand(MANY) * 8 - 4}),
    "silu": Case("silu(x)", lambda: {"x": rand(MANY) * 8 - 4}),
    "gelu": Case("gelu(x)", lambda: {"x": rand(MANY) * 8 - 4}),
    "gelu_tanh": Case("gelu(x, approximate='tanh')", lambda: {"x": rand(MANY) * 8 - 4}),
    "where": Case("torch.where(c, x, y)", lambda: {"x": rand(MANY), "y": rand(MANY), "c": rand(MANY) > 0.5}),
    "to_bfloat16": Case("x.to(torch.bfloat16)", lambda: {"x": rand(MANY)}),
    "small_add": Case("x + y", lambda: {"x": rand(8), "y": rand(8)}),
    "small_add_recorded": Case("x + y", lambda: {**with_gradients(x=rand(8)), "y": rand(8)}),
    "small_add_backward": Case("(x + y).backward(g)", lambda: {**with_gradients(x=rand(8)), "y": rand(8), "g": rand(8)}),
    "small_add_": Case("x.add_(y)", lambda: {"x": rand(8), "y": rand(8)}),
    "view_select": Case("x[0]", lambda: {"x": rand(64, 64)}),
    "view_t": Case("x.t()", lambda: {"x": rand(64, 64)}),
    "view_view": Case("x.view(4096)", lambda: {"x": rand(64, 64)}),
}


def picture_cases():
    """Those of cpu_layer_cases.cpp."""
    cases = {}

    def add(name, value, inputs, make, backward):
        names = ", ".join(inputs)

        def tensors():
            made = make()
            if not backward:
                return made
            made.update(with_gradients(**{name: made[name] for name in inputs}))
            return {**made, "g": torch.rand_like(eval(value, names_of_statements() | made))}

        statement = f"torch.autograd.grad({value}, ({names},), g)" if backward else value
        cases[name + "_backward" if backward else name] = Case(statement, tensors)

    def add_pools(suffix, stem, stage, last, backward):
        for name, sizes, value in (
            ("max_pool2d", stem, "functional.max_pool2d(x, 3, 2, 1)"),
            ("max_pool2d_even", stage, "functional.max_pool2d(x, 2)"),
            ("avg_pool2d", stage, "functional.avg_pool2d(x, 2)"),
            ("avg_pool2d_padded", stage, "functional.avg_pool2d(x, 3, 2, 1)"),
            ("adaptive_avg_pool2d", last, "functional.adaptive_avg_pool2d(x, 1)"),
            ("adaptive_avg_pool2d_3", stage, "functional.adaptive_avg_pool2d(x, 3)"),
        ):
            add(name + suffix, value, "x", lambda sizes=sizes: {"x": rand(*sizes)}, backward)

    def normalized(sizes, module):
        return {"x": rand(*sizes), "m": module, "w": module.weight, "b": module.bias}

    for suffix, stem, stage, last in (
        ("", (8, 64, 112, 112), (8, 64, 56, 56), (8, 512, 7, 7)),
        ("_small", (2, 8, 12, 12), (2, 8, 12, 12), (2, 8, 7, 7)),
    ):
        for backward in (False, True):
            batch, channels, height, width = stage
            for dims, sizes in ((2, stage), (1, (batch, channels, height * width))):
                shapes = {"x": sizes, "w": (channels, channels, *(3,) * dims), "b": (channels,)}
                make = lambda shapes=shapes: {name: rand(*shape) for name, shape in shapes.items()}
                add(f"conv{dims}d{suffix}", f"functional.conv{dims}d(x, w, b, padding=1)", "xwb", make, backward)
            add_pools(suffix, stem, stage, last, backward)
            for name, module in (
                ("batch_norm", lambda channels: torch.nn.BatchNorm2d(channels)),
                ("batch_norm_eval", lambda channels: torch.nn.BatchNorm2d(channels).eval()),
                ("group_norm", lambda channels: torch.nn.GroupNorm(channels // 2, channels)),
            ):
                make = lambda stage=stage, module=module: normalized(stage, module(stage[1]))
                add(name + suffix, "m(x)", "xwb", make, backward)
    return cases


CPU_CASES.update(picture_cases())


class CudaCases:
    """Those of cuda_cases.cpp, cuda_fused_cases.cpp, cuda_layer_cases.cpp, shared_cases.cpp and training_cases.cpp, as large."""

    def __init__(self, tiny):
        self.tiny = tiny
        self.cases = {}
        self.add_products()
        self.add_memory_bound()
        self.add_transfers()
        for backward in (False, True):
            self.add_attention(backward)
            self.add_compiled(backward)
            self.add_linear(backward)
            self.add_rows(backward)
            self.add_convolution(backward)
        self.add_embedding()
        self.add_generated_attention()
        self.add_matrices()
        self.add_training()

    def size(self, size, tiny_size):
        return tiny_size if self.tiny else size

    def add(self, name, statement, make, is_of_host=False):
        self.cases[name] = Case(statement, make, is_of_host)

    def add_both_ways(self, name, backward, value, inputs, make, call="{}"):
        """The value of an expression, with `backward` its gradients too; `make` makes the inputs and the others."""

        def tensors():
            made = make()
            if not backward:
                return made
            made.update(with_gradients(**{name: made[name] for name in inputs}))
            result = eval(value, names_of_statements() | made)
            return {**made, "g": torch.rand_like(result) if result.dim() else torch.ones_like(result)}

        names = ", ".join(inputs)
        if backward:
            self.add(name + "_backward", call.format(f"torch.autograd.grad({value}, ({names},), g)"), tensors)
        else:
            self.add(name, call.format(value), tensors)

    def add_product(self, name, size, dtype, precision="highest"):
        side = self.size(size, size // 128)

        def tensors():
            torch.set_float32_matmul_precision(precision)
            return matrices(side, side, dtype=dtype)

        self.add(name, "x @ y", tensors)

    def add_products(self):
        half = torch.float16 if device == "cuda" else torch.bfloat16  # PyTorch 1.13 has no such products on a CPU
        for size in (1024, 4096, 8192):
            self.add_product(f"matmul_float32_{size}", size, torch.float32)
            self.add_product(f"matmul_tf32_{size}", size, torch.float32, precision="high")
            ceiling = "ceiling_" if size == 8192 else ""
            self.add_product(f"{ceiling}matmul_bfloat16_{size}", size, torch.bfloat16)
            self.add_product(f"matmul_float16_{size}", size, half)
        batch = self.size(64, 3), self.size(1024, 24), self.size(1024, 24)
        make = lambda: {name: rand(*batch, dtype=torch.bfloat16) for name in "xy"}
        self.add("matmul_batched_bfloat16", "x @ y", make)

    def many(self, dtype):
        return self.size((1 << 28) // torch.empty((), dtype=dtype).element_size(), 1003)

    def add_memory_bound(self):
        for dtype in (torch.float32, torch.bfloat16):
            name, count = str(dtype).split(".")[1], self.many(dtype)
            one = lambda count=count, dtype=dtype: {"x": rand(count, dtype=dtype)}
            two = lambda count=count, dtype=dtype: {"x": rand(count, dtype=dtype), "y": rand(count, dtype=dtype)}
            self.add(f"add_{name}", "x + y", two)
            self.add(f"{'ceiling_' if dtype == torch.float32 else ''}copy_{name}", "x.clone()", one)
            self.add(f"exp_{name}", "x.exp()", one)
            self.add(f"gelu_{name}", "gelu(x)", one)
            self.add(f"sum_{name}", "x.sum()", one)
        count = self.many(torch.float32)
        self.add("to_bfloat16", "x.to(torch.bfloat16)", lambda: {"x": rand(count)})
        self.add("randn", "randn(count)", lambda: {"count": count, "randn": randn})
        self.add_layouts()
        for name in ("small_add", "small_add_host"):
            self.add(name, "x + y", lambda: {"x": rand(8), "y": rand(8)}, is_of_host=name.endswith("host"))

    def large_matrix(self, dtype):
        return self.size(8192, 40), self.size((1 << 15) // torch.empty((), dtype=dtype).element_size(), 37)

    def add_layouts(self):
        for dtype in (torch.float32, torch.bfloat16):
            make = lambda dtype=dtype: {"x": rand(*self.large_matrix(dtype), dtype=dtype)}
            self.add(f"transpose_{str(dtype).split('.')[1]}", "x.t().contiguous()", make)

        def row():
            rows, columns = self.large_matrix(torch.bfloat16)
            return {"x": rand(rows, columns, dtype=torch.bfloat16), "y": rand(columns, dtype=torch.bfloat16)}

        self.add("add_row_broadcast_bfloat16", "x + y", row)
        count = self.many(torch.float32)
        self.add("add_mixed", "x + y", lambda: {"x": rand(count), "y": rand(count).to(torch.bfloat16)})
        two = lambda: {name: rand(*self.large_matrix(torch.float32)) for name in "xy"}
        self.add("cat", "torch.cat((x, y), 1)", two)
        self.add("sort", "x.sort()", lambda: {"x": rand(count)})

    def add_transfers(self):
        count = self.many(torch.float32)

        def tensors(pinned):
            host = torch.zeros(count)
            if pinned and device == "cuda":
                host = host.pin_memory()
            return {"host": host, "gpu": torch.zeros(count, device=device), "pinned": pinned}

        for kind in ("pageable", "pinned"):
            make = lambda kind=kind: tensors(kind == "pinned")
            self.add(f"to_gpu_{kind}", "gpu.copy_(host, non_blocking=pinned)", make)
            self.add(f"to_host_{kind}", "host.copy_(gpu, non_blocking=pinned)", make)

    def add_compiled(self, backward):
        rows, columns = self.size(8192, 40), self.size(8192, 37)

        def tensors(function, **others):
            return {"x": rand(rows, columns), "f": compiled(function)} | others

        gelu = lambda: tensors(written_gelu)
        self.add_both_ways("compiled_gelu", backward, "f(x)", "x", gelu)
        norm = lambda: tensors(written_layer_norm, w=rand(columns), b=rand(columns))
        self.add_both_ways("compiled_layer_norm", backward, "f(x, w, b)", "xwb", norm)

    def add_attention(self, backward):
        size = self.size
        short = size(8, 2), size(12, 2), size(1024, 70), size(64, 16)
        shortest = size(4, 2), size(16, 2), size(4096, 90), size(128, 32)
        long = 1, size(16, 2), size(16384, 130), size(128, 32)
        cases = [("attention_bfloat16_1024", short, torch.bfloat16), ("attention_bfloat16_16384", long, torch.bfloat16)]
        # Of four dimensions, which the fused kernels want.
        cases += [(f"attention_{length}", (1, 8, size(length, length // 24), 64), None) for length in (512, 2048)]
        for name, sizes, dtype in cases:
            make = lambda sizes=sizes, dtype=dtype: {name: rand(*sizes, dtype=dtype) for name in "qkv"}
            self.add_both_ways(name, backward, "causal_attention(q, k, v)", "qkv", make)
            if dtype is torch.bfloat16:
                self.add_both_ways(f"{name}_flash", backward, "causal_flash_attention(q, k, v)", "qkv", make)
        if not backward:
            return
        anew = "deterministic(lambda: {})"
        for name, sizes, call in (("4096_flash", shortest, "{}"), ("4096_flash_deterministic", shortest, anew),
                                  ("16384_flash_deterministic", long, anew)):
            make = lambda sizes=sizes: {name: rand(*sizes, dtype=torch.bfloat16) for name in "qkv"}
            value = "causal_flash_attention(q, k, v)"
            self.add_both_ways(f"attention_bfloat16_{name}", backward, value, "qkv", make, call)

    def add_generated_attention(self):
        size = self.size
        batch = size(8, 2), size(12, 2)
        query, keys = (*batch, 1, size(64, 16)), (*batch, size(16384, 600), size(64, 16))
        make = lambda: {name: rand(*sizes, dtype=torch.bfloat16) for name, sizes in zip("qkv", (query, keys, keys))}
        self.add("attention_bfloat16_generated", "attention_to_all(q, k, v)", make)

    def add_convolution(self, backward):
        size = self.size
        channels, side = size(64, 4), size(56, 9)

        def make():
            torch.backends.cudnn.allow_tf32 = False  # as ours
            return {"x": rand(size(32, 2), channels, side, side), "w": rand(channels, channels, 3, 3)}

        self.add_both_ways("conv2d_float32", backward, "functional.conv2d(x, w, padding=1)", "xw", make)

    def add_linear(self, backward):
        rows = self.size(8192, 50)
        for inputs, outputs in ((768, 3072), (4096, 16384)):
            width, height = self.size(inputs, inputs // 64), self.size(outputs, outputs // 128)
            shapes = {"x": (rows, width), "w": (height, width), "b": (height,)}
            make = lambda shapes=shapes: {n: rand(*shape, dtype=torch.bfloat16) for n, shape in shapes.items()}
            self.add_both_ways(f"linear_bfloat16_{outputs}", backward, LINEAR, "xwb", make)

    def add_rows(self, backward):
        rows, columns = self.size(8192, 9), self.size(16384, 300)
        side = self.size(8192, 40)

        def norm(rows, columns, dtype):
            return {"x": rand(rows, columns, dtype=dtype), "w": rand(columns, dtype=dtype), "b": rand(columns, dtype=dtype)}

        def loss(rows, classes, dtype):
            return {"x": rand(rows, classes, dtype=dtype), "t": randint(classes, (rows,))}

        for suffix, sizes, classes, dtype in (
            ("_bfloat16", (rows, columns), self.size(50257, 501), torch.bfloat16),
            ("", (side, side), side, torch.float32),
        ):
            make = lambda sizes=sizes, dtype=dtype: norm(*sizes, dtype)
            self.add_both_ways(f"layer_norm{suffix}", backward, LAYER_NORM, "xwb", make)
            make = lambda sizes=sizes, dtype=dtype: {"x": rand(*sizes, dtype=dtype)}
            self.add_both_ways(f"softmax{suffix}", backward, "x.softmax(1)", "x", make)
            make = lambda rows=sizes[0], classes=classes, dtype=dtype: loss(rows, classes, dtype)
            self.add_both_ways(f"cross_entropy{suffix}", backward, CROSS_ENTROPY, "x", make)

    def add_embedding(self):
        rows, tokens, width = self.size(50257, 501), self.size(8192, 90), self.size(768, 24)
        make = lambda: {"g": rand(tokens, width), "t": randint(rows, (tokens,)), "rows": rows}
        self.add("embedding_backward", EMBEDDING_BACKWARD, make)

    def add_matrices(self):
        side = self.size(8192, 40)
        batch = self.size(1024, 2), self.size(256, 20), self.size(256, 20)
        square = lambda: rand(side, side)
        wide = lambda: rand(side, 2 * side)[:, ::2]
        self.add("matmul_batched", "x @ y", lambda: {"x": rand(*batch), "y": rand(*batch)})
        self.add("add_strided", "x + y", lambda: {"x": wide(), "y": wide()})
        self.add("add_transposed", "x + y", lambda: {"x": square(), "y": square().t()})
        self.add("add_row", "x + y", lambda: {"x": square(), "y": rand(side)})
        self.add("add_column", "x + y", lambda: {"x": square(), "y": rand(side, 1)})
        self.add("copy_transposed", "x.contiguous()", lambda: {"x": square().t()})
        for name, statement in (
            ("sum_dim0", "x.sum(0)"),
            ("sum_dim1", "x.sum(1)"),
            ("var_dim1", "x.var(1)"),
            ("softmax_dim0", "x.softmax(0)"),
            ("log_softmax", "x.log_softmax(1)"),
        ):
            self.add(name, statement, lambda: {"x": square()})
        self.add_both_ways("gelu", True, "gelu(x)", "x", lambda: {"x": square()})
        self.add("adamw", "o.step()", lambda: {"o": adamw([parameter_with_gradient(side)])})
        self.add("adafactor", "o.step()", lambda: {"o": adafactor(parameter_with_gradient(side))})
        self.add("clip_grad_norm_", CLIPPING, lambda: {"p": parameter_with_gradient(side)})

    def add_training(self):
        size = self.size
        gpt2 = size(50304, 128), size(1024, 12), size(768, 24), size(12, 2), size(12, 3)
        for name in ("gpt2_step_bfloat16", "gpt2_chunked_step_bfloat16"):
            self.add(name, STEP, lambda: gpt(*gpt2, causal_attention, autocast=True))
        self.add("mlp_step", STEP, lambda: mlp(size(64, 5), size(1024, 24)))
        small = size(4096, 61), size(256, 12), size(256, 16), size(4, 2), 4
        self.add("gpt_step", STEP, lambda: gpt(*small, causal_attention))
        self.add("gpt2_captured_step_bfloat16", "replay()", lambda: captured(gpt(*gpt2, causal_attention, autocast=True)))
        self.add("gpt2_compiled_step_bfloat16", STEP, lambda: gpt(*gpt2, causal_attention, autocast=True, compiles=True))
        self.add("gpt_captured_step", "replay()", lambda: captured(gpt(*small, causal_attention)))


def names_of_statements():
    return {
        "torch": torch,
        "functional": functional,
        "silu": silu,
        "gelu": gelu,
        "attention": attention,
        "attention_to_all": attention_to_all,
        "causal_attention": causal_attention,
        "causal_flash_attention": causal_flash_attention,
        "deterministic": deterministic,
        "step": step,
    }


def synchronize():
    if device == "cuda":
        torch.cuda.synchronize()


def gpu_seconds(run, calls):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    run(calls)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


def host_seconds(run, calls):
    synchronize()
    begin = time.perf_counter()
    run(calls)
    return time.perf_counter() - begin


def nanoseconds_on_gpu(case, tiny):
    """Of a call, as tensor_bench measures it (measure.cpp)."""
    torch.set_float32_matmul_precision("highest")
    names = names_of_statements() | case.make()
    exec(f"def run(calls):\n for _ in range(calls):\n  {case.statement}\n", names)
    run = names["run"]
    run(1)
    seconds_of = gpu_seconds if device == "cuda" and not case.is_of_host else host_seconds
    calls = QUEUED if case.is_of_host and not tiny else 1
    while not tiny and not case.is_of_host and seconds_of(run, calls) < BLOCK_SECONDS:
        calls *= 10
    blocks = [seconds_of(run, calls)]
    while not tiny and sum(blocks) < SECONDS:
        blocks.append(seconds_of(run, calls))
    synchronize()
    return 1e9 * statistics.median(blocks) / calls


def is_usable():
    try:
        synchronize()
        return True
    except RuntimeError:
        return False


def measure_on_gpu(names, tiny):
    cases = CudaCases(tiny).cases
    fast_attention = prefer_fast_attention()  # noqa: F841, its end would end the preference
    print(json.dumps({"torch": torch.__version__, "cuda": str(torch.version.cuda)}), flush=True)
    for name in names or cases:
        result = {"name": name}
        try:
            if name not in cases:
                raise LookupError("torch_bench.py has no such case")
            result["ns"] = round(nanoseconds_on_gpu(cases[name], tiny), 2)
        except Exception as error:  # whatever it is, it is this case's alone
            result["error"] = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        print(json.dumps(result), flush=True)
        if "error" in result and not is_usable():
            sys.exit(CALL_AGAIN)
        gc.collect()
        if device == "cuda":
            torch.cuda.empty_cache()


def blas():
    """The library of matrix products that was loaded, as FOLDER/FILE."""
    paths = {line.split()[-1] for line in open("/proc/self/maps") if "blas" in line}
    path = next((path for path in paths if "libopenblas" in path), min(paths, default="no BLAS"))
    return "/".join(pathlib.Path(path).parts[-2:])


def measure_on_cpu(threads, names):
    print(json.dumps({"torch": torch.__version__, "blas": blas()}), flush=True)
    for name in names:
        case = CPU_CASES[name]
        timer = Timer(case.statement, globals=names_of_statements() | case.make(), num_threads=threads)
        nanoseconds = 1e9 * timer.blocked_autorange(min_run_time=SECONDS).median
        print(json.dumps({"name": name, "threads": threads, "ns": round(nanoseconds, 2)}), flush=True)


def main():
    global device
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--on", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--case", metavar="NAME")
    parser.add_argument("where")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.where != "cuda":
        filter = (arguments.names or [""])[0]
        chosen = {arguments.case} if arguments.case else {name for name in CPU_CASES if filter in name}
        return measure_on_cpu(int(arguments.where), [name for name in CPU_CASES if name in chosen])
    device = arguments.on
    if arguments.list:
        return print("\n".join(CudaCases(tiny=True).cases))
    if device == "cuda" and not torch.cuda.is_available():
        print(f"PyTorch {torch.__version__} finds no GPU")
        sys.exit(NO_TORCH)
    measure_on_gpu(arguments.names, arguments.tiny)


main()
