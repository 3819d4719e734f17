#pragma once

#include <optional>
#include <string_view>

#include "device/device.h"
#include "tensor/dtype.h"

namespace lectern {

/// What a data sheet promises of a GPU. Rates are for dense matrices: sheets that print those with sparsity
/// promise twice as much, for matrices in which two of every four numbers are zero.
struct Hardware {
  std::string_view name;
  double memory;            ///< bytes
  double memory_bandwidth;  ///< bytes a second
  // Operations a second of matrix products; 0 where there is no unit for them.
  double float64;
  double float32;
  double tf32;  ///< float32 matrices, rounded to TF32 (device/tf32.h)
  double bits16;
  double bits8;  ///< fp8
};

/// By the name that its driver gives ("NVIDIA H100 80GB HBM3"); none for a GPU of which no sheet was read.
std::optional<Hardware> find_hardware(std::string_view device_name);

/// The operations a second that the device's data sheet promises for products of matrices of this dtype.
/// None for a CPU, whose peak depends on clocks that no sheet promises, for an unknown GPU, and for a dtype
/// that is not multiplied in hardware. float32 counts as TF32 where cuda::allow_tf32().
std::optional<double> peak_flops(Device device, Dtype dtype);
std::optional<double> peak_flops(const Hardware& hardware, Dtype dtype, bool allow_tf32 = false);

}  // namespace lectern
