#pragma once

#include <streambuf>

#include "record/output_capture.h"

namespace lectern::capture {

/// A buffer for std::wcout, std::wcerr and std::wclog that prints UTF-8. With it come the functions of C that
/// print wide characters: glibc's own refuse a stream that is captured.
std::wstreambuf* make_wide_buffer(Stream stream);

}  // namespace lectern::capture
