#include "bench/cases.h"
#include "device/cuda.h"
#include "ops/elementwise.h"
#include "ops/join.h"
#include "ops/sort.h"

namespace lectern::bench {
namespace {

constexpr std::int64_t kBytes = std::int64_t{1} << 28;  ///< of a large tensor: several times the cache

std::string named(const char* what, Dtype dtype) {
  return std::string(what) + "_" + std::string(name(dtype));
}

/// Large tensors of one dimension.
class Large {
 public:
  Large(const Scale& scale, Dtype dtype) : dtype_(dtype), count_(scale(kBytes / element_size(dtype), 1003)) {}

  std::int64_t count() const { return count_; }
  Tensor make() const { return rand({count_}, {.dtype = dtype_}); }
  std::string text() const {
    return count_ < (1 << 20) ? to_string(Sizes{count_}) : "[" + std::to_string(count_ >> 20) + "M]";
  }

 private:
  Dtype dtype_;
  std::int64_t count_;
};

template <typename Operation>
std::function<Measured()> on_one(const Large& large, Operation operation) {
  return timed([=] { return [=, x = large.make()] { operation(x); }; });
}
template <typename Operation>
std::function<Measured()> on_two(const Large& large, Operation operation) {
  return timed([=] { return [=, x = large.make(), y = large.make()] { operation(x, y); }; });
}

std::function<Measured()> with_tf32(const std::function<Measured()>& run) {
  return [run] {
    cuda::set_allow_tf32(true);
    const Measured measured = run();
    cuda::set_allow_tf32(false);
    return measured;
  };
}

Case square_product(const Scale& scale, const std::string& name, std::int64_t size, Dtype dtype) {
  const std::int64_t side = scale(size, size / 128);
  const Sizes sizes{side, side};
  return {.name = name,
          .tensors = to_string(sizes) + " @ " + to_string(sizes),
          .run = product(sizes, sizes, dtype),
          .unit = dtype == float32 ? Unit::float32 : Unit::bits16};
}

void add_products(std::vector<Case>& cases, const Scale& scale) {
  for (const std::int64_t size : {1024, 4096, 8192}) {
    const std::string side = std::to_string(size);
    cases.push_back(square_product(scale, "matmul_float32_" + side, size, float32));
    cases.push_back(square_product(scale, "matmul_tf32_" + side, size, float32));
    cases.back().run = with_tf32(cases.back().run);
    cases.back().unit = Unit::tf32;
    if (size != 8192) cases.push_back(square_product(scale, "matmul_bfloat16_" + side, size, bfloat16));
    cases.push_back(square_product(scale, "matmul_float16_" + side, size, float16));
  }
  const Sizes batch{scale(64, 3), scale(1024, 24), scale(1024, 24)};
  cases.push_back({.name = "matmul_batched_bfloat16",
                   .tensors = to_string(batch) + " @ " + to_string(batch),
                   .run = product(batch, batch, bfloat16),
                   .unit = Unit::bits16});
}

void add_memory_bound(std::vector<Case>& cases, const Scale& scale, Dtype dtype) {
  const Large large(scale, dtype);
  const std::string tensors = large.text();
  cases.push_back({named("add", dtype), tensors + " + " + tensors,
                   on_two(large, [](const Tensor& x, const Tensor& y) { return x + y; })});
  if (dtype != float32) {
    cases.push_back(
        {named("copy", dtype), tensors, on_one(large, [](const Tensor& x) { return x.clone(); })});
  }
  cases.push_back({named("exp", dtype), tensors, on_one(large, [](const Tensor& x) { return x.exp(); })});
  cases.push_back({named("gelu", dtype), tensors, on_one(large, [](const Tensor& x) { return gelu(x); })});
  cases.push_back({named("sum", dtype), tensors, on_one(large, [](const Tensor& x) { return x.sum(); })});
}

/// Matrices as large as those tensors.
Sizes large_matrix(const Scale& scale, Dtype dtype) {
  return {scale(8192, 40), scale(kBytes / 8192 / element_size(dtype), 37)};
}

/// What moves elements, or broadcasts or converts operands, or sorts them.
void add_layouts(std::vector<Case>& cases, const Scale& scale) {
  for (const Dtype dtype : {float32, bfloat16}) {
    const Sizes sizes = large_matrix(scale, dtype);
    cases.push_back({named("transpose", dtype), to_string(sizes),
                     timed([=] { return [x = rand(sizes, {.dtype = dtype})] { x.t().contiguous(); }; })});
  }
  const Sizes sizes = large_matrix(scale, bfloat16), row{sizes[1]};
  cases.push_back({"add_row_broadcast_bfloat16", to_string(sizes) + " + " + to_string(row), timed([=] {
                     return [x = rand(sizes, {.dtype = bfloat16}), y = rand(row, {.dtype = bfloat16})] {
                       x + y;
                     };
                   })});
  const Large floats(scale, float32);
  cases.push_back({"add_mixed", floats.text() + " + " + floats.text() + " of bfloat16",
                   timed([=] { return [x = floats.make(), y = floats.make().to(bfloat16)] { x + y; }; })});
  const Sizes half = large_matrix(scale, float32);
  cases.push_back({"cat", to_string(half) + " beside " + to_string(half), timed([=] {
                     return [x = rand(half), y = rand(half)] { cat({x, y}, 1); };
                   })});
  cases.push_back({"sort", floats.text(), on_one(floats, [](const Tensor& x) { return sort(x).values; })});
}

/// Between the host's memory and the GPU's, the host's page-locked or not.
std::function<Measured()> transfer(const Large& large, bool pinned, bool to_gpu) {
  return timed([=] {
    Tensor host = zeros({large.count()}, {.device = cpu});
    if (pinned) host = host.pin_memory();
    return [=, gpu = zeros({large.count()})] {
      if (to_gpu) {
        gpu.copy_(host, pinned);
      } else {
        host.copy_(gpu, pinned);
      }
    };
  });
}

void add_transfers(std::vector<Case>& cases, const Scale& scale) {
  const Large large(scale, float32);
  for (const bool to_gpu : {true, false}) {
    for (const bool pinned : {false, true}) {
      cases.push_back(
          {.name = std::string(to_gpu ? "to_gpu_" : "to_host_") + (pinned ? "pinned" : "pageable"),
           .tensors = large.text(),
           .run = transfer(large, pinned, to_gpu),
           .bound = Bound::elsewhere});
    }
  }
}

/// An addition of 8 numbers: the GPU's time of one in a queue of many, and the host's to give it one.
void add_launches(std::vector<Case>& cases) {
  const auto prepare = [] { return [x = rand({8}), y = rand({8})] { x + y; }; };
  cases.push_back(
      {.name = "small_add", .tensors = "[8] + [8]", .run = timed(prepare), .bound = Bound::elsewhere});
  cases.push_back({.name = "small_add_host",
                   .tensors = "[8] + [8], the host's time",
                   .run =
                       [=] {
                         return measure_queueing([call = prepare()](std::int64_t calls) {
                           for (std::int64_t i = 0; i < calls; ++i) call();
                         });
                       },
                   .bound = Bound::elsewhere});
}

}  // namespace

std::vector<Case> cuda_ceilings(const Scale& scale) {
  Case matmul = square_product(scale, "ceiling_matmul_bfloat16_8192", 8192, bfloat16);
  matmul.known = "769 to 798 TFLOP/s";
  const Large large(scale, float32);
  return {matmul,
          {.name = "ceiling_copy_float32",
           .tensors = large.text(),
           .run = on_one(large, [](const Tensor& x) { return x.clone(); }),
           .known = "4300 GB/s"}};
}

std::vector<Case> cuda_cases(const Scale& scale) {
  std::vector<Case> cases;
  add_products(cases, scale);
  for (const Dtype dtype : {float32, bfloat16}) add_memory_bound(cases, scale, dtype);
  const Large floats(scale, float32);
  cases.push_back({"to_bfloat16", floats.text(), on_one(floats, [](const Tensor& x) { x.to(bfloat16); })});
  cases.push_back({"randn", floats.text(), timed([=] { return [=] { randn({floats.count()}); }; })});
  add_layouts(cases, scale);
  add_launches(cases);
  add_transfers(cases, scale);
  return cases;
}

}  // namespace lectern::bench
