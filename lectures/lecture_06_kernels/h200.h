// What was measured of our operations on one NVIDIA H200 on 2026-11-28, beside PyTorch 2.11.0 with CUDA 13.0: rows of
// tests/bench/results/2026-11-28-h200.txt, commit e434094.

#pragma once

#include <array>

struct Recorded {
  const char* what;
  const char* of;  // its tensors
  double microseconds;
  double share_of_limit;  // what the bytes and operations take at 4.3 TB/s and the format's peak, over the time
  const char* rate;
  double torch_microseconds;
};

inline constexpr auto kRecorded = std::to_array<Recorded>({
    {"sum of two, float32", "64 Mi elements", 187, 1.00, "4,315 GB/s", 188},
    {"`gelu`, float32", "64 Mi elements", 141, 0.89, "3,820 GB/s", 130},
    {"`gelu`, bfloat16", "128 Mi elements", 146, 0.86, "3,681 GB/s", 171},
    {"transposition, float32", "8,192 × 8,192", 155, 0.80, "3,461 GB/s", 467},
    {"transposition, bfloat16", "8,192 × 16,384", 203, 0.62, "2,646 GB/s", 857},
    {"sum of rows, float32", "8,192 × 8,192", 63.2, 0.99, "4,246 GB/s", 79.7},
    {"softmax, bfloat16", "8,192 × 16,384", 140, 0.89, "3,836 GB/s", 246},
    {"layer norm, bfloat16", "8,192 × 16,384", 170, 0.73, "3,160 GB/s", 239},
    {"cross-entropy, bfloat16", "8,192 × 50,257", 215, 0.89, "3,839 GB/s", 567},
    {"product, bfloat16", "1,024³", 12.6, 0.22, "170 TFLOP/s", 13.4},
    {"product, bfloat16", "4,096³", 185, 0.94, "742 TFLOP/s", 185},
    {"product, bfloat16", "8,192³", 1500, 0.93, "732 TFLOP/s", 1480},
    {"product, TF32", "8,192³", 2890, 0.77, "381 TFLOP/s", 2880},
    {"product, float32", "8,192³", 21600, 0.76, "50.9 TFLOP/s", 21600},
    {"attention, cuDNN, bfloat16", "16 heads, 16,384 × 128, causal", 1810, 0.78, "612 TFLOP/s", 1820},
    {"attention, our kernel, bfloat16", "16 heads, 16,384 × 128, causal", 3560, 0.39, "312 TFLOP/s", 3490},
});
