#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "site/rendered_steps.h"

namespace lectern {

/// The bytes of HTML fragments that the page gets with its steps; the rest is in files of that size each,
/// loaded when a step shows one of them.
inline constexpr std::size_t kFragmentsAtStart = 128 << 10;
inline constexpr std::size_t kFragmentsOfFile = 256 << 10;
/// If those in files have so many bytes or more, the files are compressed: thousands of tensors have as many
/// tables, which differ in their elements alone.
inline constexpr std::size_t kFragmentsPackedFrom = 2 << 20;

struct FragmentFiles {
  /// Receives a file: its name, unique to its content, and the script. Without, all fragments are with the
  /// steps.
  std::function<void(const std::string& name, const std::string& script)> write = {};
  bool packs = true;  ///< compresses them if they are large
};

/// The PageData in site_templates/src/data.ts.
nlohmann::json page_json(const Trace& trace, const RenderedSteps& steps, const FragmentFiles& files = {});

/// steps.js: one call, `lectern({…});`, of the PageData in site_templates/src/data.ts. Safe inside a script
/// element, as the files of fragments are.
std::string page_data(const Trace& trace, const RenderedSteps& steps, const FragmentFiles& files = {});

}  // namespace lectern
