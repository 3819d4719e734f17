#include "compile/session.h"

#include <exception>
#include <utility>

#include "autograd/backward.h"
#include "base/scoped_value.h"
#include "compile/recorder.h"
#include "tensor/creation.h"

namespace lectern::fusion {
namespace {

constinit thread_local Report* reporting = nullptr;

/// The session of a backward pass.
class GradientSession final : public autograd::RecordingScope {
 public:
  explicit GradientSession(const std::shared_ptr<Compilation>& compilation) : session_(compilation) {}

  void finish() override { session_.finish(); }

 private:
  Session session_;
};

}  // namespace

class Compilation final : public autograd::GradientRecording,
                          public std::enable_shared_from_this<Compilation> {
 public:
  std::unique_ptr<autograd::RecordingScope> begin() override {
    return std::make_unique<GradientSession>(shared_from_this());
  }
  PlanCache& plans() { return plans_; }
  const PlanCache& plans() const { return plans_; }

 private:
  PlanCache plans_;
};

std::shared_ptr<Compilation> make_compilation() {
  return std::make_shared<Compilation>();
}

std::int64_t count_plans(const Compilation& compilation) {
  return compilation.plans().made();
}

struct Session::Recording {
  explicit Recording(const std::shared_ptr<Compilation>& compilation)
      : recorder(compilation->plans(), compilation, reporting),
        scope(&recorder),
        observer(kernels::detail::kernel_observer, reporting) {}

  Recorder recorder;
  OperationRecorderScope scope;
  ScopedValue<kernels::KernelObserver*> observer;
};

Session::Session(const std::shared_ptr<Compilation>& compilation) {
  if (Recorder::current() == nullptr) recording_ = std::make_unique<Recording>(compilation);
}

Session::~Session() {
  if (recording_ == nullptr) return;
  try {
    recording_->recorder.flush("the function threw");
  } catch (const std::exception&) {  // what escaped is computed, and fails, when it is read
  }
}

void Session::finish() {
  if (recording_ == nullptr) return;
  recording_->recorder.flush({});
  recording_.reset();
}

struct Explanation::State {
  Report report;
  ScopedValue<Report*> scope{reporting, &report};
};

Explanation::Explanation() : state_(std::make_unique<State>()) {}

Explanation::~Explanation() = default;

void Explanation::backward(const Tensor& result, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> differentiable;
  for (const Tensor& input : inputs) {
    if (input.defined() && input.requires_grad()) differentiable.push_back(input);
  }
  if (!result.defined() || !result.requires_grad() || differentiable.empty()) return;
  state_->report.begin_section("backward");
  autograd::grad({result}, differentiable, {ones_like(result)}, {.allow_unused = true});
}

std::string Explanation::text() const {
  return state_->report.text();
}

}  // namespace lectern::fusion
