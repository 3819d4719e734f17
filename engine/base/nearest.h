#pragma once

#include <string>
#include <vector>

namespace lectern {

/// The candidate most similar to `word`, for "did you mean"; empty if none is similar.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace lectern
