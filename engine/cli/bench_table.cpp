#include <algorithm>

#include <fmt/core.h>

#include "cli/bench_rows.h"
#include "cli/bench_text.h"

namespace lectern::cli {
namespace {

/// Of what limits the case: arithmetic, or memory.
std::string rate_text(const BenchRow& row) {
  if (row.bar > 0 || row.bytes == 0) return {};
  if (row.flops <= row.bytes) return bandwidth_text(static_cast<double>(row.bytes), row.our_time());
  return significant(static_cast<double>(row.flops) / row.our_time()) + " GFLOP/s";
}

const char* limit_text(const BenchRow& row) {
  return row.is_limited_by_arithmetic() ? "arithmetic" : "copy";
}

std::string bar_text(const BenchRow& row) {
  const std::optional<bool> held = row.held();
  if (!held) return {};
  if (row.bar > 0) return (*held ? "✓ ≤ " : "✗ > ") + time_text(row.bar);
  std::string text = *held ? "✓" : "✗";
  if (const auto over = row.over_copy())
    text += fmt::format(" {} × {} (≤ {}){}", significant(*over), limit_text(row), row.copy_bar,
                        row.ratio() ? "," : "");
  if (!row.ratio()) return text;
  if (row.faster > 1)
    return text + fmt::format(" {} {} times as fast", row.is_fast_enough() ? "≥" : "<", row.faster);
  text += row.is_fast_enough() ? " as fast" : " slower";
  return text;
}

Cells cells_of(const BenchRow& row) {
  // A case with a time of its own to keep is short: there, calling PyTorch from Python is part of its time.
  const char* note = row.bar > 0 ? "*" : " ";
  return {row.name,
          row.tensors,
          std::to_string(row.threads),
          time_text(row.our_time()),
          row.torch_time() ? time_text(*row.torch_time()) + note : "",
          row.ratio() ? fmt::format("{:.2f}", *row.ratio()) : "",
          rate_text(row),
          bar_text(row)};
}

std::string count_text(const std::vector<BenchRow>& rows) {
  std::size_t bars = 0, held = 0;
  std::string missed;
  for (const BenchRow& row : rows) {
    if (!row.held()) continue;
    ++bars;
    held += *row.held() ? 1U : 0U;
    if (row.is_missed())
      missed +=
          fmt::format("{}{} ({})", missed.empty() ? "; missed: " : ", ", row.name, threads_text(row.threads));
  }
  return bars == 0 ? "" : fmt::format("{} of {} bars held{}\n", held, bars, missed);
}

}  // namespace

std::string bench_table(const BenchContext& context, const std::vector<BenchRow>& rows) {
  std::vector<Cells> lines = {{"case", "tensors", "threads", "ours", "torch ", "torch/ours", "rate", "bar"}};
  for (const BenchRow& row : rows) lines.push_back(cells_of(row));
  const bool compared = !context.torch.empty();
  std::string out = fmt::format("{}, {}, commit {}\n", context.device, context.date, context.commit);
  if (compared) out += "torch: " + context.torch + "\n";
  out += fmt::format("Medians of {} round{}.\n\n{}\n", context.rounds, context.rounds == 1 ? "" : "s",
                     aligned(lines, 2, 1));
  const auto starred = [](const BenchRow& row) { return row.bar > 0 && row.torch_time(); };
  if (std::any_of(rows.begin(), rows.end(), starred))
    out += "* called from Python, which is part of the time\n";
  if (std::any_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.over_copy(); }))
    out += "× copy: of as many bytes, in the same run\n";
  if (std::any_of(rows.begin(), rows.end(),
                  [](const BenchRow& row) { return row.is_limited_by_arithmetic(); }))
    out +=
        "× arithmetic: the formula's multiply-adds, at the best rate of this processor in the same run, take "
        "longer than the copy\n";
  if (compared) out += fmt::format("as fast: torch/ours is at least {:.2f}\n", 1 - kNoise);
  for (const BenchRow& row : rows) {
    if (row.is_missed() && !row.obstacle.empty())
      out += fmt::format("{} ({}): {}\n", row.name, threads_text(row.threads), row.obstacle);
  }
  return out + count_text(rows);
}

}  // namespace lectern::cli
