#pragma once

#include <optional>
#include <string_view>

#include "accounting/data_sheets.h"
#include "base/dtype.h"
#include "device/device.h"

namespace lectern {

/// By the driver's device name ("NVIDIA H100 80GB HBM3"); none for a GPU not in the table.
std::optional<Hardware> find_hardware(std::string_view device_name);

/// The peak operations per second of matrix products in this dtype on the device: of a GPU by its data sheet,
/// of the CPU by its units, its clock and the cores that get_num_threads() occupy (accounting/cpu_peak.h says
/// how far that holds). None for an unknown one, and for a dtype without hardware support. float32 on a GPU
/// counts as TF32 if cuda::allow_tf32().
std::optional<double> peak_flops(Device device, Dtype dtype);
std::optional<double> peak_flops(const Hardware& hardware, Dtype dtype, bool allow_tf32 = false);

/// MFU, model FLOPs utilization: the share of the peak that the model's own operations achieved, `flops` in
/// `seconds` (Chowdhery and others, "PaLM", 2022, appendix B). None if the peak is unknown. A TensorError
/// unless all are positive.
std::optional<double> model_flops_utilization(double flops, double seconds, std::optional<double> peak_flops);

}  // namespace lectern
