#include "cli/bench_gpu_runs.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/bench_program.h"
#include "cli/bench_runs.h"

namespace lectern::cli {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;

constexpr int kNoGpu = 3, kCallAgain = 75;

/// To import PyTorch and to make the GPU ready for it, on a machine that has not read it yet.
constexpr Milliseconds kImport = std::chrono::seconds(60);

std::string seconds_text(Milliseconds time) {
  return fmt::format("{:.{}f} s", static_cast<double>(time.count()) / 1e3, time.count() % 1000 == 0 ? 0 : 1);
}

/// What all cases have together.
class Budget {
 public:
  Budget(Clock::time_point begin, Milliseconds limit) : limit_(limit), end_(begin + limit) {}

  bool is_used_up() const { return limit_.count() > 0 && Clock::now() >= end_; }
  /// At most `wanted`, and at least a millisecond.
  Milliseconds at_most(Milliseconds wanted) const {
    if (limit_.count() == 0) return wanted;
    return std::clamp(std::chrono::ceil<Milliseconds>(end_ - Clock::now()), Milliseconds(1), wanted);
  }
  std::string not_reached() const { return "not reached in " + seconds_text(limit_); }
  std::string not_done(Milliseconds own) const {
    return is_used_up() ? "not done when the limit of " + seconds_text(limit_) + " was reached"
                        : "not done after " + seconds_text(own);
  }

 private:
  Milliseconds limit_;
  Clock::time_point end_;
};

/// So that it ends when this process is killed.
Command tied(Command command) {
  command.terminal = true;
  return command;
}

std::string how_it_ended(const BenchOutcome& outcome) {
  const std::string how =
      outcome.status > 128 && outcome.status <= 128 + 64
          ? fmt::format("ended by signal {} ({})", outcome.status - 128, strsignal(outcome.status - 128))
          : fmt::format("exit status {}", outcome.status);
  return outcome.said.empty() ? how : how + ": " + outcome.said;
}

Names names_with(const GpuBenchPlan& plan) {
  Command list = plan.ours;
  list.arguments.insert(list.arguments.end(), {"--list", "cuda"});
  list.limit = plan.case_limit;
  Names all, found;
  const int status = run_command(list, [&](std::string_view line) { all.emplace_back(line); });
  if (status != 0) {
    throw Error(fmt::format("{} does not list its cases{}{}", plan.ours.arguments.front(),
                            all.empty() ? "" : ": ", all.empty() ? "" : all.back()));
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const std::string& name) { return name.find(plan.filter) != std::string::npos; });
  if (found.empty()) {
    throw NoSuchCase(
        fmt::format("no case's name contains `{}`; there are: {}", plan.filter, fmt::join(all, ", ")));
  }
  return found;
}

/// Our program, of one case.
class Ours {
 public:
  Ours(const GpuBenchPlan& plan, const Budget& budget) : plan_(plan), budget_(budget) {}

  GpuRow measure(const std::string& name) {
    if (budget_.is_used_up()) return failed(name, budget_.not_reached());
    Command command = tied(plan_.ours);
    command.limit = budget_.at_most(plan_.case_limit);
    std::string measured;
    const BenchOutcome outcome =
        run_bench_program(command, {"cuda", "--case", name}, [&](std::string_view line) { measured = line; });
    if (outcome.status == kNoGpu && !is_begun_) throw Error(outcome.said);
    is_begun_ = true;
    if (outcome.status == kTimedOut) return failed(name, budget_.not_done(plan_.case_limit));
    if (outcome.status != 0) return failed(name, how_it_ended(outcome));
    try {
      return read_our_line(name, measured);
    } catch (const Error& error) {
      return failed(name, error.what());
    }
  }

 private:
  static GpuRow failed(const std::string& name, const std::string& error) {
    return {.name = name, .ours = {.error = error}};
  }

  const GpuBenchPlan& plan_;
  const Budget& budget_;
  bool is_begun_ = false;
};

/// PyTorch, of all cases.
class Torch {
 public:
  Torch(const GpuBenchPlan& plan, const Budget& budget, const GpuBenchEvents& events, GpuBenchRuns& runs)
      : plan_(plan), budget_(budget), events_(events), runs_(runs) {}

