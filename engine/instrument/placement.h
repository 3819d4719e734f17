#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instrument/program.h"

namespace lectern {

/// Sets a variable for the rest of a scope.
template <typename T>
class Scoped {
 public:
  Scoped(T& target, T value) : target_(target), outer_(std::exchange(target, std::move(value))) {}
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  ~Scoped() { target_ = std::move(outer_); }

 private:
  T& target_;
  T outer_;
};

/// The variables of a block, while it is traversed.
class BlockOfLocals {
 public:
  enum class Kind { block, whole_function, class_in_function };
  explicit BlockOfLocals(Program& program, Kind kind = Kind::block)
      : program_(program),
        before_(kind == Kind::class_in_function ? program.locals.begin_class()
                                                : program.locals.begin_block(kind == Kind::whole_function)) {}
  BlockOfLocals(const BlockOfLocals&) = delete;
  BlockOfLocals& operator=(const BlockOfLocals&) = delete;
  ~BlockOfLocals() { program_.locals.end_block(before_, program_.statements.size()); }

 private:
  Program& program_;
  Locals::Position before_;
};

/// Traverses a program in source order and decides where probes go. What is not a function of the file, or is
/// not stepped, stays unchanged.
class Placement {
 public:
  explicit Placement(Program& program) : program_(program) {}

  /// Anything outside of statements: scopes, classes, functions; within expressions: lambdas and hooks.
  void visit(const Node& node);

 private:
  using Names = std::vector<std::string>;

  // placement.cpp
  void visit_children(const Node& node);
  void visit_scope(const Node& node, const std::string& name);
  void visit_class(const Node& node, const Node& body);
  void visit_function(const Node& node);
  void traced_function(const Node& node, const std::string& name, const Node& body);
  bool may_hold_members(const Node& definition) const;
  std::string untraced_reason(const Node& node, const Node& body, const std::string& name,
                              const std::vector<std::string_view>& specifiers);
  std::string qualified(const std::string& name) const;
  void function_over(const Node& node, const std::string& name, const Node& body, const Mark& mark);
  void insert_frame(const Node& body);
  void traced_body(const Node& body);
  void declare_parameters(const Node& function);
  void insert(std::size_t offset, std::string code);
  void insert_inspection(std::size_t offset, std::string before, std::size_t statement,
                         InspectionPoint point);

  // calls.cpp
  void visit_call(const Node& call);
  void name_arguments(const Node& arguments, const std::string& hook);
  bool may_name_function(const Node& argument) const;
  bool is_hook(const Node& expression) const;

  // statements.cpp
  void block(const Node& body, const Node* from = nullptr);
  void statement(const Node& node, std::size_t begin);
  void simple_statement(const Node& node, std::size_t begin, SiteKind kind, bool guarded = false);
  std::size_t opaque_statement(std::size_t begin, const Node& last);
  void whole_statement(const Node& node, std::size_t begin);
  void pragma_statement(const Node& pragma, const Node& statement);
  void nested_statements(const Node& node, std::size_t begin);
  void included_file(const Node& include);
  void report_included(const Node& include);
  void expression_statement(const Node& node, std::size_t begin);
  void claim(const Node& node, std::size_t begin, const Node& call);
  bool is_guarded(SiteKind kind) const;
  void declaration(const Node& node, std::size_t begin);
  std::size_t add_statement(SiteKind kind, ByteSpan span, ByteSpan extent, ByteSpan header = {0, 0},
                            bool declares = false);
  std::string probe(std::size_t statement) const;
  std::string probe_statement(std::size_t statement) const { return probe(statement) + ";"; }
  std::string probe_expression(std::size_t statement) const;

  // control_flow.cpp: each returns the number of its statement, none for one that is incomplete
  using Number = std::optional<std::size_t>;
  void control_flow(const Node& node, std::size_t begin);
  Number compound(const Node& node, std::size_t begin);
  Number if_statement(const Node& node, std::size_t begin);
  Number switch_statement(const Node& node, std::size_t begin);
  Number while_statement(const Node& node, std::size_t begin);
  Number do_statement(const Node& node);
  Number for_statement(const Node& node, std::size_t begin);
  Number range_for_statement(const Node& node, std::size_t begin);
  void begin_passes(const Node& node, std::size_t begin);
  std::size_t add_compound(const Node& node, SiteKind kind, ByteSpan span, const Node& body);
  void visit_header(const Node& part, std::size_t statement);
  void body(const Node& node, std::size_t statement, InspectionPoint entry, std::string code);
  bool may_be_constant(const Node& condition) const;

  // variables.cpp: what `@inspect *` finds in scope
  void note_variables(const Node& node, std::size_t statement);
  const Node* misread_variable(const Node& statement) const;
  void note_declared(const Node& declaration, std::size_t statement);
  void note_caught(const Node& handler);
  void note_change(std::string_view name, std::size_t statement);

  Program& program_;
  Names scopes_;
  std::size_t function_ = static_cast<std::size_t>(-1);
  bool in_template_ = false;
  bool in_constexpr_ = false;     ///< in a constexpr function or declaration
  bool in_macro_ = false;         ///< in a macro's arguments, where no directive can be inserted
  bool in_opaque_macro_ = false;  ///< the macro is unknown or stringizes its arguments
  bool in_whole_ = false;         ///< in what is stepped over: only hooks are looked for
  const Mark* hidden_ = nullptr;  ///< in a class, namespace or file that is hidden
};

}  // namespace lectern
