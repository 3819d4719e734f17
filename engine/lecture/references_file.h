#pragma once

namespace lectern {

/// The works that lectures cite, beside them.
inline constexpr const char* kReferencesFile = "references.bib";

/// What `lectern run` tells a lecture in its environment: the file of references where there is none beside
/// the lecture; and what its dependencies (dependencies.h) are with this one, because it decides that this
/// one is read.
inline constexpr const char* kReferencesVariable = "LECTERN_REFERENCES";
inline constexpr const char* kReferencesReasonsVariable = "LECTERN_REFERENCES_REASONS";

}  // namespace lectern
