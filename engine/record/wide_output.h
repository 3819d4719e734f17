#pragma once

#include <string_view>

#include "record/output_capture.h"

namespace lectern::capture {

/// Prints as UTF-8. With it come the functions of C that print wide characters: glibc's own refuse a stream
/// that is captured.
void print(Stream stream, std::wstring_view text);

}  // namespace lectern::capture
