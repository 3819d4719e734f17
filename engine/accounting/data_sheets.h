#pragma once

#include <array>
#include <string_view>

// What GPUs can do, by their vendor's data sheets. For calculators too.

namespace lectern {

/// A GPU's data sheet. Rates are for dense matrices: sheets that quote sparsity state twice as much, for
/// matrices in which two of every four elements are zero.
struct Hardware {
  std::string_view name;
  double memory;            ///< bytes
  double memory_bandwidth;  ///< bytes per second
  // Matrix product operations per second; 0 where there is no such unit.
  double float64;
  double float32;
  double tf32;  ///< float32 matrices, rounded to TF32 (device/cuda.h)
  double bits16;
  double bits8;  ///< fp8
};

/// A GPU whose driver's name contains both words; the first match wins.
struct DataSheet {
  std::string_view model;
  std::string_view form;
  Hardware hardware;
};

/// From NVIDIA's data sheets of these products (nvidia.com/en-us/data-center/h200, /h100, /a100); figures
/// with sparsity are halved.
inline constexpr auto kDataSheets = std::to_array<DataSheet>({
    {"H200", "NVL", {"H200 NVL", 141e9, 4.8e12, 60e12, 60e12, 417.5e12, 835.5e12, 1670.5e12}},
    {"H200", "", {"H200 SXM", 141e9, 4.8e12, 67e12, 67e12, 494.5e12, 989.5e12, 1979e12}},
    {"H100", "NVL", {"H100 NVL", 94e9, 3.9e12, 60e12, 60e12, 417.5e12, 835.5e12, 1670.5e12}},
    {"H100", "PCIe", {"H100 PCIe", 80e9, 2e12, 51e12, 51e12, 378e12, 756.5e12, 1513e12}},
    {"H100", "HBM3", {"H100 SXM", 80e9, 3.35e12, 67e12, 67e12, 494.5e12, 989.5e12, 1979e12}},
    {"A100", "SXM4-80GB", {"A100 SXM 80GB", 80e9, 2.039e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
    {"A100", "SXM4-40GB", {"A100 SXM 40GB", 40e9, 1.555e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
    {"A100", "80GB PCIe", {"A100 PCIe 80GB", 80e9, 1.935e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
    {"A100", "PCIE-40GB", {"A100 PCIe 40GB", 40e9, 1.555e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
});

/// By the name of the product ("H100 SXM"); null for one that is not in the table.
constexpr const Hardware* find_product(std::string_view name) {
  for (const DataSheet& sheet : kDataSheets) {
    if (sheet.hardware.name == name) return &sheet.hardware;
  }
  return nullptr;
}

}  // namespace lectern
