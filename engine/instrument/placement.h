#pragma once

#include <string>
#include <vector>

#include "instrument/program.h"

namespace lectern {

/// Goes through a program in source order and says where probes go. What is not a function of the file's own,
/// or not stepped, is left as it is.
class Placement {
 public:
  explicit Placement(Program& program) : program_(program) {}

  /// Anything outside of statements: scopes, classes, functions; within expressions: lambdas and hooks.
  void visit(const Node& node);

 private:
  // functions.cpp
  void visit_children(const Node& node);
  void visit_scope(const Node& node, const std::string& name);
  void visit_class(const Node& node, const Node& body);
  void visit_call(const Node& call);
  void function(const Node& definition);
  void lambda(const Node& expression);
  void traced_body(const Node& node, const Node& parameters_of, const std::string& name, const Node& body);
  void untraced(const Node& node, const std::string& name, const std::string& why);
  std::string why_untraced(const Node& node, const Node& body, const std::string& specifiers);
  std::string qualified(const std::string& name) const;
  void open_frame(const Node& body);

  // statements.cpp
  void block(const Node& body, const Node* from = nullptr);
  void statement(const Node& node, std::size_t before);
  void simple(const Node& node, std::size_t before, StatementKind kind);
  void expression_statement(const Node& node, std::size_t before);
  void claim(const Node& node, std::size_t before, const Node& call);
  void declaration(const Node& node, std::size_t before);
  void untouched(const Node& first, const Node& last);
  void if_statement(const Node& node, std::size_t before);
  void switch_statement(const Node& node, std::size_t before);
  void while_statement(const Node& node, std::size_t before);
  void do_statement(const Node& node);
  void for_statement(const Node& node, std::size_t before);
  void range_for_statement(const Node& node, std::size_t before);
  void body(const Node& node, int statement, Moment moment, const std::string& entry);
  int add_statement(StatementKind kind, ByteSpan span, const Node& whole);
  std::string at(int statement) const;
  std::string at_expression(int statement) const;
  void put(std::size_t offset, std::string code);
  void put_shown(std::size_t offset, std::string before, int statement, Moment moment,
                 std::string after = {});
  bool is_hook(const Node& expression) const;
  bool is_constant(const Node& condition) const;
  bool is_comparison(const Node& expression) const;
  bool may_name_function(const Node& argument) const;
  bool is_local(std::string_view name) const;
  void show_variables(const Node& node, int statement);

  Program& program_;
  std::vector<std::string> scopes_;
  std::vector<std::vector<std::string>> locals_;  ///< names of variables, block by block
  int function_ = -1;
  int templates_ = 0;          ///< enclosing templates
  int constant_ = 0;           ///< enclosing constexpr functions and declarations
  bool in_macro_ = false;      ///< within a macro's arguments, where no directive may stand
  bool opaque_macro_ = false;  ///< within those of a macro that is not known or makes text of them
};

}  // namespace lectern
