#include "simulated_gpu/product.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/small_float.h"
#include "simulated_gpu/capture.h"

namespace lectern::test {
namespace {

/// Spoiled is the beginning of every unit in which the allocator gives memory away: all 32 MiB of a
/// workspace, for each product, would take longer than the products.
constexpr std::size_t kUnit = 512, kMark = 16;

double read(const void* data, cudaDataType type, std::int64_t at) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<const double*>(data)[at];
    case CUDA_R_32F:
      return static_cast<const float*>(data)[at];
    case CUDA_R_16F:
      return static_cast<float>(static_cast<const Half*>(data)[at]);
    case CUDA_R_8F_E4M3:
      return static_cast<float>(static_cast<const Float8_e4m3fn*>(data)[at]);
    case CUDA_R_8F_E5M2:
      return static_cast<float>(static_cast<const Float8_e5m2*>(data)[at]);
    default:
      return static_cast<float>(static_cast<const BFloat16*>(data)[at]);
  }
}

void write(void* data, cudaDataType type, std::int64_t at, double value) {
  switch (type) {
    case CUDA_R_64F:
      static_cast<double*>(data)[at] = value;
      break;
    case CUDA_R_32F:
      static_cast<float*>(data)[at] = static_cast<float>(value);
      break;
    case CUDA_R_16F:
      static_cast<Half*>(data)[at] = Half(static_cast<float>(value));
      break;
    default:
      static_cast<BFloat16*>(data)[at] = BFloat16(static_cast<float>(value));
  }
}

double rounded(double value, cudaDataType type) {
  double result = 0;
  write(&result, type, 0, value);
  return read(&result, type, 0);
}

/// To 10 bits of fraction, the rest cut off.
double to_tf32(double value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) & 0xFFFFE000U);
}

bool is_known(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T;
}

