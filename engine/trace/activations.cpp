#include "trace/activations.h"

namespace lectern {

std::vector<Activation> activations(const Trace& trace) {
  const auto at = [](int number) { return static_cast<std::size_t>(number); };
  std::vector<Activation> result{{-1}};
  std::vector<int> active{0};  // outermost first
  std::vector<int> begun;      // functions, innermost first
  std::size_t left_out = 0;
  const auto place_left_out = [&](std::size_t step) {
    for (; left_out < trace.left_out.size() && trace.left_out[left_out].before <= step; ++left_out) {
      const std::size_t depth = at(trace.stacks[at(trace.left_out[left_out].stack)].depth);
      if (depth >= active.size()) continue;  // no step announced the activation
      Activation& owner = result[at(active[depth])];
      owner.left_out.push_back({owner.steps.size(), static_cast<int>(left_out)});
    }
  };
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    place_left_out(i);
    const Step& step = trace.steps[i];
    const Stack* frame = &trace.stacks[at(step.stack)];
    const std::size_t depth = at(frame->depth), kept = depth - at(step.enter) + 1;
    if (active.size() > kept) active.resize(kept);
    begun.clear();
    for (std::size_t missing = depth + 1; missing > active.size(); --missing) {
      begun.push_back(frame->function);
      if (frame->parent >= 0) frame = &trace.stacks[at(frame->parent)];
    }
    for (auto function = begun.rbegin(); function != begun.rend(); ++function) {
      const int number = static_cast<int>(result.size());
      Activation& caller = result[at(active.back())];
      caller.calls.push_back({caller.steps.empty() ? -1 : caller.steps.back(), number});
      result.push_back({*function});
      active.push_back(number);
    }
    result[at(active.back())].steps.push_back(static_cast<int>(i));
  }
  place_left_out(trace.steps.size());
  return result;
}

}  // namespace lectern
