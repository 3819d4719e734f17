#pragma once

/// Front matter is expected once, before anything else that the lecture shows; the author is warned
/// otherwise.
namespace lectern::record {

/// The open statement shows something.
void note_rendering();

/// Main returned.
void note_return();

}  // namespace lectern::record
