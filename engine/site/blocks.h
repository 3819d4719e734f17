#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lectern {

/// Blocks of consecutive rows, which a browser lays out and paints together, or not at all while they are far
/// from the window. Those that the window shows at first are near, and a few lines high, so that little is
/// laid out before the first paint that this window does not show; what only a high window shows is tall, too
/// (layout.css, font_gate.ts). How far down they begin is estimated, for the page's usual width: an estimate
/// that is wrong has something laid out too early, or painted a moment after the rest.
class Blocks {
 public:
  explicit Blocks(std::string& out);

  /// `folds`: it is in a fold, which is closed at first.
  void begin(bool folds);
  /// Ends a block that is full, and begins the next.
  void next();
  void end();

  /// A line, or HTML in a row, or above all rows.
  void add_line();
  void add_html(std::string_view html);
  /// Something of the block is seen outside of raw view.
  void set_read() { reads_ = true; }

  /// A class of what begins below the first window, and is not there yet at the first paint: tall, or far,
  /// below a high one, too. All that follows has it as well, so that nothing moves when it comes.
  std::string_view below_class() const;

 private:
  bool is_far() const;

  std::string& out_;
  std::size_t begin_ = 0;  // bytes
  double top_ = 0;         // pixels
  double height_;          // of all so far
  bool reads_ = false, folds_ = false;
};

}  // namespace lectern