bool is_float8(cudaDataType type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

/// As cuBLASLt's table has it: sums in float32, of which one operand has the digits, both with what is summed
/// in one piece, everything in units of 16 bytes.
bool is_float8_product(const BlasProduct& product) {
  const auto& [m, n, k, a, b, out, out_type, out_leading, out_stride, batch, compute, adds, bias, narrow,
               inner_sums, sums_b] = product;
  const auto in_units = [](const BlasOperand& operand) {
    return operand.leading % 16 == 0 && reinterpret_cast<std::uintptr_t>(operand.data) % 16 == 0;
  };
  return is_float8(a.type) && is_float8(b.type) && (a.type == CUDA_R_8F_E4M3 || b.type == CUDA_R_8F_E4M3) &&
         a.operation == CUBLAS_OP_T && b.operation == CUBLAS_OP_N && m % 16 == 0 && k % 16 == 0 &&
         batch == 1 && compute == CUBLAS_COMPUTE_32F && out_type == CUDA_R_32F && in_units(a) && in_units(b);
}

cublasStatus_t check(const BlasProduct& product) {
  const auto& [m, n, k, a, b, out, out_type, out_leading, out_stride, batch, compute, adds, bias, narrow,
               inner_sums, sums_b] = product;
  if (m < 0 || n < 0 || k < 0 || batch < 0 || !is_known(a.operation) || !is_known(b.operation))
    return CUBLAS_STATUS_INVALID_VALUE;
  const std::int64_t a_rows = a.operation == CUBLAS_OP_N ? m : k;
  const std::int64_t b_rows = b.operation == CUBLAS_OP_N ? k : n;
  if (a.leading < std::max<std::int64_t>(1, a_rows) || b.leading < std::max<std::int64_t>(1, b_rows) ||
      out_leading < std::max<std::int64_t>(1, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const bool results_meet = batch > 1 && out_stride < (n - 1) * out_leading + m;
  if (a.stride < 0 || b.stride < 0 || results_meet) return CUBLAS_STATUS_INVALID_VALUE;
  if (is_float8_product(product)) return CUBLAS_STATUS_SUCCESS;
  if (a.type != b.type) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool all_same = out_type == a.type;
  bool supported = false;
  if (compute == CUBLAS_COMPUTE_64F) supported = a.type == CUDA_R_64F && all_same;
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32) supported = a.type == CUDA_R_32F && all_same;
  if (compute == CUBLAS_COMPUTE_32F) {
    const bool narrow_type = a.type == CUDA_R_16F || a.type == CUDA_R_16BF;
    supported = (narrow_type && (all_same || out_type == CUDA_R_32F)) || (a.type == CUDA_R_32F && all_same);
  }
  return supported ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

/// A column of op(A) for each of the product's k, or a row of op(B), one behind the other.
std::vector<double> numbers(const BlasProduct& product, const BlasOperand& operand, std::int64_t matrix,
                            bool right) {
  const std::int64_t length = right ? product.n : product.m;
  const bool along = (operand.operation == CUBLAS_OP_T) == right;  // what is one behind the other is so there
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(length * product.k));
  for (std::int64_t i = 0; i < product.k; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      const std::int64_t at = along ? i * operand.leading + j : j * operand.leading + i;
      const double number = read(operand.data, operand.type, matrix * operand.stride + at);
      result.push_back(product.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? to_tf32(number) : number);
    }
  }
  return result;
}

/// A column of the result. Its sums grow side by side: none waits for its own last addition.
std::vector<double> sums(const BlasProduct& product, const std::vector<double>& left,
                         const std::vector<double>& right, std::int64_t column) {
  std::vector<double> result(static_cast<std::size_t>(product.m));
  for (std::int64_t i = 0; i < product.k; ++i) {
    const double factor = right[static_cast<std::size_t>(i * product.n + column)];
    const double* number = left.data() + i * product.m;
    for (double& sum : result) {
      sum += *number++ * factor;
      if (product.compute == CUBLAS_COMPUTE_64F) continue;
      sum = static_cast<float>(sum);
      if (product.narrow_sums) sum = rounded(sum, product.out_type);
    }
  }
  return result;
}

void multiply(const BlasProduct& product) {
  for (std::int64_t matrix = 0; matrix < product.batch; ++matrix) {
    const std::vector<double> left = numbers(product, product.a, matrix, false);
    const std::vector<double> right = numbers(product, product.b, matrix, true);
    for (std::int64_t column = 0; column < product.n; ++column) {
      std::int64_t at = matrix * product.out_stride + column * product.out_leading;
      for (std::int64_t row = 0; double sum : sums(product, left, right, column)) {
        if (product.accumulates) sum += read(product.out, product.out_type, at);
        if (product.bias != nullptr) sum += read(product.bias, product.out_type, row);
        write(product.out, product.out_type, at++, sum);
        ++row;
      }
    }
  }
}

void sum_over_k(const BlasProduct& product) {
  const bool of_b = product.sums_b;
  const std::vector<double> all = numbers(product, of_b ? product.b : product.a, 0, of_b);
  const std::int64_t length = of_b ? product.n : product.m;
  for (std::int64_t i = 0; i < length; ++i) {
    float sum = 0;
    for (std::int64_t k = 0; k < product.k; ++k)
      sum += static_cast<float>(all[static_cast<std::size_t>(k * length + i)]);
    write(product.inner_sums, product.out_type, i, sum);
  }
}

void spoil(void* scratch, std::size_t bytes) {
  if (scratch == nullptr) return;
  auto* const all = static_cast<std::byte*>(scratch);
  for (std::size_t at = 0; at < bytes; at += kUnit) std::memset(all + at, 0xA5, std::min(kMark, bytes - at));
  std::memset(all + (bytes - std::min(kMark, bytes)), 0xA5, std::min(kMark, bytes));
}

}  // namespace

cublasStatus_t give_product(void* workspace, std::size_t bytes, const BlasProduct& product) {
  if (const cublasStatus_t status = check(product); status != CUBLAS_STATUS_SUCCESS) return status;
  give([=] {
    spoil(workspace, bytes);
    multiply(product);
    if (product.inner_sums != nullptr) sum_over_k(product);
  });
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace lectern::test
