#include "bench/cases.h"
#include "device/tf32.h"
#include "ops/elementwise.h"

namespace lectern::bench {
namespace {

constexpr std::int64_t kBytes = std::int64_t{1} << 28;  ///< of a tensor: several times the cache

std::string named(const char* what, Dtype dtype) {
  return std::string(what) + "_" + std::string(name(dtype));
}

std::int64_t many(Dtype dtype) {
  return kBytes / element_size(dtype);
}

std::string many_text(Dtype dtype, const char* between = nullptr) {
  const std::string one = "[" + std::to_string(many(dtype) >> 20) + "M]";
  return between == nullptr ? one : one + between + one;
}

/// On one tensor or two of kBytes.
template <typename Operation>
std::function<Measured()> on_one(Dtype dtype, Operation operation) {
  return timed([=] { return [=, x = rand({many(dtype)}, {.dtype = dtype})] { operation(x); }; });
}
template <typename Operation>
std::function<Measured()> on_two(Dtype dtype, Operation operation) {
  return timed([=] {
    return [=, x = rand({many(dtype)}, {.dtype = dtype}), y = rand({many(dtype)}, {.dtype = dtype})] {
      operation(x, y);
    };
  });
}

std::function<Measured()> with_tf32(const std::function<Measured()>& run) {
  return [run] {
    cuda::set_allow_tf32(true);
    const Measured measured = run();
    cuda::set_allow_tf32(false);
    return measured;
  };
}

void add_products(std::vector<Case>& cases) {
  for (const std::int64_t size : {1024, 4096, 8192}) {
    const std::string side = std::to_string(size);
    const std::string shape = "[" + side + ", " + side + "]";
    const std::string tensors = shape + " @ " + shape;
    const auto square = [&](Dtype dtype) { return product({size, size}, {size, size}, dtype); };
    cases.push_back({"matmul_float32_" + side, tensors, square(float32)});
    cases.push_back({"matmul_tf32_" + side, tensors, with_tf32(square(float32))});
    cases.push_back(
        {"matmul_bfloat16_" + side, tensors, square(bfloat16), 0, size == 8192 ? "790 TFLOP/s" : ""});
    cases.push_back({"matmul_float16_" + side, tensors, square(float16)});
  }
  const Sizes batch{64, 1024, 1024};
  cases.push_back(
      {"matmul_batched_bfloat16", "[64, 1024, 1024] @ [64, 1024, 1024]", product(batch, batch, bfloat16)});
}

void add_memory_bound(std::vector<Case>& cases, Dtype dtype) {
  const std::string tensors = many_text(dtype);
  cases.push_back({named("add", dtype), many_text(dtype, " + "),
                   on_two(dtype, [](const Tensor& x, const Tensor& y) { return x + y; })});
  cases.push_back({named("copy", dtype), tensors, on_one(dtype, [](const Tensor& x) { return x.clone(); }), 0,
                   "4300 GB/s"});
  cases.push_back({named("exp", dtype), tensors, on_one(dtype, [](const Tensor& x) { return x.exp(); })});
  cases.push_back({named("sum", dtype), tensors, on_one(dtype, [](const Tensor& x) { return x.sum(); })});
}

/// Between the host's memory and the GPU's, the host's page-locked or not.
std::function<Measured()> transfer(bool pinned, bool to_gpu) {
  return timed([=] {
    Tensor host = zeros({many(float32)}, {.device = cpu});
    if (pinned) host = host.pin_memory();
    return [=, gpu = zeros({many(float32)})] {
      if (to_gpu) {
        gpu.copy_(host, pinned);
      } else {
        host.copy_(gpu, pinned);
      }
    };
  });
}

}  // namespace

std::vector<Case> cuda_cases() {
  std::vector<Case> cases;
  add_products(cases);
  for (const Dtype dtype : {float32, bfloat16}) add_memory_bound(cases, dtype);
  const std::string floats = many_text(float32);
  cases.push_back({"to_bfloat16", floats, on_one(float32, [](const Tensor& x) { return x.to(bfloat16); })});
  cases.push_back({"randn", floats, timed([] { return [] { randn({many(float32)}); }; })});
  cases.push_back(
      {"small_add", "[8] + [8]", timed([] { return [x = rand({8}), y = rand({8})] { x + y; }; })});
  cases.push_back({"to_gpu_pageable", floats, transfer(false, true)});
  cases.push_back({"to_gpu_pinned", floats, transfer(true, true)});
  cases.push_back({"to_host_pageable", floats, transfer(false, false)});
  cases.push_back({"to_host_pinned", floats, transfer(true, false)});
  return cases;
}

}  // namespace lectern::bench
