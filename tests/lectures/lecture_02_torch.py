"""What PyTorch gives for the numbers that lecture 2 draws after manual_seed(0), in its order: two places to begin at,
a model of two layers and dimension 4, a batch of 2, and one step of AdaGrad. Prints lecture_02_torch.json."""

import json
import math

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
start_indices = torch.randint(10 - 4, (2,))


class Linear(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(inputs, outputs) / math.sqrt(inputs))

    def forward(self, x):
        return x @ self.weight


class Cruncher(torch.nn.Module):
    def __init__(self, dim, num_layers):
        super().__init__()
        self.layers = torch.nn.ModuleList([Linear(dim, dim) for _ in range(num_layers)])
        self.final = Linear(dim, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.final(x).squeeze(-1)


def numbers(state):
    return {name: tensor.flatten().tolist() for name, tensor in state.items()}


model = Cruncher(4, 2)
before = numbers(model.state_dict())
x = torch.randn(2, 4)
y = torch.tensor([4.0, 5.0])
pred_y = model(x)
loss = torch.nn.functional.mse_loss(pred_y, y)
loss.backward()
g2 = {}
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        g2[str(i)] = p.grad.square()
        p -= 0.01 * p.grad / (g2[str(i)] + 1e-5).sqrt()

print(json.dumps({
    "start_indices": start_indices.tolist(),
    "before": before,
    "x": x.flatten().tolist(),
    "pred_y": pred_y.tolist(),
    "loss": loss.item(),
    "g2": numbers(g2),
    "after": numbers(model.state_dict()),
}, indent=1))
