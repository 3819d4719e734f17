// Kernels whose machine code is known, or reported by ptxas: machine_code_test.py reads it.
#include <cstdint>

#include <cuda_pipeline.h>

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
