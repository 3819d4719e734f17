#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::cli {

/// A benchmark's case on the CPU at a number of threads. Times are nanoseconds of a call, one for each
/// round.
struct BenchRow {
  std::string name = {};
  std::string tensors = {};  ///< what it works on
  int threads = 1;
  std::int64_t bytes = 0;  ///< read and written by a call
  std::int64_t flops = 0;
  double bar = 0;       ///< the nanoseconds that a call may take; 0: as long as PyTorch's
  double faster = 1;    ///< how many times as fast as PyTorch it is to be
  double copy_bar = 0;  ///< how many times what a copy takes it may take, where memory is to be the limit
  std::string obstacle = {};  ///< why a bar is missed that this is to explain
  /// What a copy of as many bytes took, where memory is to be the limit; one for each round.
  std::vector<double> copies = {};
  /// What the processor needs at least for the arithmetic of the formula, where that may be the limit.
  std::vector<double> arithmetic = {};
  std::vector<double> ours = {};
  std::vector<double> torch = {};  ///< empty: not measured

  double our_time() const;  ///< the median of the rounds
  std::optional<double> torch_time() const;
  /// PyTorch's time through ours: above 1, ours is faster.
  std::optional<double> ratio() const;
  /// Our time through that of a copy of as many bytes, where memory is to be the limit; through that of the
  /// arithmetic, where that takes longer on this processor.
  std::optional<double> over_copy() const;
  bool is_limited_by_arithmetic() const;
  /// Whether PyTorch's time through ours is at least `faster`; "as fast" leaves room for kNoise.
  bool is_fast_enough() const;
  /// Whether our time is within the bar, or, without one, fast enough and not above copy_bar times the limit
  /// that memory sets; nothing when there is nothing to hold it against.
  std::optional<bool> held() const;
  bool is_missed() const { return !held().value_or(true); }
};

/// Two runs of one program differ by as much.
inline constexpr double kNoise = 0.05;

/// Where and on what the rows were measured.
struct BenchContext {
  std::string device;
  std::string date;
  std::string commit;
  std::string torch;  ///< its version and BLAS; empty: not measured
  int rounds = 1;
};

/// Takes in a line that tensor_bench printed: a JSON object with name, tensors, threads, ns, bytes, flops,
/// bar_ns, faster, copy_ns, arithmetic_ns, copy_bar, obstacle. Throws Error when it is none.
void add_ours(std::vector<BenchRow>& rows, std::string_view line);

/// Takes in a line that torch_bench.py printed, with name, threads and ns. Throws Error when no row is of
/// that name.
void add_torch(std::vector<BenchRow>& rows, std::string_view line);

/// "2 threads", "1 thread".
std::string threads_text(int threads);

/// For readers: context, one line for each row, what was held.
std::string bench_table(const BenchContext& context, const std::vector<BenchRow>& rows);

/// For programs: the same, with the time of each round.
std::string bench_json(const BenchContext& context, const std::vector<BenchRow>& rows);

}  // namespace lectern::cli
