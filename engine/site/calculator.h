#pragma once

#include <string>

#include "trace/rendering_kinds.h"

namespace lectern {

/// A calculator as HTML: its fields, which a script enables, and what the lecture's run gave. `id` is unique
/// on the page. Without the name of a module the fields only say what was calculated.
std::string calculator_html(const trace_model::rendering::Calculator& calculator, const std::string& id);

/// A module as a classic script, which loads from file:// too.
std::string module_script(const std::string& name, const std::string& bytes);
/// The bytes of the module in such a script.
std::string module_bytes(const std::string& script);

}  // namespace lectern
