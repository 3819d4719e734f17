#pragma once

#include <string>
#include <typeinfo>

#include "tensor/sizes.h"

// Python's repr, for modules that print as PyTorch's do.

namespace lectern::nn {

/// "True"
std::string repr(bool value);
/// "0.1", "1.0", "1e-05"
std::string repr(double value);
/// A tuple: "(4,)", "(2, 3)"
std::string repr(const Sizes& sizes);
/// One size that stands for all dimensions as a number, "2"; else as a tuple.
std::string repr_as_given(const Sizes& sizes);

/// A class name without namespaces, enclosing classes and template arguments: "Linear".
std::string class_name(const std::type_info& type);

}  // namespace lectern::nn
