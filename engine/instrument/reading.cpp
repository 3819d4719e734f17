#include "instrument/reading.h"

#include <algorithm>
#include <string>
#include <utility>

#include "instrument/outline.h"
#include "instrument/plain_spelling.h"

namespace lectern {

namespace {

bool in_list(const Node& statement) {
  return statement.parent != nullptr &&
         (statement.parent->is("compound_statement") || statement.parent->is("case_statement"));
}

/// A macro that stands like a statement without its semicolon; statements.cpp knows how to go around it. The
/// parser makes up the semicolon, or makes an ERROR of the macro alone.
bool is_bare_macro(const Node& broken) {
  if (broken.is("ERROR")) {
    const Node* only = broken.first;
    return in_list(broken) && only != nullptr && only->next == nullptr && !only->has_error &&
           (only->is("identifier") || (only->is("call_expression") && only->first->is("identifier")));
  }
  const Node& statement = *broken.parent;
  return broken.is(";") && in_list(statement) && statement.is("expression_statement") &&
         statement.next_code() != nullptr && statement.first->is("call_expression") &&
         statement.first->first->is("identifier") && !statement.first->has_error;
}

/// `const T& name = {}` as a parameter: the parser makes up a type before the braces, and is right about all
/// else.
bool is_braced_default(const Node& broken) {
  return broken.is("type_identifier") && broken.missing && broken.parent->is("compound_literal_expression") &&
         broken.parent->field == "default_value";
}

/// The first place that the parser did not understand; null when there is none. The root of a tree that is
/// too deep counts as understood: the file is refused for that.
const Node* first_error(const SyntaxTree& tree) {
  if (tree.root() == nullptr) return nullptr;
  const Node* found = nullptr;
  walk(*tree.root(), [&](const Node& node) {
    if (found != nullptr || (!node.has_error && !node.missing)) return false;
    if (!node.is("ERROR") && !node.missing) return true;
    const bool harmless = node.parent != nullptr && (is_bare_macro(node) || is_braced_default(node));
    if (!harmless) found = &node;
    return false;
  });
  return found;
}

/// The node of a pair of braces: the outermost that begins there and has the brace for itself.
const Node* node_at(const SyntaxTree& tree, std::size_t brace) {
  const Node* found = nullptr;
  if (tree.root() == nullptr) return nullptr;
  walk(*tree.root(), [&](const Node& node) {
    if (found == nullptr && node.begin == brace && node.first != nullptr && node.first->is("{"))
      found = &node;
    return found == nullptr && node.begin <= brace && brace < node.end;
  });
  return found;
}

/// Finds what to cut out. A part of the source is tried by parsing it alone, with all else blank but what is
/// around it: `shown_` is what the parser sees.
class Cutter {
 public:
  Cutter(std::string text, std::string_view language)
      : original_(std::move(text)), outline_(original_), text_(original_), language_(language) {
    shown_ = original_;
    hide({0, shown_.size()});
  }

  const Outline& outline() const { return outline_; }

  /// Cuts what cannot be read out of the whole source; false when that is not possible.
  bool cut() { return cut(outline_.pieces(outline_.all(), Outline::Of::declarations), Kind::declaration); }

  const std::string& text() const { return text_; }
  std::vector<Unreadable> unreadable() {
    std::sort(cuts_.begin(), cuts_.end(),
              [](const Unreadable& a, const Unreadable& b) { return a.span.begin < b.span.begin; });
    return std::move(cuts_);
  }

 private:
  using Kind = Unreadable::Kind;
  using Piece = Outline::Piece;
  using Pieces = std::vector<Piece>;

  void hide(ByteSpan span) {
    std::replace_if(
        shown_.begin() + static_cast<std::ptrdiff_t>(span.begin),
        shown_.begin() + static_cast<std::ptrdiff_t>(span.end), [](char c) { return c != '\n'; }, ' ');
  }
  void show(ByteSpan span) {
    shown_.replace(span.begin, span.end - span.begin, text_, span.begin, span.end - span.begin);
  }
  /// What the parser makes of what is shown, without the blanks around it.
  struct Trial {
    std::size_t begin;
    SyntaxTree tree;

    std::optional<std::size_t> error() const {
      const Node* found = first_error(tree);
      return found != nullptr ? std::optional(begin + found->begin) : std::nullopt;
    }
  };
  Trial parse_shown() const {
    const std::size_t begin = std::min(shown_.find_first_not_of(" \n"), shown_.size());
    const std::size_t end = shown_.find_last_not_of(" \n") + 1;  // 0 when all is blank
    const std::string_view shown = std::string_view(shown_).substr(begin, end - std::min(begin, end));
    return {begin, SyntaxTree(std::string(shown) + "\n", language_)};
  }

  /// The same for pieces of one block, in halves, so that few parses find one error among many pieces. What
  /// is around the block is shown, the block itself is not, before and after.
  bool cut(const Pieces& pieces, Kind level) {
    if (pieces.empty()) return true;
    const ByteSpan span = outline_.span({pieces.front().all.first, pieces.back().all.last});
    const auto error = [&] {
      show(span);
      const std::optional<std::size_t> found = parse_shown().error();
      hide(span);
      return found;
    };
    const std::optional<std::size_t> found = error();
    if (!found) return true;
    if (pieces.size() == 1)
      return cut_within(pieces.front(), level) || cut_out(pieces.front(), level, *found);
    const auto middle = pieces.begin() + static_cast<std::ptrdiff_t>(pieces.size() / 2);
    return cut({pieces.begin(), middle}, level) && cut({middle, pieces.end()}, level) && !error();
  }

