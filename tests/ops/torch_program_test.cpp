// Random programs of views, changes in place, operations and gradients, and what PyTorch makes of them: with
// fresh seeds each time. Where operands overlap, PyTorch computes with copies of them.
//
//   LECTERN_SEED=N       draws the same programs again, from N on
//   LECTERN_PROGRAMS=N   so many of them
#include "ops/torch_program.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "ops/fresh_seed.h"
#include "ops/torch_process.h"
#include "ops/torch_program_writer.h"

namespace lectern::test {
namespace {

/// What PyTorch is asked: without what ours may refuse, and did.
std::vector<std::string> question(const Program& program, const ProgramRun& ours) {
  std::vector<std::string> statements;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const bool refused = program[i].may_refuse && ours.errors[i];
    statements.push_back(refused ? "" : program[i].text());
  }
  return statements;
}

std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor flat = tensor.detach().cpu().to(float64).contiguous();
  return {flat.data<double>(), flat.data<double>() + flat.numel()};
}
double largest(const std::vector<double>& all) {
  double most = 0;
  for (const double one : all) most = std::max(most, std::abs(one));
  return most;
}

/// Sums of many numbers are added up in different orders.
class Comparison {
 public:
  explicit Comparison(const TorchRun& torch) {
    for (const auto& variable : torch.variables) {
      if (!variable) continue;
      is_narrow_ = is_narrow_ || variable->value.dtype == float32;
      values_ = std::max(values_, largest(numbers_of(tensor_of(variable->value))));
      if (variable->grad) gradients_ = std::max(gradients_, largest(numbers_of(tensor_of(*variable->grad))));
    }
  }

  /// What is different.
  std::string of(const ProgramRun& ours, const TorchRun& torch) const {
    for (std::size_t i = 0; i < ours.errors.size(); ++i) {
      if (ours.errors[i].has_value() != torch.errors[i].has_value()) {
        return "statement " + std::to_string(i) + ": ours: " + ours.errors[i].value_or("no error") +
               "; PyTorch: " + torch.errors[i].value_or("no error");
      }
    }
    for (std::size_t i = 0; i < ours.variables.size(); ++i) {
      const bool is_there = i < torch.variables.size() && torch.variables[i];
      if (ours.variables[i].defined() != is_there) return "t" + std::to_string(i) + " is only one's";
      if (!is_there) continue;
      if (const std::string what = of(ours.variables[i], *torch.variables[i]); !what.empty()) {
        return "t" + std::to_string(i) + what;
      }
    }
    return "";
  }

 private:
  std::string of(const Tensor& ours, const TorchRun::Variable& torch) const {
    if (ours.requires_grad() != torch.requires_grad) {
      return torch.requires_grad ? " requires no gradient" : " requires a gradient";
    }
    if (ours.dtype() != torch.value.dtype) return " has dtype " + std::string(name(ours.dtype()));
    if (ours.sizes() != Sizes(std::span(torch.value.sizes))) return " has shape " + to_string(ours.sizes());
    if (const std::string what = of(numbers_of(ours), numbers_of(tensor_of(torch.value)), values_);
        !what.empty())
      return what;
    const Tensor grad = ours.is_leaf() ? ours.grad() : Tensor();
    const std::vector<double> zeros(static_cast<std::size_t>(ours.numel()), 0.);
    const std::string what = of(grad.defined() ? numbers_of(grad) : zeros,
                                torch.grad ? numbers_of(tensor_of(*torch.grad)) : zeros, gradients_);
    return what.empty() ? "" : ".grad" + what;
  }

  std::string of(const std::vector<double>& ours, const std::vector<double>& torch, double scale) const {
    const double tolerance = (is_narrow_ ? 2e-4 : 1e-11) * std::max(scale, 1.);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const bool both_nan = std::isnan(ours[i]) && std::isnan(torch[i]);
      if (ours[i] == torch[i] || both_nan || std::abs(ours[i] - torch[i]) <= tolerance) continue;
      return " at " + std::to_string(i) + " is " + std::to_string(ours[i]) + ", PyTorch's " +
             std::to_string(torch[i]);
    }
    return "";
  }

  double values_ = 0, gradients_ = 0;
  bool is_narrow_ = false;
};

std::string difference(const ProgramRun& ours, const TorchRun& torch) {
  return Comparison(torch).of(ours, torch);
}

std::string difference(const Program& program) {
  const ProgramRun ours = run(program);
  const std::vector<std::vector<std::string>> questions = {question(program, ours)};
  const auto torch = ask_torch(questions);
  return difference(ours, torch->front());
}

/// As short as it can be with one statement less at a time.
Program shortened(Program program) {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = program.size(); i-- > 0;) {
      if (i >= program.size()) continue;
      if (Program shorter = without(program, i); !difference(shorter).empty()) {
        program = std::move(shorter);
        again = true;
      }
    }
  }
  return program;
}

void report(std::uint32_t seed, const Program& program) {
  const Program least = shortened(program);
  std::string text;
  for (const std::string& statement : question(least, run(least))) text += statement + "\n";
  ADD_FAILURE() << "LECTERN_SEED=" << seed << " LECTERN_PROGRAMS=1\n" << text << "=> " << difference(least);
}

struct Counts {
  std::size_t statements = 0, errors = 0, left_out = 0, reported = 0;
};

/// Of the programs from `first` to before `end`; false where there is no PyTorch.
bool compare(std::uint32_t first, std::uint32_t end, Counts& counts) {
  // On a simulated GPU each thread of a kernel takes its turn.
  const std::int64_t most = default_device().is_cuda() ? 300 : 20'000;
  std::vector<Program> programs;
  std::vector<ProgramRun> ours;
  std::vector<std::vector<std::string>> questions;
  for (std::uint32_t seed = first; seed != end; ++seed) {
    programs.push_back(write_program(seed, most));
    ours.push_back(run(programs.back()));
    questions.push_back(question(programs.back(), ours.back()));
    counts.statements += programs.back().size();
    counts.errors += static_cast<std::size_t>(
        std::ranges::count_if(ours.back().errors, [](const auto& error) { return error.has_value(); }));
    counts.left_out += static_cast<std::size_t>(std::ranges::count(questions.back(), ""));
  }
  const auto torch = ask_torch(questions);
  if (!torch) return false;
  for (std::size_t i = 0; i < programs.size() && counts.reported < 5; ++i) {
    if (difference(ours[i], torch->at(i)).empty()) continue;
    report(first + static_cast<std::uint32_t>(i), programs[i]);
    ++counts.reported;
  }
  return true;
}

// The name keeps it from what is done with every choice of kernels, and beside PyTorch's rows.
TEST(RandomPrograms, AgreeWithTheReference) {
  constexpr std::uint32_t kAtOnce = 200;
  const std::uint32_t first = fresh_seed();
  const std::uint32_t count = environment("LECTERN_PROGRAMS", 100);
  std::printf("%u programs from LECTERN_SEED=%u\n", count, first);
  Counts counts;
  for (std::uint32_t done = 0; done < count; done += kAtOnce) {
    if (!compare(first + done, first + std::min(count, done + kAtOnce), counts))
      GTEST_SKIP() << "/usr/bin/python3 has no PyTorch";
  }
  std::printf("%zu statements; %zu errors, %zu of which only ours may be\n", counts.statements, counts.errors,
              counts.left_out);
}

}  // namespace
}  // namespace lectern::test
