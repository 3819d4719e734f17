#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/decode.h"

namespace lectern {

/// edtrace, the tracer of Python lectures, has had two forms of JSON. In that of 2025 values are bare; later
/// ones say their types, `{"type","contents","dtype","shape"}`, and lines can be hidden.
enum class EdtraceGeneration : std::uint8_t { of_2025, later };

/// Beside what we write for edtrace: what it says in our own format, where edtrace's says less. Its viewers
/// pass over it.
inline constexpr const char* kOursBeside = "lectern";
/// What stands there beside a rendering that is one for the viewer only, and said elsewhere.
inline constexpr const char* kAddedForViewer = "added";
/// Beside what we read from edtrace: what it was, where our format says it otherwise.
inline constexpr const char* kEdtraceBeside = "edtrace";

/// JSON as text. Binary values are numbers that 64 bits cannot hold, as their digits (long_integer).
std::string edtrace_text(const Json& json);
Json long_integer(std::string_view digits);
/// Whether a text is an integer that 64 bits cannot hold.
bool is_long_integer(std::string_view text);

/// The members of an object with their names. Of equal names the last, at the first one's place: what readers
/// of Python and JavaScript take.
std::vector<std::pair<std::string, std::string_view>> members_by_name(std::string_view object);

/// The same text for JSON that means the same to edtrace: blanks, the order of members, the notation of
/// numbers, absent members and what stands beside (kOursBeside) make no difference.
std::string edtrace_meaning(std::string_view json);

/// A number as our format has it: what JSON's numbers or 64 bits cannot hold becomes an object.
void append_number_value(std::string& out, std::string_view number);

/// "nan", "inf" or "-inf" of {"float":"nan"}; empty for all else.
std::string_view special_float(std::string_view json);

}  // namespace lectern