  /// Looks for what to cut in the blocks of a piece.
  bool cut_within(const Piece& piece, Kind level) {
    const std::vector<Outline::Range> groups = outline_.groups(piece);
    const ByteSpan span = outline_.span(piece.all);
    show(span);
    for (const Outline::Range& group : groups) hide(outline_.span(group));
    const Trial shell = parse_shown();
    bool done = !groups.empty() && !shell.error();
    for (const Outline::Range& group : groups) {
      const ByteSpan inside = outline_.span(group);
      if (!done) break;
      show(inside);
      const std::optional<std::size_t> error = parse_shown().error();
      hide(inside);
      if (error) done = cut_group(group, shell, level, *error);
    }
    show(span);
    done = done && !parse_shown().error();
    hide(span);
    return done;
  }

  bool cut_group(Outline::Range group, const Trial& shell, Kind level, std::size_t error) {
    const Outline::Lexeme& opening = outline_[group.first - 1];
    if (!opening.directive.empty()) return cut(outline_.pieces(group, of(level)), level);
    const Node* node = node_at(shell.tree, offset(opening) - shell.begin);
    if (node == nullptr) return false;
    if (node->is("declaration_list")) level = Kind::declaration;
    if (node->is("field_declaration_list")) level = Kind::member;
    if (node->is("compound_statement")) level = Kind::statement;
    const bool block = node->kind.ends_with("declaration_list") || node->is("compound_statement");
    if (!block) return false;
    if (!opening.tangled && cut(outline_.pieces(group, of(level)), level)) return true;
    const Node* owner = node->parent->is("try_statement") ? node->parent->parent : node->parent;
    if (!owner->is("function_definition") && !owner->is("lambda_expression")) return false;
    write(Kind::function, outline_.span({group.first - 1, group.last + 1}), error);
    return true;
  }

  bool cut_out(const Piece& piece, Kind level, std::size_t error) {
    if (!piece.complete || (level == Kind::statement && !outline_.stands_alone(piece))) return false;
    write(level, outline_.span({piece.body, piece.all.last}), error);
    return true;
  }

  void write(Kind kind, ByteSpan span, std::size_t error) {
    std::erase_if(cuts_, [&](const Unreadable& cut) {
      return span.begin <= cut.span.begin && cut.span.end <= span.end;
    });
    cuts_.push_back({kind, span, std::clamp(error, span.begin, span.end - 1)});
    // Braces with a semicolon: without it, they might be those of an initialiser.
    std::string_view stand_in = kind == Kind::statement || kind == Kind::function ? "{;" : "";
    for (std::size_t i = 0; i < outline_.all().last; ++i) {
      const std::size_t begin = offset(outline_[i]);
      if (begin < span.begin || begin >= span.end) continue;
      for (std::size_t at = begin; at < begin + outline_[i].text.size(); ++at) {
        if (text_[at] == '\n') continue;
        text_[at] = stand_in.empty() ? ' ' : stand_in.front();
        stand_in.remove_prefix(stand_in.empty() ? 0 : 1);
      }
    }
    if (kind == Kind::statement || kind == Kind::function) text_[span.end - 1] = '}';
  }

  std::size_t offset(const Outline::Lexeme& lexeme) const {
    return static_cast<std::size_t>(lexeme.text.data() - original_.data());
  }
  static Outline::Of of(Kind level) {
    return level == Kind::statement ? Outline::Of::statements : Outline::Of::declarations;
  }

  const std::string original_;
  const Outline outline_;
  std::string text_;  ///< the source without what was cut out of it
  std::string shown_;
  std::string_view language_;
  std::vector<Unreadable> cuts_;
};

/// Whether all that stands for a statement is one in the tree.
bool stands_for_statements(const SyntaxTree& tree, const std::vector<Unreadable>& cuts) {
  return std::all_of(cuts.begin(), cuts.end(), [&](const Unreadable& cut) {
    if (cut.kind != Unreadable::Kind::statement) return true;
    const Node* node = node_at(tree, cut.span.begin);
    return node != nullptr && node->is("compound_statement") && node->end == cut.span.end &&
           node->parent != nullptr &&
           (in_list(*node) || node->parent->is("labeled_statement") ||
            node->parent->kind.starts_with("preproc_"));
  });
}

}  // namespace

Reading read_source(std::string_view source, std::string_view language) {
  SyntaxTree tree(source, language);
  if (first_error(tree) == nullptr) return {.tree = std::move(tree)};
  Cutter cutter(plain_spelling(source), language);
  tree = SyntaxTree(cutter.text(), language);
  const Node* error = first_error(tree);
  if (error == nullptr) return {.tree = std::move(tree)};
  const std::size_t at = error->begin;
  if (!cutter.outline().split_branches().empty()) {
    std::vector<std::size_t> offsets;
    for (const std::size_t branch : cutter.outline().split_branches())
      offsets.push_back(cutter.outline().span({branch, branch + 1}).begin);
    return {.tree = std::move(tree), .split_branches = std::move(offsets)};
  }
  if (!cutter.outline().balanced() || !cutter.cut()) return {.tree = std::move(tree), .hopeless = at};
  tree = SyntaxTree(cutter.text(), language);
  std::vector<Unreadable> cuts = cutter.unreadable();
  if (first_error(tree) != nullptr || !stands_for_statements(tree, cuts))
    return {.tree = std::move(tree), .hopeless = at};
  return {.tree = std::move(tree), .unreadable = std::move(cuts)};
}

}  // namespace lectern
