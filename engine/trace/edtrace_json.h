#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lectern {

/// edtrace, the tracer of Python lectures, has had two forms of JSON. In that of 2025 values are bare; later
/// ones say their types, `{"type","contents","dtype","shape"}`, and lines can be hidden.
enum class EdtraceGeneration : std::uint8_t { of_2025, later };

/// Beside what we write for edtrace: what it says in our own format, where edtrace's says less. Its viewers
/// pass over it.
inline constexpr const char* kOursBeside = "lectern";
/// Beside what we read from edtrace: what it was, where our format says it otherwise.
inline constexpr const char* kEdtraceBeside = "edtrace";

/// The same text for JSON that means the same to edtrace: blanks, the order of members, the notation of
/// numbers, absent members and what stands beside (kOursBeside) make no difference.
std::string edtrace_meaning(std::string_view json);

/// A number as our format has it: what JSON's numbers or 64 bits cannot hold becomes an object.
void append_number_value(std::string& out, std::string_view number);

/// "nan", "inf" or "-inf" of {"float":"nan"}; empty for all else.
std::string_view special_float(std::string_view json);

}  // namespace lectern
