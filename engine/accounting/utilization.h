#pragma once

#include <optional>

namespace lectern {

/// MFU, model FLOPs utilization: the share of the peak that the model's own operations achieved, `flops` in
/// `seconds` (Chowdhery and others, "PaLM", 2022, appendix B). None if the peak is unknown. A TensorError
/// unless all are positive.
std::optional<double> model_flops_utilization(double flops, double seconds, std::optional<double> peak_flops);

}  // namespace lectern
