#include "ops/convolution_composed.h"

#include <algorithm>

#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/pad.h"

namespace lectern {
namespace {

/// [N, in, places…, kernel…], a view of the padded input.
Tensor all_windows(const Convolution& convolution, const Tensor& input) {
  const bool pads_any = std::ranges::any_of(convolution.pads, [](std::int64_t size) { return size != 0; });
  Tensor windows = pads_any ? pad(input, convolution.pads) : input;
  std::int64_t dim = 2;
  for (const Window& window : convolution.windows)
    windows = windows_along(convolution.operation, windows, dim++, window);
  return windows;
}

}  // namespace

Tensor composed_convolution(const Convolution& convolution, const Tensor& input, const Tensor& weight,
                            const Tensor& bias) {
  const auto dims = static_cast<std::int64_t>(convolution.windows.size());
  const Tensor windows = all_windows(convolution, input);
  const std::int64_t groups = convolution.groups, outputs = weight.size(0) / groups;
  const std::int64_t inner = weight.numel() / weight.size(0);

  // [N, groups, in / groups, places…, kernel…] to the rows of a matrix for each group.
  Sizes to_rows{1, 0}, sums_sizes{groups, input.size(0)}, result{input.size(0), weight.size(0)};
  for (std::int64_t i = 0; i < dims; ++i) {
    to_rows.push_back(3 + i);
    sums_sizes.push_back(windows.size(2 + i));
    result.push_back(windows.size(2 + i));
  }
  to_rows.push_back(2);
  for (std::int64_t i = 0; i < dims; ++i) to_rows.push_back(3 + dims + i);
  sums_sizes.push_back(outputs);
  const std::int64_t places = checked_numel(convolution.operation, result) / weight.size(0);
  const Tensor rows =
      windows.unflatten(1, {groups, weight.size(1)}).permute(to_rows).reshape({groups, places, inner});
  const Tensor columns = weight.reshape({groups, outputs, inner}).mT();
  const Tensor sums =
      bias.defined() ? baddbmm(bias.reshape({groups, 1, outputs}), rows, columns) : matmul(rows, columns);
  // [groups, N, places…, out / groups] to [N, groups, out / groups, places…].
  return sums.view(sums_sizes).movedim({-1, 0}, {2, 1}).reshape(result).contiguous();
}

}  // namespace lectern
