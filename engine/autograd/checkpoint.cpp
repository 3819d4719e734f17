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

/// First run: records the states of the generators that the function uses, in order of first use.
class FirstDraws final : public GeneratorWatch {
 public:
  explicit FirstDraws(std::vector<RandomState>& states) : states_(states) {}

  void before_use(Generator& generator) override {
    if (std::ranges::find(used_, &generator) != used_.end()) return;
    used_.push_back(&generator);
    states_.push_back(generator.get_state());
  }
  void before_end(const Generator& generator) override { std::erase(used_, &generator); }

 private:
  std::vector<RandomState>& states_;
  std::vector<const Generator*> used_;
};

/// Second run: sets the generators to the recorded states and restores them afterwards, whatever happens.
class SecondDraws final : public GeneratorWatch {
 public:
  explicit SecondDraws(const std::vector<RandomState>& states) : states_(states) {}
  ~SecondDraws() override {
    for (const auto& [generator, before] : used_) set_state(*generator, before);
  }

  void before_use(Generator& generator) override {
    if (std::ranges::find(used_, &generator, &Used::generator) != used_.end()) return;
    used_.push_back({&generator, generator.get_state()});
    if (next_ < states_.size()) set_state(generator, states_[next_++]);
  }
  void before_end(const Generator& generator) override {
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

  const std::vector<RandomState>& states_;
  std::vector<Used> used_;
  std::size_t next_ = 0;
};

bool lie_alike(const Layout& a, const Layout& b) {
  return a.sizes == b.sizes && a.strides == b.strides && a.offset == b.offset && a.dtype == b.dtype &&
         a.device == b.device;
}

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
    const FirstDraws draws(random_);
    Tensor result = function_(inputs);
    for (Captured& captured : captured_) captured.version = captured.storage.version();
    return result;
  }

  std::shared_ptr<Packed> pack(const Tensor& tensor) override {
    auto place = std::make_shared<Place>(shared_from_this(), tensor);
    places_.push_back(place);
    return place;
  }

  /// Captures tensors that existed before the function ran.
  void see_input(const Tensor& tensor) override {
    if (outer_ != nullptr) outer_->see_input(tensor);
    const Storage& storage = tensor.storage();
    if (storage.id() > last_before_) return;
    if (std::ranges::find(captured_, storage, &Captured::storage) != captured_.end()) return;
    captured_.push_back({storage, tensor.sizes(), 0});
  }

 private:
  /// The placeholder of one saved tensor.
  class Place final : public Packed {
   public:
    Place(std::shared_ptr<Checkpoint> of, const Tensor& tensor)
        : of_(std::move(of)), layout_(tensor), version_(tensor.storage().version()) {}

    Tensor unpack() override {
      if (!is_computed_) of_->compute_again();
      if (!is_computed_) fail_different();
      return tensor_.get();
    }
    void fill(const Tensor& tensor) {
      if (!lie_alike(layout_, Layout(tensor))) fail_different();
      const std::uint64_t version = tensor.storage().version();
      if (version != version_) fail_changed(layout_.sizes, version, version_);
      tensor_ = Saved(tensor);
      is_computed_ = true;
    }

   private:
    [[noreturn]] void fail_different() const {
      throw TensorError("checkpoint",
                        "the function did not do the same the second time: it kept no tensor of shape " +
                            to_string(layout_.sizes) + " where it did the first time");
    }

    std::shared_ptr<Checkpoint> of_;
    Layout layout_;
    std::uint64_t version_;
    bool is_computed_ = false;
    Saved tensor_;
  };

  /// Saves the tensors of the second run, for itself and for placeholders that are still referenced.
  class SecondTime final : public SavedTensorsHooks {
   public:
    explicit SecondTime(std::span<const std::weak_ptr<Place>> places) : places_(places) {}

    std::shared_ptr<Packed> pack(const Tensor& tensor) override {
      const SavedTensorsScope as_it_is(nullptr);
      if (next_ < places_.size()) {
        if (const auto place = places_[next_++].lock()) place->fill(tensor);
      }
      return std::make_shared<Kept>(tensor);
    }

   private:
    class Kept final : public Packed {
     public:
      explicit Kept(const Tensor& tensor) : tensor_(tensor) {}
      Tensor unpack() override { return tensor_.get(); }

     private:
      Saved tensor_;
    };

    std::span<const std::weak_ptr<Place>> places_;
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

  void compute_again() const {
    for (const auto& [storage, sizes, version] : captured_)
      if (storage.version() != version) fail_changed(sizes, storage.version(), version);
    std::vector<Tensor> inputs;
    for (const Input& input : inputs_) {
      const Tensor again = input.saved.get();
      inputs.push_back(input.requires_grad ? again.requires_grad_() : again);
    }
    const SecondDraws draws(random_);
    const EnableGradGuard recorded;
    const AutocastGuard autocast(autocast_);
    SecondTime hooks(places_);
    const SavedTensorsScope kept(&hooks);
    function_(inputs);
  }

  CheckpointedFunction function_;
  std::vector<RandomState> random_;
  AutocastMode autocast_ = autocast_mode();
  std::vector<Input> inputs_;
  std::vector<std::weak_ptr<Place>> places_;
  std::uint64_t last_before_ = Storage::last_id();
  std::vector<Captured> captured_;
  SavedTensorsHooks* outer_ = nullptr;  ///< in the first run
};

}  // namespace

Tensor checkpoint(CheckpointedFunction function, const std::vector<Tensor>& inputs) {
  if (!is_grad_enabled()) return function(inputs);
  return std::make_shared<Checkpoint>(std::move(function), inputs)->compute(inputs);
}

}  // namespace lectern::autograd
