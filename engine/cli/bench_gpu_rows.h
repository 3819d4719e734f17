#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::cli {

/// What a program took for a case.
struct GpuTime {
  std::optional<double> nanoseconds = {};  ///< of a call; nothing: it was not measured
  std::string error = {};                  ///< why not; empty: nobody tried
};

/// A benchmark's case on a GPU.
struct GpuRow {
  std::string name = {};
  std::string tensors = {};  ///< what it works on
  std::int64_t bytes = 0;    ///< read and written by a call
  std::int64_t flops = 0;
  double limit = 0;                       ///< the nanoseconds that a GPU needs at least; 0: none is known
  std::string gpu = "H200";               ///< which one
  bool is_limited_by_arithmetic = false;  ///< else by memory
  std::string known = {};                 ///< what others have published: "769 to 798 TFLOP/s"
  GpuTime ours = {};
  GpuTime torch = {};

  /// PyTorch's time through ours: above 1, ours is faster.
  std::optional<double> ratio() const;
  /// The limit through our time: 1 is all that there is.
  std::optional<double> reached() const;
};

/// Where and on what the rows were measured.
struct GpuBenchContext {
  std::string device;
  std::string date;
  std::string commit;
};

struct GpuBenchRuns {
  std::vector<GpuRow> rows = {};
  std::string torch = {};         ///< its version; empty: not measured
  std::string why_no_torch = {};  ///< when it was to be measured and could not be
  /// Whether each case was measured by both, or by ours where PyTorch was not to be measured or is not there.
  bool is_complete() const;
};

/// The row that a line of tensor_bench holds: a JSON object with name, tensors, ns, bytes, flops, limit_ns,
/// limited_by, limit_of, known. Throws Error when it is none, or of another case.
GpuRow read_our_line(const std::string& name, std::string_view line);

/// For programs, a JSON object in one line, without the newline: what comes before a run's results, with
/// "format", "device", "date" and "commit".
std::string gpu_bench_header(const GpuBenchContext& context);
/// A row's result, likewise: "of" is "ours" or "torch", then "name", and "error", or "ns" and, of ours, what
/// tensor_bench prints besides.
std::string our_json(const GpuRow& row);
std::string torch_json(const GpuRow& row);

/// For readers: context, one line for each row, and what was not measured and why.
std::string gpu_bench_table(const GpuBenchContext& context, const GpuBenchRuns& runs);

}  // namespace lectern::cli
