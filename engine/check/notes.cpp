#include "check/notes.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/encode.h"
#include "trace/rendering.h"

namespace lectern {
namespace {

bool mentions(const Trace& trace, const std::string& file) {
  return std::ranges::any_of(trace.steps, [text = to_json(file)](const Step& step) {
    return step.text.find(text) != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> profile_notes(const Trace& old_trace, const Trace& new_trace) {
  std::vector<std::string> notes;
  if (!old_trace.profile || !new_trace.profile) return notes;
  const Profile absent, &before = *old_trace.profile, &now = *new_trace.profile;
  for_each_field<Profile>([&](const auto& field) {
    const auto &was = before.*field.member, &is = now.*field.member, &none = absent.*field.member;
    if (field.name != "ceilings" && was != is && was != none && is != none)
      notes.push_back(fmt::format("{}: {} → {}", field.name, to_json(was), to_json(is)));
  });
  return notes;
}

std::vector<std::string> uncompared_files(const Trace& old_trace, const Trace& new_trace,
                                          const ShownFiles& files) {
  std::vector<std::string> found;
  const auto find = [&](const auto& present, const auto& others, const char* which) {
    for (const auto& [name, path] : present) {
      if (name.ends_with(rendering::Calculator::kModuleEnding)) continue;  // accepted traces have none
      if (!others.contains(name) && mentions(old_trace, name) && mentions(new_trace, name))
        found.push_back(
            fmt::format("{}: beside the {} trace only, its bytes were not compared", name, which));
    }
  };
  find(files.old_files, files.new_files, "old");
  find(files.new_files, files.old_files, "new");
  return found;
}

}  // namespace lectern
