#pragma once

#include <map>
#include <string>
#include <vector>

namespace lectern {

/// What a page in a single file has besides its text (single_file.h), for site_templates/src/open.ts.
struct Packed {
  std::map<std::string, std::string> files;  ///< contents by name
  std::vector<std::string> scripts;          ///< those of them that run when the page opens, in order
  std::vector<std::string> parts;  ///< HTML for the page's `<template class="packed">` elements, in order
};

/// In base64 a Zstandard frame: the length of an index (4 bytes, little-endian), the index (JSON:
/// {"files":[[name,size]…],"scripts":[…],"parts":[…]}), the files. What files have in common, as the modules
/// of calculators do, is there once.
std::string pack(const Packed& packed);

}  // namespace lectern
