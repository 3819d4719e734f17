#include "check/execution.h"

namespace lectern {
namespace {

template <typename T>
void append_part(T& part, const T& more) {
  if (more != T{}) part = more;
}
void append_part(Printed& part, const Printed& more) {
  part.bytes += more.bytes;
}
template <typename T>
void append_part(std::vector<T>& part, const std::vector<T>& more) {
  part.insert(part.end(), more.begin(), more.end());
}
template <typename T>
void append_part(Members<T>& part, const Members<T>& more) {
  for (const auto& [name, value] : more) {
    std::erase_if(part, [&name = name](const auto& member) { return member.first == name; });
    part.emplace_back(name, value);
  }
}

}  // namespace

StepDetails execution_details(const Trace& trace, int step, int second) {
  StepDetails details = trace.steps[index(step)].details();
  if (second < 0) return details;
  const StepDetails more = trace.steps[index(second)].details();
  for_each_field<StepDetails>(
      [&](const auto& field) { append_part(details.*field.member, more.*field.member); });
  return details;
}

}  // namespace lectern
