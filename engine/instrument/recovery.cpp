#include "instrument/recovery.h"

#include <algorithm>
#include <string>
#include <utility>

#include "instrument/normalize.h"
#include "instrument/outline.h"

namespace lectern {

namespace {

bool in_list(const Node& statement) {
  return statement.parent != nullptr && statement.parent->is("compound_statement", "case_statement");
}

/// A macro used as a statement without a semicolon, which Placement::block handles: the parser inserts the
/// semicolon, or makes an ERROR of the macro alone.
bool is_bare_macro(const Node& error) {
  if (error.is("ERROR")) {
    const Node* only = error.first;
    return in_list(error) && only != nullptr && only->next == nullptr && !only->has_error &&
           (only->is("identifier") || (only->is("call_expression") && only->first->is("identifier")));
  }
  const Node& statement = *error.parent;
  return error.is(";") && in_list(statement) && statement.is("expression_statement") &&
         statement.next_code() != nullptr && statement.first->is("call_expression") &&
         statement.first->first->is("identifier") && !statement.first->has_error;
}

/// The parameter `const T& name = {}`: the parser inserts a type before the braces and parses all else.
bool is_braced_default(const Node& error) {
  return error.is("type_identifier") && error.missing && error.parent->is("compound_literal_expression") &&
         error.parent->field == "default_value";
}

/// The first error of the parser; null when there is none. A tree that is too deep has none: the file is
/// refused for its depth.
const Node* first_error(const SyntaxTree& tree) {
  if (tree.root() == nullptr) return nullptr;
  const auto is_error = [](const Node& node) { return node.is("ERROR") || node.missing; };
  return find_node(
      *tree.root(),
      [&](const Node& node) {
        return is_error(node) &&
               !(node.parent != nullptr && (is_bare_macro(node) || is_braced_default(node)));
      },
      [&](const Node& node) { return node.has_error && !is_error(node); });
}

/// The outermost node that begins with the brace at that offset; null when there is none.
const Node* node_at(const SyntaxTree& tree, std::size_t brace) {
  if (tree.root() == nullptr) return nullptr;
  return find_node(
      *tree.root(),
      [&](const Node& node) { return node.begin == brace && node.first != nullptr && node.first->is("{"); },
      [&](const Node& node) { return node.begin <= brace && brace < node.end; });
}

/// Of `class MACRO Name { … }`, to the parser a function Name that returns a MACRO, the macro; null for
/// others.
const Node* macro_before_name(const Node& definition) {
  const Node *type = definition.child("type"), *name = definition.child("declarator");
  const bool is_class = definition.is("function_definition") && type != nullptr && name != nullptr &&
                        type->is("class_specifier", "struct_specifier", "union_specifier") &&
                        type->child("body") == nullptr && name->is("identifier", "field_identifier");
  return is_class ? type->child("name") : nullptr;
}

/// Blanks such macros; whether there were any.
bool blank_macros_before_names(const SyntaxTree& tree, std::string& text) {
  const std::string before = text;
  if (tree.root() == nullptr) return false;
  walk(*tree.root(), [&](const Node& node) {
    if (const Node* macro = macro_before_name(node))
      text.replace(macro->begin, macro->end - macro->begin, macro->end - macro->begin, ' ');
    return true;
  });
  return text != before;
}

/// Removes what cannot be parsed from a source. To test a part, all but the part and what encloses it is
/// blanked: `visible_` is what the parser sees.
class Recovery {
 public:
  Recovery(std::string text, std::string_view language)
      : original_(std::move(text)),
        outline_(original_),
        text_(original_),
        visible_(original_),
        language_(language) {
    hide({0, visible_.size()});
  }

  const Outline& outline() const { return outline_; }

  /// Removes what cannot be parsed from the whole source; false when that is impossible.
  bool recover() {
    return recover(outline_.pieces(outline_.all(), Contents::declarations), Kind::declaration);
  }

  const std::string& text() const { return text_; }
  std::vector<UnparsedPart> unparsed() {
    std::ranges::sort(unparsed_, {}, [](const UnparsedPart& part) { return part.span.begin; });
    return std::move(unparsed_);
  }

