#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "distributed/process_group.h"
#include "nn/module.h"

namespace lectern::distributed {

/// A module of whose parameters the ranks of a group have parts, equal ones of one dimension.
class DividedModule : public nn::Module {
 public:
  /// The dimension along which the ranks divide a parameter, "weight" or "bias"; none: all have it whole.
  virtual std::optional<std::int64_t> divided_dim(std::string_view parameter) const = 0;

  const Group& group() const { return group_; }

 protected:
  explicit DividedModule(Group group) : group_(std::move(group)) {}

 private:
  Group group_;
};

/// A TensorError of `operation` unless the ranks of the group divide `what` evenly.
void check_divides(std::string_view operation, std::string_view what, std::int64_t count, const Group& group);

/// A contiguous copy of this rank's part of a dimension of x, which the ranks of the group divide evenly.
/// Negative dimensions count from the end.
Tensor own_part(const Tensor& x, std::int64_t dim, const Group& group);

}  // namespace lectern::distributed
