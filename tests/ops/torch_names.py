"""Writes the names of PyTorch's public operations, one a line, to standard output: python3 torch_names.py >
goldens/torch_names.txt. tests/ops/operations_table_test.cpp compares Lectern's with them."""
import re

import torch
import torch.overrides

# Parts of other operations, kernels of other libraries, quantised, sparse and named tensors, and state.
INNER = re.compile(
    ".*_copy|.*fbgemm.*|miopen_.*|cudnn_.*|mkldnn_.*|.*quantiz.*|q_.*|int_repr|native_.*|unsafe_.*|batch_norm_.*|fused_.*|"
    "fake_.*|resolve_.*|is_.*|has_.*|.*names.*|align_.*|refine_.*|.*sparse.*|.*_indices|h?s?p?s?mm|hsmm|hspmm|sspaddmm|"
    "saddmm|smm|dsmm|obj|choose_.*|norm_except_dim|.*coalesce.*|.*storage.*|dim_order|register_hook|reinforce|new_.*|"
    "data_ptr|get_device|apply_|map_|map2_|set_|record_stream|module_load|rename_?|select_backward|type|type_as|"
    "unflatten_dense.*|to_mkldnn|to_padded_tensor|ipu|xpu|share_memory_|values|crow_.*|ccol_.*|retain_grad|__.*")

overridable = [function for functions in torch.overrides.get_overridable_functions().values() for function in functions]
spaces = {
    "torch": torch,
    "torch.nn.functional": torch.nn.functional,
    "torch.Tensor": torch.Tensor,
    "torch.linalg": torch.linalg,
    "torch.special": torch.special,
    "torch.fft": torch.fft,
}
ids = {id(function) for function in overridable}
print(torch.__version__)
for space, module in spaces.items():
    for name in sorted(dir(module)):
        function = getattr(module, name)
        is_operation = id(function) in ids or (space == "torch.Tensor" and function in overridable)
        if INNER.fullmatch(name) and name not in ("tril_indices", "triu_indices", "mm"):
            continue
        if not name.startswith("_") and callable(function) and is_operation:
            print(f"{space}.{name}")
