#pragma once

/// Front matter is expected once, before all else that the lecture shows. The author is warned otherwise.
namespace lectern::record {

/// The open statement shows something.
void note_rendering();

/// Main returned.
void note_return();

}  // namespace lectern::record
