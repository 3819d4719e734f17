// Kernels whose machine code is known, or reported by ptxas: machine_code_test.py reads it.
#include <cstdint>

#include <cuda_pipeline.h>
#include <mma.h>

namespace {

template <typename T>
__global__ void copy(T* out, const T* in) {
  out[threadIdx.x] = in[threadIdx.x];
}

template __global__ void copy(std::uint8_t*, const std::uint8_t*);
template __global__ void copy(std::int16_t*, const std::int16_t*);
template __global__ void copy(float*, const float*);
template __global__ void copy(double*, const double*);
template __global__ void copy(float4*, const float4*);

}  // namespace

__global__ void copy_through_shared(float4* out, const float4* in) {
  __shared__ float4 shared[128];
  __pipeline_memcpy_async(&shared[threadIdx.x], &in[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x ^ 1];
}

// More values than 32 registers hold: none can be forgotten before the last one is known.
__global__ void __launch_bounds__(1024, 2) spill(float* out, const volatile float* in) {
  float value[48], sum = 0;
  for (int i = 0; i < 48; ++i) sum += value[i] = in[i * 1024];
  for (int i = 0; i < 48; ++i) out[i * 1024] = value[i] * sum;
}

__global__ void index_array(int* out, const int* in) {
  int value[32];
  for (int i = 0; i < 32; ++i) value[i] = in[i];
  for (int i = 0; i < 32; ++i) value[in[32 + i] & 31] = i;
  out[threadIdx.x] = value[in[threadIdx.x] & 31];
}

// What a thread does again and again is a whole pack; the rest of the elements comes one by one.
__global__ void add_packs(float4* out, const float4* a, const float4* b, int count) {
  const int threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int i = first; i < count / 4; i += threads)
    out[i] = {a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w};
#pragma unroll 1
  for (int i = count / 4 * 4 + first; i < count; i += threads)
    reinterpret_cast<float*>(out)[i] =
        reinterpret_cast<const float*>(a)[i] + reinterpret_cast<const float*>(b)[i];
}

__device__ __noinline__ double rare(double x) {
  for (int i = 0; i < 9; ++i) x = 1 / (x * x + 1);
  return x;
}

// More multiply-adds than a multiprocessor does while 32 bytes move; only what is below 0 is handled by a
// call.
__global__ void multiply_often(double2* out, const double2* in, int count) {
#pragma unroll 1
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    double2 x = in[i];
#pragma unroll
    for (int j = 0; j < 128; ++j) x = {fma(x.x, x.y, 1.0), fma(x.y, x.x, 2.0)};
    if (x.x < 0) x.x = rare(x.x);
    out[i] = x;
  }
}

// The inner loop runs once or more often.
__global__ void repeat(float4* out, const float4* in, int count, int times) {
#pragma unroll 1
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    float4 x = in[i];
    int j = 0;
#pragma unroll 1
    do {
      x.x = fmaf(x.x, x.y, x.z);
    } while (++j < times);
    out[i] = x;
  }
}

// Of one dimension, which needs no division.
__global__ void add_dimensions(float4* out, const float4* in, int count, int last) {
#pragma unroll 1
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    int rest = i, at = 0;
#pragma unroll 1
    for (int d = 0; d < last; ++d) {
      at += rest % 7 * 3;
      rest /= 7;
    }
    float4 x = in[at + rest];
    x.x += 1;
    out[i] = x;
  }
}

__global__ void multiply_tiles(float* out, const __half* a, const __half* b, int count) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
#pragma unroll 1
  for (int i = 0; i < count; i += 16) {
    load_matrix_sync(left, a + i, 1024);
    load_matrix_sync(right, b + i, 1024);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(out, sum, 1024, mem_row_major);
}

__global__ void multiply_float_tiles(float4* out, const float4* in, int count) {
  __shared__ float4 tile[64][32];
  float4 sum = {};
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    for (int row = 0; row < 64; ++row) tile[row][threadIdx.x] = in[(i * 64 + row) * 32 + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int row = 0; row < 64; row += 4)
      for (int j = 0; j < 4; ++j) {
        const float4 a = tile[row + j][threadIdx.x];
        for (const float b : {a.x, a.y, a.z, a.w})
          sum = {fmaf(a.x, b, sum.x), fmaf(a.y, b, sum.y), fmaf(a.z, b, sum.z), fmaf(a.w, b, sum.w)};
      }
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
