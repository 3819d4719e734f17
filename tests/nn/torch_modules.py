"""What tests/nn compares our modules with, for the expressions that tests/ops/torch_reference.py evaluates."""

import math

import torch
from torch import nn


def made(make, dtype):
    """A module with the parameters that seed 1 draws in float32, converted."""
    torch.manual_seed(1)
    return make().to(dtype)


def drawn(make):
    """The parameters that seed 1 draws."""
    torch.manual_seed(1)
    return list(make().parameters())


def names(make):
    """Of the entries of the state, as numbers."""
    return torch.tensor(list(",".join(make().state_dict()).encode()))


def learnt(module, *inputs, **options):
    """What the module makes of inputs, drawing from seed 2, and the gradients of its parameters."""
    torch.manual_seed(2)
    value = module(*inputs, **options)
    value = value[0] if isinstance(value, tuple) else value
    gradient = ((torch.arange(value.numel()) * 37 + 11) % 17 - 8).to(value.dtype) / 8
    parameters = list(module.parameters())
    if not parameters:
        return [value]
    gradients = torch.autograd.grad(value, parameters, gradient.reshape(value.shape), True, allow_unused=True)
    return [value, *gradients]


def after_a_batch(module, before, x, trains):
    """As learnt() of x after the module was trained on another batch, and the buffers."""
    module(before.detach())
    module.train(trains)
    return [*learnt(module, x), *module.buffers()]


def hooked(a, b):
    """What hooks of a module see and change."""
    module = made(lambda: nn.Linear(5, 3), a.dtype)
    seen = []
    module.register_forward_pre_hook(lambda m, x: (x[0] * 2,))
    module.register_forward_hook(lambda m, x, y: y + x[0].sum())
    module.register_full_backward_hook(lambda m, gx, gy: seen.extend([gx[0], gy[0]]) or (gx[0] * 3,))
    x = a.detach().clone().requires_grad_()
    y = module(x)
    y.backward(b)
    return [y.detach(), x.grad, module.weight.grad, *seen]


def tokens(a, vocab_size):
    """Indices made from numbers between -1 and 1."""
    return (a.detach().abs() * vocab_size).long() % vocab_size


def spread(a):
    """Numbers that are not nearly equal along the last dimension, of which a norm would be a matter of rounding."""
    return a + torch.arange(a.shape[-1]).to(a.dtype) / 4


def scattered(a):
    """Numbers that are nowhere nearly equal, likewise."""
    return a + ((torch.arange(a.numel()) * 7919 % 2039).to(a.dtype) / 1020 - 1).reshape(a.shape)


def later(size):
    """What is true where a key comes after the query."""
    return torch.ones(size, size, dtype=torch.bool).triu(1)


class WithWeights(nn.MultiheadAttention):
    """Returns all that it returns as one."""

    def forward(self, *inputs, **options):
        return torch.cat([made.flatten() for made in super().forward(*inputs, **options)])


class LSTM(nn.LSTM):
    """Returns all that it returns as one."""

    def forward(self, x, *states):
        output, (h, c) = super().forward(x, states or None)
        return torch.cat([output.flatten(), h.flatten(), c.flatten()])


class RMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def block(width, heads, dropout=0.0):
    gelu = nn.functional.gelu
    return nn.TransformerEncoderLayer(width, heads, 4 * width, dropout, gelu, batch_first=True, norm_first=True)


class GPT(nn.Module):
    def __init__(self, vocab_size, context_length, width, layers, heads, dropout=0.0):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, width)
        self.position_embedding = nn.Embedding(context_length, width)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab_size, bias=False, device="meta")
        self.head.weight = self.token_embedding.weight
        for name, parameter in self.named_parameters():
            is_added = name.endswith(("out_proj.weight", "linear2.weight"))
            if parameter.dim() == 2:
                nn.init.normal_(parameter, 0, 0.02 / math.sqrt(2 * layers) if is_added else 0.02)
            if name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, tokens):
        x = self.dropout(self.token_embedding(tokens) + self.position_embedding(torch.arange(tokens.shape[1])))
        for block in self.blocks:
            x = block(x, later(tokens.shape[1]))
        return self.head(self.norm(x))


def curve(make, loss, dtype, steps=200):
    """The losses of steps of AdamW, small ones: large ones make something else of another rounding."""
    model = made(make, dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    losses = []
    for i in range(steps):
        optimizer.zero_grad()
        value = loss(model, i)
        value.backward()
        optimizer.step()
        losses.append(value.detach())
    return torch.stack(losses)


def mlp_curve(a, b):
    """Of two layers as wide as a, which learn to make b of it and some more, for a may be one column repeated: of such
    inputs PyTorch's own losses in float32 are 2e-3 from those in float64."""
    width = a.shape[1]
    a = scattered(a)
    make = lambda: nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
    return curve(make, lambda model, i: nn.functional.mse_loss(model(a), b), a.dtype)


def gpt_curve(a, vocab_size, width, layers, heads):
    """Of a GPT that gets other sequences in each step."""

    def loss(model, i):
        text = tokens(a * (i + 1), vocab_size)
        return nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())

    return curve(lambda: GPT(vocab_size, a.shape[1] - 1, width, layers, heads), loss, a.dtype)
