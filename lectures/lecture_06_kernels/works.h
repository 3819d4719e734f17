// What lecture 6 cites beside the works that lectures share.  @hide file

#pragma once

#include <lectern/lecture.h>

namespace works {

inline constexpr lectern::Reference cuda_guide = {
    .title = "CUDA C++ Programming Guide",
    .organization = "NVIDIA",
    .url = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/",
    .description = "Warps, memory spaces and the limits of each compute capability."};
inline constexpr lectern::Reference hopper_tuning = {
    .title = "Hopper Tuning Guide",
    .organization = "NVIDIA",
    .url = "https://docs.nvidia.com/cuda/hopper-tuning-guide/",
    .description = "What a multiprocessor of compute capability 9.0 holds."};
inline constexpr lectern::Reference parallel_thread_execution = {
    .title = "Parallel Thread Execution ISA",
    .organization = "NVIDIA",
    .url = "https://docs.nvidia.com/cuda/parallel-thread-execution/",
    .description = "How the lanes of a warp hold the matrices of mma.m16n8k16."};
inline constexpr lectern::Reference gelu_paper = {.title = "Gaussian Error Linear Units (GELUs)",
                                                  .authors = {"Dan Hendrycks", "Kevin Gimpel"},
                                                  .date = "2016",
                                                  .url = "https://arxiv.org/abs/1606.08415"};
inline constexpr lectern::Reference online_softmax = {
    .title = "Online normalizer calculation for softmax",
    .authors = {"Maxim Milakov", "Natalia Gimelshein"},
    .date = "2018",
    .url = "https://arxiv.org/abs/1805.02867",
    .description = "Maximum and sum in one pass, and how two halves of a row are joined."};
inline constexpr lectern::Reference pebble_game = {
    .title = "I/O complexity: The red-blue pebble game",
    .authors = {"Jia-Wei Hong", "H. T. Kung"},
    .organization = "STOC",
    .date = "1981",
    .url = "https://doi.org/10.1145/800076.802486",
    .description = "No order of the usual product's operations moves less, up to a constant factor."};
inline constexpr lectern::Reference flash_attention_2 = {
    .title = "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning",
    .authors = {"Tri Dao"},
    .date = "2023",
    .url = "https://arxiv.org/abs/2307.08691"};

}  // namespace works
