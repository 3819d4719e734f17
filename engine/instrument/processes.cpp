#include <charconv>

#include <fmt/format.h>

#include "instrument/program.h"
#include "trace/ranks.h"

namespace lectern {

namespace {

bool calls_lecture(const Program& program, const Node& node) {
  const Node* function = node.is("call_expression") ? node.child("function") : nullptr;
  if (function == nullptr) return false;
  const std::string_view name = program.text(*function);
  return name == "lecture" || name == "lectern::lecture" || name == "::lectern::lecture";
}

/// What `.processes` is set to in the front matter; null when it is not.
const Node* processes_of(const Program& program, const Node& call) {
  const Node* arguments = call.child("arguments");
  const Node* front = arguments == nullptr ? nullptr : arguments->child_of_kind("initializer_list");
  if (front == nullptr) return nullptr;
  for (const Node& entry : front->children) {
    const Node* designator = entry.is("initializer_pair") ? entry.child("designator") : nullptr;
    if (designator != nullptr && program.text(*designator) == ".processes") return entry.child("value");
  }
  return nullptr;
}

}  // namespace

/// In digits: so many processes are started before the program can be asked.
void find_processes(Program& program) {
  walk(program.root(), [&](const Node& node) {
    const Node* value = calls_lecture(program, node) ? processes_of(program, node) : nullptr;
    if (value == nullptr) return true;
    const std::string_view text = program.text(*value);
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc() && end == text.data() + text.size() && count >= 1 && count <= kMostProcesses) {
      program.processes = count;
    } else {
      program.report(
          Diagnostic::Severity::error, value->begin,
          fmt::format(".processes is read before the lecture runs; write a number from 1 to {}, in digits",
                      kMostProcesses));
    }
    return true;
  });
}

}  // namespace lectern