 private:
  using Contents = Outline::Contents;
  using Kind = UnparsedPart::Kind;
  using Piece = Outline::Piece;

  void hide(ByteSpan span) {
    std::replace_if(
        visible_.begin() + static_cast<std::ptrdiff_t>(span.begin),
        visible_.begin() + static_cast<std::ptrdiff_t>(span.end), [](char c) { return c != '\n'; }, ' ');
  }
  void show(ByteSpan span) {
    visible_.replace(span.begin, span.end - span.begin, text_, span.begin, span.end - span.begin);
  }
  /// The syntax of what is visible, without the blanks around it.
  struct Trial {
    std::size_t begin;
    SyntaxTree tree;

    std::optional<std::size_t> error() const {
      const Node* found = first_error(tree);
      return found != nullptr ? std::optional(begin + found->begin) : std::nullopt;
    }
  };
  Trial parse_visible() const {
    const std::size_t begin = std::min(visible_.find_first_not_of(" \n"), visible_.size());
    const std::size_t end = visible_.find_last_not_of(" \n") + 1;  // 0 when all is blank
    const std::string_view visible = std::string_view(visible_).substr(begin, end - std::min(begin, end));
    return {begin, SyntaxTree(std::string(visible) + "\n", language_)};
  }
  /// The error with the span visible, which it is neither before nor after.
  std::optional<std::size_t> find_error(ByteSpan span) {
    show(span);
    const std::optional<std::size_t> found = parse_visible().error();
    hide(span);
    return found;
  }

  /// The same for the pieces of one block, by bisection: few parses find one error among many pieces. What
  /// encloses the block is visible, the block is not.
  bool recover(const std::vector<Piece>& pieces, Kind kind) {
    if (pieces.empty()) return true;
    const ByteSpan span = outline_.span({pieces.front().range.first, pieces.back().range.last});
    const std::optional<std::size_t> error = find_error(span);
    if (!error) return true;
    if (pieces.size() == 1) return recover_within(pieces[0], kind) || remove(pieces[0], kind, *error);
    const auto middle = pieces.begin() + static_cast<std::ptrdiff_t>(pieces.size() / 2);
    return recover({pieces.begin(), middle}, kind) && recover({middle, pieces.end()}, kind) &&
           !find_error(span);
  }

  /// Removes what cannot be parsed from the blocks of a piece.
  bool recover_within(const Piece& piece, Kind kind) {
    const std::vector<Outline::Range> groups = outline_.groups(piece);
    const ByteSpan span = outline_.span(piece.range);
    show(span);
    for (const Outline::Range& group : groups) hide(outline_.span(group));
    const Trial shell = parse_visible();
    bool done = !groups.empty() && !shell.error();
    for (const Outline::Range& group : groups) {
      if (!done) break;
      if (const auto error = find_error(outline_.span(group)))
        done = recover_group(group, shell, kind, *error);
    }
    done = done && !find_error(span);
    hide(span);
    return done;
  }

  bool recover_group(Outline::Range group, const Trial& shell, Kind kind, std::size_t error) {
    const Outline::Lexeme& opening = outline_[group.first - 1];
    if (!opening.directive.empty()) return recover(outline_.pieces(group, contents(kind)), kind);
    const Node* node = node_at(shell.tree, offset_in(original_, opening.text) - shell.begin);
    if (node == nullptr) return false;
    if (node->is("declaration_list")) kind = Kind::declaration;
    if (node->is("field_declaration_list")) kind = Kind::member;
    if (node->is("compound_statement")) kind = Kind::statement;
    const bool block = node->kind.ends_with("declaration_list") || node->is("compound_statement");
    if (!block) return false;
    irremovable_.reset();
    if (!opening.unbalanced && recover(outline_.pieces(group, contents(kind)), kind)) return true;
    const Node* owner = node->parent->is("try_statement") ? node->parent->parent : node->parent;
    if (!owner->is("function_definition", "lambda_expression")) return false;
    blank(Kind::function, outline_.span({group.first - 1, group.last + 1}), irremovable_.value_or(error));
    return true;
  }

