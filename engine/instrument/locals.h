#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// A parameter or local variable of a function, or the first assignment to one.
struct Local {
  enum class State {
    initialized,
    constructed,  ///< declared without a value: initialised if its type has a constructor, as the compiler
                  ///< knows
    unset,        ///< without a value, or with one that is not shown (a lambda)
  };
  std::string name;
  State state;
  std::size_t function;   ///< the number of its function
  std::size_t begin;      ///< the statement that declares it, or the first one of its block
  std::size_t block;      ///< the number of its block
  bool assigned = false;  ///< not a declaration
  int outer = -1;         ///< the one before it that is in scope too; -1 for none
};

/// The variables that are in scope while functions are traversed; afterwards, those that were in scope at any
/// place of the traversal.
class Locals {
 public:
  /// Block 0 is no block: what is in it lives until its function returns.
  struct Position {
    int innermost = -1;
    std::size_t block = 0;
  };
  static constexpr std::size_t kWholeFunction = 0;

  /// The last variable that came into scope: names a place for visible(). -1 for none.
  int innermost() const { return at_.innermost; }

  /// Begins a block, or the parameters and the outermost block of a function. Returns what ends it.
  Position begin_block(bool whole_function);
  /// Ends it at a statement, exclusive.
  void end_block(const Position& before, std::size_t statement);
  /// A class inside a function sees none of the function's variables.
  Position begin_class();

  void declare(std::string name, Local::State state, std::size_t function, std::size_t begin);
  /// The variable has a value from here to the end of the current block.
  void assign(std::string_view name);
  /// A label, which other statements may have jumped to: what was only assigned may have no value.
  void forget_assignments();

  bool contains(std::string_view name) const { return find(name) >= 0; }
  /// Those in scope that were declared after a place.
  std::vector<std::string> declared_since(int place) const;

  /// The function's variables that are visible at a place, outermost first; the innermost of several with one
  /// name.
  std::vector<const Local*> visible(int place, std::size_t function) const;
  /// Whether the function's end is where it goes out of scope.
  static bool lives_to_the_end(const Local& local) { return local.block == kWholeFunction; }
  /// The statement before which its block ends.
  std::size_t scope_end(const Local& local) const { return block_ends_[local.block]; }

 private:
  int find(std::string_view name) const;

  std::vector<Local> all_;
  std::vector<std::size_t> block_ends_{0};
  Position at_;
};

}  // namespace lectern
