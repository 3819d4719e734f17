#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "cli/bench_gpu_rows.h"
#include "cli/bench_text.h"

namespace lectern::cli {
namespace {

std::string time_or_error(const GpuTime& time) {
  if (time.nanoseconds) return time_text(*time.nanoseconds);
  return time.error.empty() ? "" : "✗";
}

/// Of what limits the case.
std::string rate_text(const GpuRow& row) {
  if (!row.ours.nanoseconds || row.limit <= 0) return {};
  if (!row.is_limited_by_arithmetic)
    return bandwidth_text(static_cast<double>(row.bytes), *row.ours.nanoseconds);
  return significant(static_cast<double>(row.flops) / *row.ours.nanoseconds / 1e3) + " TFLOP/s";
}

Cells cells_of(const GpuRow& row) {
  const auto reached = row.reached(), ratio = row.ratio();
  return {row.name,
          row.tensors,
          time_or_error(row.ours),
          reached ? fmt::format("{:.0f} %", 100 * *reached) : "",
          rate_text(row),
          time_or_error(row.torch),
          ratio ? fmt::format("{:.2f}", *ratio) : "",
          row.known};
}

/// What was not measured of one program, in the order in which it happened; cases with one reason together.
std::string errors_text(const char* program, const std::vector<GpuRow>& rows, const GpuTime GpuRow::*time) {
  std::vector<std::pair<std::string, std::string>> names_of;
  for (const GpuRow& row : rows) {
    const std::string& error = (row.*time).error;
    if (error.empty()) continue;
    const auto found = std::find_if(names_of.begin(), names_of.end(),
                                    [&](const auto& known) { return known.first == error; });
    if (found == names_of.end()) {
      names_of.emplace_back(error, row.name);
    } else {
      found->second += ", " + row.name;
    }
  }
  std::string text;
  for (const auto& [error, names] : names_of) text += fmt::format("✗ {}, {}: {}\n", program, names, error);
  return text;
}

std::string count_text(const GpuBenchRuns& runs) {
  const auto measured = [&](const GpuTime GpuRow::*time) {
    return std::count_if(runs.rows.begin(), runs.rows.end(),
                         [&](const GpuRow& row) { return (row.*time).nanoseconds.has_value(); });
  };
  std::string text = fmt::format("{} of {} cases measured", measured(&GpuRow::ours), runs.rows.size());
  if (!runs.torch.empty()) text += fmt::format(", {} of PyTorch", measured(&GpuRow::torch));
  return text + "\n";
}

}  // namespace

std::string gpu_bench_table(const GpuBenchContext& context, const GpuBenchRuns& runs) {
  std::vector<Cells> lines = {
      {"case", "tensors", "ours", "of limit", "rate", "torch", "torch/ours", "known"}};
  for (const GpuRow& row : runs.rows) lines.push_back(cells_of(row));
  std::string out = fmt::format("{}, {}, commit {}\n", context.device, context.date, context.commit);
  if (!runs.torch.empty()) out += "torch: " + runs.torch + "\n";
  if (!runs.why_no_torch.empty()) out += "PyTorch was not measured: " + runs.why_no_torch + "\n";
  out += "\n" + aligned(lines, 2, 1) + "\n";
  const auto any = [&](const auto& holds) { return std::any_of(runs.rows.begin(), runs.rows.end(), holds); };
  const auto limited = std::find_if(runs.rows.begin(), runs.rows.end(),
                                    [](const GpuRow& row) { return row.reached().has_value(); });
  if (limited != runs.rows.end()) {
    out += fmt::format(
        "of limit: the least time that an {} needs for the bytes and operations of a call, through ours\n",
        limited->gpu);
  }
  if (any([](const GpuRow& row) { return !row.known.empty(); }))
    out += "known: what others have published of PyTorch on an H200, of attention on an H100\n";
  return out + errors_text("ours", runs.rows, &GpuRow::ours) +
         errors_text("torch", runs.rows, &GpuRow::torch) + count_text(runs);
}

}  // namespace lectern::cli
