#include "cli/bench_rows.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace lectern::cli {
namespace {

using Json = nlohmann::ordered_json;

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
}

/// The fields of a line; what it does with them may throw Json's exceptions.
template <typename Function>
void read_row(const char* program, std::string_view line, const Function& function) {
  try {
    function(Json::parse(line));
  } catch (const Json::exception&) {
    throw Error(fmt::format("{} printed `{}`, which is no measurement", program, line));
  }
}

BenchRow* find(std::vector<BenchRow>& rows, const Json& fields) {
  const auto name = fields.at("name").get<std::string>();
  const int threads = fields.at("threads").get<int>();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& other) {
    return other.name == name && other.threads == threads;
  });
  return row == rows.end() ? nullptr : &*row;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

double BenchRow::our_time() const {
  return median(ours);
}

std::optional<double> BenchRow::torch_time() const {
  if (torch.empty()) return {};
  return median(torch);
}

std::optional<double> BenchRow::ratio() const {
  if (torch.empty()) return {};
  return median(torch) / our_time();
}

std::optional<double> BenchRow::over_copy() const {
  if (copies.empty()) return {};
  return our_time() / median(is_limited_by_arithmetic() ? arithmetic : copies);
}

bool BenchRow::is_limited_by_arithmetic() const {
  return !arithmetic.empty() && !copies.empty() && median(arithmetic) > median(copies);
}

bool BenchRow::is_fast_enough() const {
  return ratio().value_or(faster) >= (faster > 1 ? faster : 1 - kNoise);
}

std::optional<bool> BenchRow::held() const {
  if (bar > 0) return our_time() <= bar;
  if (torch.empty() && copies.empty()) return {};
  return is_fast_enough() && over_copy().value_or(0) <= copy_bar;
}

void add_ours(std::vector<BenchRow>& rows, std::string_view line) {
  read_row("tensor_bench", line, [&](const Json& fields) {
    BenchRow* row = find(rows, fields);
    if (row == nullptr) {
      rows.push_back({.name = fields.at("name").get<std::string>(),
                      .tensors = fields.at("tensors").get<std::string>(),
                      .threads = fields.at("threads").get<int>(),
                      .bytes = fields.at("bytes").get<std::int64_t>(),
                      .flops = fields.at("flops").get<std::int64_t>(),
                      .bar = fields.at("bar_ns").get<double>(),
                      .faster = fields.value("faster", 1.),
                      .copy_bar = fields.value("copy_bar", 0.),
                      .obstacle = fields.value("obstacle", "")});
      row = &rows.back();
    }
    row->ours.push_back(fields.at("ns").get<double>());
    if (const double copy = fields.value("copy_ns", 0.); copy > 0) row->copies.push_back(copy);
    if (const double least = fields.value("arithmetic_ns", 0.); least > 0) row->arithmetic.push_back(least);
  });
}

void add_torch(std::vector<BenchRow>& rows, std::string_view line) {
  read_row("torch_bench.py", line, [&](const Json& fields) {
    BenchRow* row = find(rows, fields);
    if (row == nullptr) {
      throw Error(
          fmt::format("torch_bench.py has a case `{}`, tensor_bench has not; give both the same cases",
                      fields.at("name").get<std::string>()));
    }
    row->torch.push_back(fields.at("ns").get<double>());
  });
}

std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

std::string bench_json(const BenchContext& context, const std::vector<BenchRow>& rows) {
  Json json = {{"format", "lectern-bench/1"}, {"device", context.device}, {"date", context.date},
               {"commit", context.commit},    {"torch", context.torch},   {"rounds", context.rounds},
               {"rows", Json::array()}};
  for (const BenchRow& row : rows) {
    json["rows"].push_back({{"name", row.name},
                            {"tensors", row.tensors},
                            {"threads", row.threads},
                            {"bytes", row.bytes},
                            {"flops", row.flops},
                            {"ours_ns", row.our_time()},
                            {"torch_ns", or_null(row.torch_time())},
                            {"ratio", or_null(row.ratio())},
                            {"over_copy", or_null(row.over_copy())},
                            {"limit", row.copies.empty()               ? Json(nullptr)
                                      : row.is_limited_by_arithmetic() ? Json("arithmetic")
                                                                       : Json("copy")},
                            {"bar_ns", row.bar > 0 ? Json(row.bar) : Json(nullptr)},
                            {"held", or_null(row.held())},
                            {"obstacle", row.is_missed() ? row.obstacle : ""},
                            {"ours_rounds_ns", row.ours},
                            {"torch_rounds_ns", row.torch}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lectern::cli
