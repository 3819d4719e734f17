#include "autograd/checkpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "autograd/autocast_mode.h"
#include "autograd/grad_mode.h"
#include "autograd/gradient_sums.h"
#include "autograd/saved.h"
#include "base/tensor_error.h"
#include "tensor/generator.h"
#include "tensor/storage.h"

namespace lectern::autograd {
namespace {

using RandomState = std::vector<std::uint8_t>;

/// Watches the generators that a function uses. Its first run records their states, in order of first use; a
/// recomputation sets them to these and restores them afterwards, whatever happens.
class GeneratorStates final : public GeneratorWatch {
 public:
  GeneratorStates(std::vector<RandomState>& states, bool recomputes)
      : states_(states), recomputes_(recomputes) {}
  ~GeneratorStates() override {
    if (!recomputes_) return;
    for (const auto& [generator, before] : used_) set_state(*generator, before);
  }

  void before_use(Generator& generator) override {
    if (std::ranges::find(used_, &generator, &Used::generator) != used_.end()) return;
    used_.push_back({&generator, generator.get_state()});
    if (!recomputes_) {
      states_.push_back(used_.back().before);
    } else if (next_ < states_.size()) {
      set_state(generator, states_[next_++]);
    }
  }
  void before_destruction(const Generator& generator) override {
    std::erase_if(used_, [&](const Used& used) { return used.generator == &generator; });
  }

 private:
  struct Used {
    Generator* generator;
    RandomState before;
  };

  static void set_state(Generator& generator, const RandomState& state) {
    if (generator.get_state() != state) generator.set_state(state);
  }

  std::vector<RandomState>& states_;
  bool recomputes_;
  std::vector<Used> used_;
  std::size_t next_ = 0;
};

/// A function whose operations save only placeholders. The first gradient that needs one of the saved tensors
/// recomputes them all.
class Checkpoint final : public SavedTensorsHooks, public std::enable_shared_from_this<Checkpoint> {
 public:
  Checkpoint(CheckpointedFunction function, const std::vector<Tensor>& inputs)
      : function_(std::move(function)) {
    for (const Tensor& input : inputs)
      inputs_.push_back({Saved(input), input.defined() && input.requires_grad()});
  }

  Tensor compute(const std::vector<Tensor>& inputs) {
    const SavedTensorsScope scope(this);
    outer_ = scope.outer();
    const GeneratorStates generators(random_states_, false);
    Tensor result = function_(inputs);
    for (Captured& captured : captured_) captured.version = captured.storage.version();
    return result;
  }

  std::shared_ptr<Packed> pack(const Tensor& tensor) override {
    auto placeholder = std::make_shared<Placeholder>(shared_from_this(), tensor);
    placeholders_.push_back(placeholder);
    return placeholder;
  }

  /// Captures tensors that existed before the function ran.
  void on_input(const Tensor& tensor) override {
    if (outer_ != nullptr) outer_->on_input(tensor);
    const Storage& storage = tensor.storage();
    if (storage.id() > newest_before_) return;
    if (std::ranges::find(captured_, storage, &Captured::storage) != captured_.end()) return;
    captured_.push_back({storage, tensor.sizes(), 0});
  }

 private:
  /// A saved tensor that recomputation fills in.
  class Placeholder final : public Packed {
   public:
    Placeholder(std::shared_ptr<Checkpoint> checkpoint, const Tensor& tensor)
        : checkpoint_(std::move(checkpoint)), layout_(tensor), version_(tensor.storage().version()) {}

    Tensor unpack() override {
      if (!is_filled_) checkpoint_->recompute();
      if (!is_filled_) throw_different();
      return tensor_.get();
    }
    void fill(const Tensor& tensor) {
      if (layout_ != Layout(tensor)) throw_different();
      const std::uint64_t version = tensor.storage().version();
      if (version != version_) throw_modified(layout_.sizes, version, version_);
      tensor_ = Saved(tensor);
      is_filled_ = true;
    }

   private:
    [[noreturn]] void throw_different() const {
      throw TensorError("checkpoint",
                        "the recomputation differs from the first run: it saved no tensor of shape " +
                            to_string(layout_.sizes) + " where the first run did");
    }

    std::shared_ptr<Checkpoint> checkpoint_;
    Layout layout_;
    std::uint64_t version_;
    bool is_filled_ = false;
    Saved tensor_;
  };

  /// Saves the tensors of a recomputation, and fills the placeholders that are still referenced.
  class Recomputation final : public SavedTensorsHooks {
   public:
    explicit Recomputation(std::span<const std::weak_ptr<Placeholder>> placeholders)
        : placeholders_(placeholders) {}

    std::shared_ptr<Packed> pack(const Tensor& tensor) override {
      const SavedTensorsScope unpacked(nullptr);
      if (next_ < placeholders_.size()) {
        if (const auto placeholder = placeholders_[next_++].lock()) placeholder->fill(tensor);
      }
      auto saved = std::make_shared<Placeholder>(nullptr, tensor);
      saved->fill(tensor);
      return saved;
    }

   private:
    std::span<const std::weak_ptr<Placeholder>> placeholders_;
    std::size_t next_ = 0;
  };

  struct Input {
    Saved saved;
    bool requires_grad;
  };

  /// An external tensor that the function uses, an input or not.
  struct Captured {
    Storage storage;
    Sizes sizes;
    std::uint64_t version;  ///< after the first run
  };

  void recompute() {
    for (const auto& [storage, sizes, version] : captured_)
      if (storage.version() != version) throw_modified(sizes, storage.version(), version);
    std::vector<Tensor> inputs;
    for (const Input& input : inputs_) {
      const Tensor tensor = input.saved.get();
      inputs.push_back(input.requires_grad ? tensor.requires_grad_() : tensor);
    }
    const GeneratorStates generators(random_states_, true);
    const EnableGradGuard enable_grad;
    const AutocastGuard autocast(autocast_);
    Recomputation hooks(placeholders_);
    const SavedTensorsScope scope(&hooks);
    function_(inputs);
  }

  CheckpointedFunction function_;
  std::vector<RandomState> random_states_;
  AutocastMode autocast_ = autocast_mode();
  std::vector<Input> inputs_;
  std::vector<std::weak_ptr<Placeholder>> placeholders_;
  std::uint64_t newest_before_ = Storage::last_id();
  std::vector<Captured> captured_;
  SavedTensorsHooks* outer_ = nullptr;  ///< in the first run
};

}  // namespace

Tensor checkpoint(CheckpointedFunction function, const std::vector<Tensor>& inputs) {
  if (!is_grad_enabled()) return function(inputs);
  return std::make_shared<Checkpoint>(std::move(function), inputs)->compute(inputs);
}

}  // namespace lectern::autograd
