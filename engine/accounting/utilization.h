#pragma once

#include <optional>

namespace lectern {

/// MFU, model FLOPs utilization: the share of the peak that the model's own operations got, of which there
/// were `flops` in `seconds` (Chowdhery and others, "PaLM", 2022, appendix B). None without a known peak:
/// a share of an unknown whole means nothing. A TensorError unless all are positive.
std::optional<double> model_flops_utilization(double flops, double seconds, std::optional<double> peak_flops);

}  // namespace lectern
