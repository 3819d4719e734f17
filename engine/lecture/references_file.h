#pragma once

namespace lectern {

/// The works that lectures cite, beside them.
inline constexpr const char* kReferencesFile = "references.bib";

/// What `lectern run` tells a lecture in its environment: the file of references where there is none beside
/// the lecture; the file in which those that it read are listed, in make's format; and what is listed with
/// the former, because it decides that the former is read.
inline constexpr const char* kReferencesVariable = "LECTERN_REFERENCES";
inline constexpr const char* kDepfileVariable = "LECTERN_DEPFILE";
inline constexpr const char* kReferencesReasonsVariable = "LECTERN_REFERENCES_REASONS";

}  // namespace lectern
