#pragma once

#include <string>
#include <string_view>

#include "record/call_stack.h"
#include "record/probe.h"
#include "record/run_block.h"

namespace lectern::probe {

/// The parts of a trace that define what its steps refer to (traces/README.md), with their newlines.

/// The document up to its first record.
std::string document_header(const RunBlock& run);

/// The file with its functions and sites, numbered from source.first_function and first_site.
std::string source_definition(const Source& source, int number);

/// `name` is empty for a function that is no template.
std::string stack_definition(int number, const CallStack& stack, std::string_view name);

}  // namespace lectern::probe
