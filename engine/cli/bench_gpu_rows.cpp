#include "cli/bench_gpu_rows.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace lectern::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kArithmetic = "arithmetic";

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::optional<double> GpuRow::ratio() const {
  if (!ours.nanoseconds || !torch.nanoseconds) return {};
  return *torch.nanoseconds / *ours.nanoseconds;
}

std::optional<double> GpuRow::reached() const {
  if (!ours.nanoseconds || limit <= 0) return {};
  return limit / *ours.nanoseconds;
}

bool GpuBenchRuns::is_complete() const {
  return std::all_of(rows.begin(), rows.end(),
                     [](const GpuRow& row) { return row.ours.nanoseconds && row.torch.error.empty(); });
}

GpuRow read_our_line(const std::string& name, std::string_view line) {
  try {
    const Json fields = Json::parse(line);
    if (fields.at("name") == name) {
      return {.name = name,
              .tensors = fields.at("tensors").get<std::string>(),
              .bytes = fields.at("bytes").get<std::int64_t>(),
              .flops = fields.at("flops").get<std::int64_t>(),
              .limit = fields.at("limit_ns").get<double>(),
              .gpu = fields.at("limit_of").get<std::string>(),
              .is_limited_by_arithmetic = fields.at("limited_by") == kArithmetic,
              .known = fields.at("known").get<std::string>(),
              .ours = {.nanoseconds = fields.at("ns").get<double>()}};
    }
  } catch (const Json::exception&) {  // said below
  }
  throw Error(fmt::format("it printed `{}`, which is no measurement of {}", line, name));
}

std::string gpu_bench_header(const GpuBenchContext& context) {
  return text_of({{"format", "lectern-bench-lines/1"},
                  {"device", context.device},
                  {"date", context.date},
                  {"commit", context.commit}});
}

std::string our_json(const GpuRow& row) {
  Json json = {{"of", "ours"}, {"name", row.name}};
  if (!row.ours.nanoseconds) {
    json["error"] = row.ours.error;
    return text_of(json);
  }
  json.update({{"tensors", row.tensors},
               {"ns", *row.ours.nanoseconds},
               {"bytes", row.bytes},
               {"flops", row.flops},
               {"limit_ns", row.limit > 0 ? Json(row.limit) : Json(nullptr)},
               {"limited_by", row.limit <= 0                 ? ""
                              : row.is_limited_by_arithmetic ? kArithmetic
                                                             : "memory"},
               {"limit_of", row.gpu},
               {"known", row.known}});
  return text_of(json);
}

std::string torch_json(const GpuRow& row) {
  Json json = {{"of", "torch"}, {"name", row.name}};
  if (row.torch.nanoseconds) {
    json["ns"] = *row.torch.nanoseconds;
  } else {
    json["error"] = row.torch.error;
  }
  return text_of(json);
}

}  // namespace lectern::cli