  void measure() {
    for (const GpuRow& row : runs_.rows) left_.push_back(row.name);
    while (!left_.empty() && !budget_.is_used_up() && runs_.why_no_torch.empty()) measure_until_it_dies();
    if (runs_.why_no_torch.empty()) fail_all(budget_.not_reached());
  }

 private:
  /// One process for all that are left.
  void measure_until_it_dies() {
    Command command = tied(*plan_.torch);
    command.limit = budget_.at_most(std::chrono::hours(24));
    command.silence = plan_.case_limit + kImport;
    Names arguments = left_;
    arguments.insert(arguments.begin(), "cuda");
    events_.on_progress(fmt::format("PyTorch: {} cases", left_.size()));
    const BenchOutcome outcome =
        run_bench_program(command, arguments, [&](std::string_view line) { take(line); });
    if (outcome.status == kNoTorch || outcome.status == kNotStarted) {
      runs_.why_no_torch = outcome.said;
      events_.on_result(nlohmann::ordered_json{{"of", "torch"}, {"error", outcome.said}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    const bool is_to_go_on = outcome.status == kCallAgain && left_.size() + 1 < arguments.size();
    if (is_to_go_on || left_.empty()) return;
    const std::string why = outcome.status == kTimedOut ? budget_.not_done(command.silence)
                            : outcome.status == 0       ? "torch_bench.py left it out"
                                                        : how_it_ended(outcome);
    if (runs_.torch.empty()) return fail_all(why);  // before any case
    fail(why);
  }

  void take(std::string_view line) {
    const auto fields = nlohmann::json::parse(line, nullptr, false);
    try {
      if (fields.contains("torch")) {
        if (runs_.torch.empty()) events_.on_result(R"({"of":"torch",)" + std::string(line.substr(1)));
        runs_.torch = fmt::format("PyTorch {} with CUDA {}", fields.at("torch").get<std::string>(),
                                  fields.at("cuda").get<std::string>());
        return;
      }
      const auto name = std::find(left_.begin(), left_.end(), fields.at("name").get<std::string>());
      if (name == left_.end()) return;
      GpuTime time{.error = fields.value("error", "")};
      if (time.error.empty()) time.nanoseconds = fields.at("ns").get<double>();
      finish(name, time);
    } catch (const nlohmann::json::exception&) {  // no result: the case is left, and gets an error
    }
  }

  /// The case that was being measured, the first of those that are left.
  void fail(const std::string& error) { finish(left_.begin(), {.error = error}); }
  void fail_all(const std::string& error) {
    while (!left_.empty()) fail(error);
  }

  void finish(Names::iterator name, const GpuTime& time) {
    const auto row = std::find_if(runs_.rows.begin(), runs_.rows.end(),
                                  [&](const GpuRow& other) { return other.name == *name; });
    row->torch = time;
    left_.erase(name);
    events_.on_result(torch_json(*row));
    if (time.nanoseconds) events_.on_progress(fmt::format("PyTorch: {}, {} to go", row->name, left_.size()));
  }

  const GpuBenchPlan& plan_;
  const Budget& budget_;
  const GpuBenchEvents& events_;
  GpuBenchRuns& runs_;
  Names left_;
};

}  // namespace

GpuBenchRuns run_gpu_benchmarks(const GpuBenchPlan& plan, const GpuBenchEvents& events) {
  // PyTorch comes last, and is to have something left.
  const Budget own(plan.begin, plan.torch ? plan.limit * 2 / 3 : plan.limit);
  const Names names = names_with(plan);
  GpuBenchRuns runs;
  Ours ours(plan, own);
  for (const std::string& name : names) {
    if (!own.is_used_up())
      events.on_progress(fmt::format("{} of {}: {}", runs.rows.size() + 1, names.size(), name));
    runs.rows.push_back(ours.measure(name));
    events.on_result(our_json(runs.rows.back()));
  }
  if (plan.torch) Torch(plan, Budget(plan.begin, plan.limit), events, runs).measure();
  return runs;
}

}  // namespace lectern::cli
