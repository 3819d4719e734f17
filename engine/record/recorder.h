#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "record/probe.h"

/// The interface to the running recorder (step_recorder.h) for hooks, values and directives. Recording starts
/// by itself when `lectern run` asks for a trace (supervise/supervise.h). For the main thread only: on others
/// recording() is false, and nothing else here may be called.
namespace lectern::record {

/// Whether steps are being recorded. If not, hooks print instead.
bool recording();

/// File and line of the statement being executed; empty when there is none.
Place here();

/// Additions to the open step, as JSON text of one object, or of one value for a variable (traces/README.md).
void add_rendering(std::string_view json);
void add_variable(std::string_view expression, std::string_view json);
void add_claim(std::string_view json);

/// Prints "lectern: FILE:LINE: warning: message" on standard error, for the author; not part of the trace.
void warn(const std::string& message);

/// The folder of the lecture's sources (if it does not exist, as on another machine, the one in which the
/// program was started), and the one for copies of what the lecture shows (made on first use).
std::filesystem::path lecture_folder();
std::filesystem::path assets_folder();

/// Names of the fields of a class of the lecture, separated by spaces; null when unknown. `type` is its
/// qualified name without template arguments; local classes are found by their last component.
const char* fields_of(std::string_view type);

/// The lecture's function or class member of that name (qualified, or its last components); null when there
/// is none.
const probe::Function* find_function(std::string_view name);

/// Ends the program because a claim does not hold: writes the last step, prints the message, aborts.
[[noreturn]] void claim_failed(const std::string& message);

}  // namespace lectern::record
