#pragma once

#include <concepts>
#include <typeinfo>

#include "checkpoint/checkpoint.h"
#include "nn/module.h"
#include "optim/lr_scheduler.h"
#include "optim/optimizer.h"
#include "record/value_writer.h"
#include "tensor/state_dict.h"

/// What trains as values of a trace, in the forms of traces/README.md: names and the tensors that they stand
/// for. Where a value has no room for all numbers, it has the shapes of as many tensors as it can.
namespace lectern {

/// A map.
void to_value(ValueWriter& out, const StateDict& state);
/// An object whose fields are its parameters, its buffers, and the modules that it is made of. One that has
/// none, as it is printed: "Dropout(p=0.1, inplace=False)".
void to_value(ValueWriter& out, const nn::Module& module);

/// An object of "param_groups", each an object of its options and the numbers of its parameters, and "state",
/// a map from these numbers to what is kept, by name: PyTorch's optimizer.state_dict().
void to_value(ValueWriter& out, const optim::Optimizer& optimizer);
/// An object of its options, and its parameters.
void to_value(ValueWriter& out, const optim::ParamGroup& group);

// Templates, so that they take nothing that merely converts: numbers to options, lists to checkpoints.
namespace values {
/// A number, a truth, or two numbers.
void write(ValueWriter& out, const optim::Option& option);
/// A map from names to parts.
void write(ValueWriter& out, const Checkpoint& checkpoint);
/// An object of "last_epoch", "base_lrs" and "last_lr": PyTorch's scheduler.state_dict().
void write(ValueWriter& out, const optim::LRScheduler& scheduler, const std::type_info& type);

template <typename T>
concept PartOfTraining = std::same_as<T, optim::Option> || std::same_as<T, Checkpoint>;
}  // namespace values

template <values::PartOfTraining T>
void to_value(ValueWriter& out, const T& value) {
  values::write(out, value);
}

template <std::derived_from<optim::LRScheduler> T>
void to_value(ValueWriter& out, const T& scheduler) {
  values::write(out, scheduler, typeid(T));
}

}  // namespace lectern
