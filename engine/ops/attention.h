#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "base/scoped_value.h"
#include "tensor/tensor.h"

namespace lectern {

struct AttentionOptions {
  /// Broadcast to […, L, S]. bool: true where a query attends to a key; the query's dtype: added to the
  /// scores. Undefined: every query attends to every key.
  Tensor attn_mask = {};
  /// Query i attends to keys up to i.
  bool is_causal = false;
  /// 1 / √E by default.
  std::optional<double> scale = {};
  /// Grouped queries: query of […, n H, L, E], key and value of H heads, each for n consecutive heads of the
  /// query.
  bool enable_gqa = false;
};

/// softmax(query · keyᵀ · scale) · value for query […, L, E], key […, S, E] and value […, S, Ev], whose
/// leading dimensions are broadcast: […, L, Ev]. A query whose keys are all masked gets NaN, one without keys
/// 0. A TensorError unless all are on one device and of one floating dtype, the shapes fit, the mask is bool
/// or of that dtype and broadcasts to […, L, S], and with enable_gqa the query's heads are a multiple of the
/// key's.
///
/// Its gradients are computed together. They recompute the weights (Dao et al. 2022, "FlashAttention"), so
/// that memory besides the result is linear in L and S: no L × S matrix is stored, except the gradient of an
/// additive mask where it is needed, and temporary ones by cuDNN in backward. There are three backends; the
/// first that supports the operands is used (attention_backend() says which):
///
/// - cudnn, by NVIDIA's library where it is found, unless cuda::set_cudnn_enabled(false): what flash takes of
///   float16 and bfloat16, without a mask, on a GPU of compute capability 9.0 or more, of 512 queries and
///   keys or more; not with use_deterministic_algorithms(true). For each shape it compiles kernels, in a good
///   part of a second; not while a graph is being captured, so that a shape that is new then goes to flash.
///   Gradients go there too on GPUs of capability 9.x. Deterministic ones store L × S elements of the dtype
///   for each head; where these take more than 256 MiB in all heads together, flash computes gradients below
///   L × S = 2^24, and cuDNN those of longer attention, without storing them.
/// - flash, by a kernel of its own (kernels/attention.h): float16, bfloat16 and float32 on a GPU of compute
///   capability 8.0 or more; E = Ev, a multiple of 8 (of float32: of 4) up to 128 (64 on 8.6, 8.9 and 12.x);
///   up to four leading dimensions; a positive scale; no gradient of the mask. Weights are rounded to the
///   dtype, sums are float32. The result's dimensions are in memory in the order of the query's.
/// - composed, everything else: small blocks of queries against all their keys. Dtypes of fewer than 32 bits
///   are computed in float32 and rounded once.
///
/// Results have the same bits each time, and so have gradients, but for those of long attention: from L × S =
/// 2^24 on, cuDNN, and flash of 16-bit floats without a mask on compute capability 9.0 to 11.x, let blocks
/// add to the query's gradient in any order, so that its last digits vary; not with
/// use_deterministic_algorithms(true).
///
/// Floating-point operations: 2 E + 2 Ev + 5 per query–key pair (products and softmax; causal attention skips
/// about half of the pairs and does not count them; masked pairs count), and 1 per element of the scaled
/// queries. Backward 6 E + 4 Ev + 9, and 2. An additive mask: 1 more per pair, both times. Bytes: those of
/// the operands, the mask and the result, or the gradients.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options = {});

enum class AttentionBackend : std::uint8_t { composed, flash, cudnn };

/// The backend that scaled_dot_product_attention() uses for these arguments.
AttentionBackend attention_backend(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const AttentionOptions& options = {});

/// A set of attention backends.
class AttentionBackends {
 public:
  constexpr AttentionBackends(std::initializer_list<AttentionBackend> backends) {
    for (const AttentionBackend backend : backends) bits_ |= 1U << static_cast<unsigned>(backend);
  }
  constexpr bool has(AttentionBackend backend) const {
    return (bits_ >> static_cast<unsigned>(backend) & 1U) != 0;
  }

 private:
  unsigned bits_ = 0;
};

/// The backends that this thread allows: initially all.
AttentionBackends allowed_attention_backends();

/// Until the end of the scope this thread uses the first of these backends that supports the operands: a
/// TensorError if none does. Without flash among them cuDNN is used for any lengths. Gradients are computed
/// by the backend that was allowed where their result was computed. torch.nn.attention.sdpa_kernel(…).
class SdpaKernelGuard : ScopedValue<AttentionBackends> {
 public:
  explicit SdpaKernelGuard(AttentionBackends allowed);
};

}  // namespace lectern
