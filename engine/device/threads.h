#pragma once

// CPU results and the number of threads. On one machine, with one choice of kernels (the environment may make
// another one: OPENBLAS_CORETYPE, ONEDNN_MAX_CPU_ISA, LECTERN_CPU):
//
// With the same number of threads every operation gives the same bits, each time.
//
// With any number of threads these do, their gradients and in-place forms included:
//   - what computes, moves or selects each element by itself: elementwise operations, conversions, copies,
//     where, clamp, lerp, tril, cat, pad, repeat, flip, rotary_embedding, einops' rearrange and the like;
//   - reductions: sum, mean, prod, var, std, norm, logsumexp, max, argmax, any, all, count_nonzero …;
//   - cumsum, cumprod, logcumsumexp, sort, argsort, topk, median, quantile, unique, searchsorted, isin,
//     histc, nonzero;
//   - softmax, log_softmax, layer_norm, rms_norm, batch_norm, group_norm, pooling; cross_entropy, nll_loss
//     and the other losses;
//   - embedding, index_select, index, index_put, index_add, index_fill, index_copy, gather, scatter,
//     scatter_add, scatter_reduce, masked_scatter, take_along_dim;
//   - the sums that are gradients of broadcasting;
//   - random numbers, dropout;
//   - steps of optimizers, clip_grad_norm_ and clip_grad_value_, GradScaler;
//   - products of integers.
// They divide the work by shapes alone, or each thread computes its own results.
//
// Products of floating-point matrices do not: matmul, mm, bmm, dot, addmm, baddbmm, linear, float8_matmul,
// einsum, scaled_dot_product_attention, conv1d, conv2d, the modules that call them, and all gradients that
// pass through one of them. OpenBLAS and oneDNN divide a product by the number of threads, and some of their
// kernels then sum in another order. Results that are sums of about the size of 1, as layers give them, agree
// within the tolerance that torch.testing.assert_close has for their dtype; those of larger terms differ in
// proportion.

namespace lectern {

/// How many CPU threads (OpenMP's) the operations called by this thread may use. Initially OMP_NUM_THREADS,
/// else one per processor. Throws TensorError if `threads` is not positive.
void set_num_threads(int threads);
int get_num_threads();

}  // namespace lectern
