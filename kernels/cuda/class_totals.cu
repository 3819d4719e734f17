#include "kernels/class_lines.h"
#include "kernels/cross_entropy.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/scratch.h"
#include "kernels/cuda/wide_row.h"
#include "kernels/reduction_functors.h"
#include "kernels/row.h"

namespace lectern::kernels::cuda {
namespace {

/// So many losses are added by one block at once; more are reduced before.
constexpr std::int64_t kMostOfBlock = 32768;

/// One block.
template <RealComputeType C>
struct TotalsKernel {
  C* losses;
  C* weights;
  std::int64_t count;
  bool is_mean;
  void* loss;
  Dtype loss_dtype;
  C* total_weight;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t) const {
    const C total = fold_row<Sum<C>>(group, count, Itself{}, WideRow<C>(losses, count));
    const C weight = fold_row<Sum<C>>(group, count, Itself{}, WideRow<C>(weights, count));
    if (group.rank() != 0) return;
    store(loss, loss_dtype, is_mean ? mean_of_losses(total, weight) : total);
    *total_weight = weight;
  }
};

}  // namespace

void class_totals(const ClassTotals& totals) {
  dispatch_real_compute(totals.computed, [&]<typename C>(std::type_identity<C>) {
    TotalsKernel<C> kernel{static_cast<C*>(const_cast<void*>(totals.losses)),
                           static_cast<C*>(const_cast<void*>(totals.weights)),
                           totals.count,
                           totals.is_mean,
                           totals.loss,
                           totals.loss_dtype,
                           static_cast<C*>(totals.total_weight)};
    if (totals.count <= kMostOfBlock) return launch_blocks(1, kernel);
    const Scratch scratch(2 * sizeof(C));
    auto* const sums = static_cast<C*>(scratch.data());
    sum_terms(cuda::reduce, sums, kernel.losses, totals.count);
    sum_terms(cuda::reduce, sums + 1, kernel.weights, totals.count);
    kernel.losses = sums, kernel.weights = sums + 1, kernel.count = 1;
    launch_blocks(1, kernel);
  });
}

}  // namespace lectern::kernels::cuda
