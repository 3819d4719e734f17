// Lecture 3, how its numbers are shown.

#include "parts.h"

// @stepover
PlotSeries loss_curve(const std::string& name, const std::vector<double>& losses) {
  const Tensor all = tensor(losses);
  const int64_t many = std::max<int64_t>(1, all.numel() / 80), points = all.numel() / many;
  const Tensor means = all.narrow(0, 0, points * many).view({points, many}).mean({1});
  return {name, arange(0, points * many, many), means};
}
