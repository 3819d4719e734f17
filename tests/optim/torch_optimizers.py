"""Optimizers that PyTorch 1.13 lacks, for the expressions that tests/ops/torch_reference.py evaluates: each after what is
named in its header in engine/optim. They return the parameter and what is kept for it."""

import math

import torch


def each_step(gradients, steps):
    for t in range(steps):
        yield t + 1, gradients[t % len(gradients)]


def nadam(p, gradients, steps, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3):
    average, square, product = torch.zeros_like(p), torch.zeros_like(p), torch.tensor(1.0, dtype=torch.float32)
    mu = lambda t: betas[0] * (1 - 0.5 * 0.96 ** (t * momentum_decay))
    for t, g in each_step(gradients, steps):
        g = g + weight_decay * p
        product = torch.tensor(float(product) * mu(t), dtype=torch.float32)
        average = betas[0] * average + (1 - betas[0]) * g
        square = betas[1] * square + (1 - betas[1]) * g * g
        direction = (1 - mu(t)) / (1 - float(product)) * g + mu(t + 1) / (1 - float(product) * mu(t + 1)) * average
        p = p - lr * direction / ((square / (1 - betas[1] ** t)).sqrt() + eps)
    return [p, average, square, product]


def lion(p, gradients, steps, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
    average = torch.zeros_like(p)
    for _, g in each_step(gradients, steps):
        p = p * (1 - lr * weight_decay) - lr * torch.sign(betas[0] * average + (1 - betas[0]) * g)
        average = betas[1] * average + (1 - betas[1]) * g
    return [p, average]


def orthogonalized(x, steps, coefficients, eps, dtype):
    a, b, c = coefficients
    x = x.to(dtype)
    wide = x.T if x.shape[0] > x.shape[1] else x
    wide = wide / max(float(wide.norm()), eps)
    for _ in range(steps):
        gram = wide @ wide.T
        wide = a * wide + (b * gram + c * gram @ gram) @ wide
    return wide.T if x.shape[0] > x.shape[1] else wide


def muon(p, gradients, steps, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, eps=1e-7, ns_steps=5,
         coefficients=(3.4445, -4.775, 2.0315), match_rms_adamw=False, dtype=torch.float64):
    rows, columns = p.shape
    scale = 0.2 * math.sqrt(max(rows, columns)) if match_rms_adamw else math.sqrt(max(1, rows / columns))
    average = torch.zeros_like(p)
    for _, g in each_step(gradients, steps):
        average = momentum * average + (1 - momentum) * g
        update = momentum * average + (1 - momentum) * g if nesterov else average
        update = orthogonalized(update, ns_steps, coefficients, eps, dtype).to(p.dtype)
        p = p * (1 - lr * weight_decay) - lr * scale * update
    return [p, average]


def lbfgs(p, scales, steps, **options):
    """PyTorch's own, of a loss that is not quadratic: the parameter, its losses, and the number of evaluations."""
    optimizer = torch.optim.LBFGS([p], **options)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = ((p - 1).square() * scales + 0.1 * (p - 0.5) ** 4).sum() + (p[..., 1:] * p[..., :-1]).sum() * 0.2
        loss.backward()
        return loss

    for _ in range(steps):
        losses.append(float(optimizer.step(closure)))
    evaluations = optimizer.state[p]["func_evals"]
    return [p.detach(), torch.tensor(losses, dtype=p.dtype), torch.tensor(evaluations)]
