#include "simulated_gpu/product.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "tensor/float8.h"
#include "tensor/half.h"

namespace lectern::test {
namespace {

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
  const auto& [m, n, k, a, b, out, out_type, out_leading, out_stride, batch, compute, narrow] = product;
  const auto in_units = [](const BlasOperand& operand) {
    return operand.leading % 16 == 0 && reinterpret_cast<std::uintptr_t>(operand.data) % 16 == 0;
  };
  return is_float8(a.type) && is_float8(b.type) && (a.type == CUDA_R_8F_E4M3 || b.type == CUDA_R_8F_E4M3) &&
         a.operation == CUBLAS_OP_T && b.operation == CUBLAS_OP_N && m % 16 == 0 && k % 16 == 0 &&
         batch == 1 && compute == CUBLAS_COMPUTE_32F && out_type == CUDA_R_32F && in_units(a) && in_units(b);
}

cublasStatus_t check(const BlasProduct& product) {
  const auto& [m, n, k, a, b, out, out_type, out_leading, out_stride, batch, compute, narrow] = product;
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

/// op(operand) as `rows` runs of `columns` numbers; of `right`, its transposed.
std::vector<double> numbers(const BlasProduct& product, const BlasOperand& operand, std::int64_t matrix,
                            bool right) {
  const std::int64_t rows = right ? product.n : product.m;
  const bool along = (operand.operation == CUBLAS_OP_T) != right;  // a run lies in one piece
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(rows * product.k));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < product.k; ++i) {
      const std::int64_t at = along ? row * operand.leading + i : i * operand.leading + row;
      const double number = read(operand.data, operand.type, matrix * operand.stride + at);
      result.push_back(product.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? to_tf32(number) : number);
    }
  }
  return result;
}

double sum(const BlasProduct& product, const double* x, const double* y) {
  double sum = 0;
  if (product.compute == CUBLAS_COMPUTE_64F) return std::inner_product(x, x + product.k, y, sum);
  for (std::int64_t i = 0; i < product.k; ++i) {
    sum = static_cast<double>(static_cast<float>(sum + x[i] * y[i]));
    if (product.narrow_sums) sum = rounded(sum, product.out_type);
  }
  return sum;
}

}  // namespace

cublasStatus_t multiply(const BlasProduct& product) {
  if (const cublasStatus_t status = check(product); status != CUBLAS_STATUS_SUCCESS) return status;
  for (std::int64_t matrix = 0; matrix < product.batch; ++matrix) {
    const std::vector<double> left = numbers(product, product.a, matrix, false);
    const std::vector<double> right = numbers(product, product.b, matrix, true);
    for (std::int64_t column = 0; column < product.n; ++column) {
      for (std::int64_t row = 0; row < product.m; ++row) {
        write(product.out, product.out_type, matrix * product.out_stride + column * product.out_leading + row,
              sum(product, left.data() + row * product.k, right.data() + column * product.k));
      }
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

void spoil(void* scratch, std::size_t bytes) {
  if (scratch != nullptr) std::memset(scratch, 0xA5, bytes);
}

}  // namespace lectern::test