  bool remove(const Piece& piece, Kind kind, std::size_t error) {
    if (!piece.complete || (kind == Kind::statement && !outline_.is_self_contained(piece))) {
      const ByteSpan span = outline_.span(piece.range);
      // The parser may give up what encloses the piece as well.
      if (!irremovable_) irremovable_ = std::clamp(error, span.begin, span.end - 1);
      return false;
    }
    blank(kind, outline_.span({piece.body, piece.range.last}), error);
    return true;
  }

  void blank(Kind kind, ByteSpan span, std::size_t error) {
    std::erase_if(unparsed_, [&](const UnparsedPart& part) { return span.contains(part.span); });
    unparsed_.push_back({kind, span, std::clamp(error, span.begin, span.end - 1)});
    const bool has_block = unparsed_.back().has_block();
    // Braces with a semicolon: without it, they might be those of an initialiser.
    std::string_view replacement = has_block ? "{;" : "";
    for (std::size_t i = 0; i < outline_.all().last; ++i) {
      const std::string_view lexeme = outline_[i].text;
      const std::size_t begin = offset_in(original_, lexeme);
      if (begin < span.begin || begin >= span.end) continue;
      for (std::size_t at = begin; at < begin + lexeme.size(); ++at) {
        if (text_[at] == '\n') continue;
        text_[at] = replacement.empty() ? ' ' : replacement.front();
        if (!replacement.empty()) replacement.remove_prefix(1);
      }
    }
    if (has_block) text_[span.end - 1] = '}';
  }

  static Contents contents(Kind kind) {
    return kind == Kind::statement ? Contents::statements : Contents::declarations;
  }

  const std::string original_;
  const Outline outline_;
  std::string text_;  ///< the source without the removed parts
  std::string visible_;
  std::string_view language_;
  std::vector<UnparsedPart> unparsed_;
  std::optional<std::size_t> irremovable_ =
      {};  ///< the first error of a block for which the block is removed
};

/// Whether every block that replaces statements is a statement of the tree.
bool replaces_statements(const SyntaxTree& tree, const std::vector<UnparsedPart>& unparsed) {
  return std::ranges::all_of(unparsed, [&](const UnparsedPart& part) {
    if (part.kind != UnparsedPart::Kind::statement) return true;
    const Node* node = node_at(tree, part.span.begin);
    return node != nullptr && node->is("compound_statement") && node->end == part.span.end &&
           node->parent != nullptr &&
           (in_list(*node) || node->parent->is("labeled_statement") ||
            node->parent->kind.starts_with("preproc_"));
  });
}

}  // namespace

ParsedSource parse_with_recovery(std::string_view source, std::string_view language) {
  std::string text = without_comments_in_macros(source);
  SyntaxTree tree(text, language);
  while (blank_macros_before_names(tree, text)) tree = SyntaxTree(text, language);
  if (first_error(tree) == nullptr) return {.tree = std::move(tree)};
  Recovery recovery(normalize_for_grammar(text), language);
  tree = SyntaxTree(recovery.text(), language);
  const Node* error = first_error(tree);
  if (error == nullptr) return {.tree = std::move(tree)};
  const std::size_t offset = error->begin;
  const Outline& outline = recovery.outline();
  std::vector<std::size_t> split;
  for (const std::size_t branch : outline.split_branches())
    split.push_back(outline.span({branch, branch + 1}).begin);
  if (!split.empty()) return {.tree = std::move(tree), .split_branches = std::move(split)};
  if (!outline.balanced() || !recovery.recover()) return {.tree = std::move(tree), .fatal_error = offset};
  tree = SyntaxTree(recovery.text(), language);
  std::vector<UnparsedPart> unparsed = recovery.unparsed();
  if (first_error(tree) != nullptr || !replaces_statements(tree, unparsed))
    return {.tree = std::move(tree), .fatal_error = offset};
  return {.tree = std::move(tree), .unparsed = std::move(unparsed)};
}

}  // namespace lectern
