#include "instrument/locals.h"

#include <algorithm>
#include <utility>

#include "instrument/program.h"
#include "trace/tokens.h"

namespace lectern {

Locals::Position Locals::begin_block(bool whole_function) {
  const Position before = at_;
  at_.block = whole_function ? kWholeFunction : block_ends_.size();
  if (!whole_function) block_ends_.push_back(0);
  return before;
}

void Locals::end_block(const Position& before, std::size_t statement) {
  block_ends_[at_.block] = statement;
  at_ = before;
}

Locals::Position Locals::begin_class() {
  return std::exchange(at_, {});
}

int Locals::find(std::string_view name) const {
  int at = at_.innermost;
  while (at >= 0 && all_[static_cast<std::size_t>(at)].name != name)
    at = all_[static_cast<std::size_t>(at)].outer;
  return at;
}

void Locals::declare(std::string name, Local::State state, std::size_t function, std::size_t begin) {
  all_.push_back({std::move(name), state, function, begin, at_.block, false, at_.innermost});
  at_.innermost = static_cast<int>(all_.size()) - 1;
}

void Locals::assign(std::string_view name) {
  const int found = find(name);
  if (found < 0 || all_[static_cast<std::size_t>(found)].state == Local::State::initialized) return;
  Local local = all_[static_cast<std::size_t>(found)];
  local.state = Local::State::initialized;
  local.assigned = true;
  local.outer = at_.innermost;
  all_.push_back(std::move(local));
  at_.innermost = static_cast<int>(all_.size()) - 1;
}

void Locals::forget_assignments() {
  for (int at = at_.innermost; at >= 0; at = all_[static_cast<std::size_t>(at)].outer) {
    Local local = all_[static_cast<std::size_t>(at)];
    if (!local.assigned || find(local.name) != at) continue;
    local.state = Local::State::unset;
    local.outer = at_.innermost;
    all_.push_back(std::move(local));
    at_.innermost = static_cast<int>(all_.size()) - 1;
  }
}

std::vector<std::string> Locals::declared_since(int place) const {
  std::vector<std::string> names;
  for (int at = at_.innermost; at > place; at = all_[static_cast<std::size_t>(at)].outer) {
    const Local& local = all_[static_cast<std::size_t>(at)];
    if (!local.assigned) names.push_back(local.name);
  }
  return names;
}

std::vector<const Local*> Locals::visible(int place, std::size_t function) const {
  std::vector<const Local*> found;
  for (int at = place; at >= 0; at = all_[static_cast<std::size_t>(at)].outer) {
    const Local& local = all_[static_cast<std::size_t>(at)];
    if (local.function != function) break;  // a lambda's: what it captured of these is not known
    const auto hides = [&](const Local* other) { return other->name == local.name; };
    if (std::ranges::none_of(found, hides)) found.push_back(&local);
  }
  std::ranges::reverse(found);
  return found;
}

namespace {

/// Notes with each statement how long the variables that it and the following ones inspect are in scope.
class Limits {
 public:
  explicit Limits(Program& program) : program_(program) {}

  void add_all(int place, std::size_t function) {
    for (const Local* local : program_.locals.visible(place, function)) add(*local, local->name);
  }
  /// An expression has no meaning once one of its variables is out of scope.
  void add(const std::string& expression, int place, std::size_t function) {
    const Local* first_to_end = nullptr;
    const std::vector<const Local*> visible = program_.locals.visible(place, function);
    for (const Token& token : tokens_and_comments(expression, program_.language)) {
      if (token.kind != TokenKind::name) continue;
      const auto local = std::ranges::find(visible, token.text, &Local::name);
      if (local == visible.end() || Locals::lives_to_the_end(**local)) continue;
      if (first_to_end == nullptr || (*local)->block > first_to_end->block) first_to_end = *local;
    }
    if (first_to_end != nullptr) add(*first_to_end, expression);
  }

 private:
  void add(const Local& local, const std::string& name) {
    if (Locals::lives_to_the_end(local) || local.begin >= program_.locals.scope_end(local)) return;
    program_.statements[local.begin].locals[name] = program_.locals.scope_end(local);
  }

  Program& program_;
};

}  // namespace

void limit_inspections(Program& program) {
  Limits limits(program);
  for (const Insertion& insertion : program.insertions) {
    if (!insertion.statement) continue;
    const Statement& statement = program.statements[*insertion.statement];
    const std::size_t function = statement.function;
    if (program.functions[function].inspects_all) limits.add_all(insertion.locals, function);
    const auto found = statement.inspections.find(insertion.point);
    if (found == statement.inspections.end()) continue;
    for (const Inspection& inspection : std::vector(found->second)) {
      if (inspection.kind == Inspection::Kind::locals) {
        limits.add_all(insertion.locals, function);
      } else {
        limits.add(inspection.expression, insertion.locals, function);
      }
    }
  }
  for (const InspectedArgument& argument : program.inspected)
    limits.add(argument.expression, argument.locals, argument.function);
}

}  // namespace lectern
