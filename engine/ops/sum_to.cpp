#include "ops/sum_to.h"

#include "ops/sum.h"

namespace lectern {

Tensor sum_to(const Tensor& x, const Sizes& sizes) {
  if (x.sizes() == sizes) return x;
  const std::size_t lead = x.sizes().size() - sizes.size();
  Sizes repeated;
  for (std::size_t d = 0; d < x.sizes().size(); ++d) {
    if (d < lead || (sizes[d - lead] == 1 && x.sizes()[d] != 1))
      repeated.push_back(static_cast<std::int64_t>(d));
  }
  const Tensor kept = repeated.empty() ? x : sum(x, repeated, true);
  return kept.view(sizes);
}

}  // namespace lectern
