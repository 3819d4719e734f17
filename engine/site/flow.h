#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// HTML put together piece by piece: what is inline gathers in one paragraph, blocks stand between.
class Flow {
 public:
  void add_inline(std::string_view html);
  void add_block(std::string_view html);
  /// Paragraphs and what stands between them, as Markdown makes them.
  void add_prose(std::string_view html);

  /// An element with these attributes around what `add` adds.
  template <typename Add>
  void within(std::string_view attributes, const Add& add) {
    add_block("<div" + std::string(attributes) + ">");
    add();
    add_block("</div>");
  }
  /// The same, where the attributes say in which language it is; without, its script does.
  template <typename Add>
  void within_language(std::string_view attributes, const Add& add) {
    end_paragraph();
    language_is_known_ = true;
    within(attributes, add);
    language_is_known_ = false;
  }

  /// Attributes of what holds a text: its language and direction, as far as its script tells more of them
  /// than what is around it.
  std::string writing(std::string_view text) const;

  std::string take();

 private:
  void end_paragraph();

  std::string html_, paragraph_;
  bool language_is_known_ = false;
};

}  // namespace lectern
