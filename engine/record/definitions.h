#pragma once

#include <string>
#include <string_view>

#include "record/probe.h"
#include "record/stack_table.h"

namespace lectern::probe {

/// Records that define what steps refer to (traces/README.md), each with its newline.

/// The file with its functions and sites, numbered from source.first_function and first_site.
std::string source_definition(const Source& source, int number);

/// `name` is empty for a function that is no template.
std::string stack_definition(int number, const StackTable::Stack& stack, std::string_view name);

}  // namespace lectern::probe
