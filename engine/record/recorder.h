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

/// Where the statement being executed begins; empty when there is none.
Place here();

/// Additions to the open step, as JSON text of one object, or of one value for a variable (traces/README.md).
void add_rendering(std::string_view json);
void add_variable(std::string_view expression, std::string_view json);
void add_claim(std::string_view json);
void add_collective(std::string_view json);

/// A variable that `@inspect *` found: `always`, or if the activation has not recorded this value of it. An
/// argument goes to the activation's first step.
void add_local(probe::Frame& frame, std::string_view name, std::string_view json, probe::SiteRange scope,
               bool always);
void add_argument(probe::Frame& frame, std::string_view name, std::string_view json);

/// How many processes the run was asked to have; 0: nobody said.
int processes();

/// The rendering that is added next is the front matter.
void note_front_matter();
/// Whether the statement being executed is in a pass of a loop that @steps leaves out: nothing is added to
/// it.
bool left_out();
/// Whether the run goes on after a claim that fails here: in a file of an exercise, unless this step may be
/// left out.
bool claims_go_on();
/// The program is about to end in this statement, whose step is recorded whatever @steps leaves out.
void about_to_end();

/// Prints "lectern: FILE:LINE: warning: message" on standard error, for the author; not part of the trace.
void warn(const std::string& message);

/// The folder of the lecture's sources (if it does not exist, as on another machine, the one in which the
/// program was started), and the one for copies of what the lecture shows (made on first use).
std::filesystem::path lecture_folder();
std::filesystem::path assets_folder();

/// Whether the lecture has a class of that qualified name (of a local class, its last component).
bool has_class(std::string_view name);

/// The lecture's function or class member of that name (qualified, or its last components); null when there
/// is none.
const probe::Function* find_function(std::string_view name);

/// Ends the program because this claim, as written, does not hold: writes the last step, prints a message,
/// aborts.
[[noreturn]] void claim_failed(const Place& place, const std::string& claim);

}  // namespace lectern::record
