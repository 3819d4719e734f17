#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/fields.h"

/// What a calculator on a page asks for and what it gives. Texts are plain, ready to be shown; the numbers
/// beside them are for drawing and comparing.
namespace lectern::trace_model::calculators {

/// A field of a calculator.
struct Input {
  std::string name;        ///< of the function's parameter
  std::string kind = {};   ///< one of kKinds; the function's parameter tells
  std::string label = {};  ///< empty: the name
  std::string unit = {};
  std::string value = {};   ///< as it is typed: "70B", "true"
  double min = 0, max = 0;  ///< of the slider, in its unit; equal: there is none
  bool logarithmic = false;
  int lines = 0;  ///< of a text's field; 0 as 1
  std::vector<std::string> choices = {};
  bool hidden = false;  ///< data of the lecture that a reader does not change

  static constexpr std::string_view kKinds = "^(number|integer|switch|choice|text)$";
  static constexpr auto fields() {
    using I = Input;
    return field_list(Field{"name", &I::name, kAlways}, Field{"kind", &I::kind, kAlways, kKinds},
                      Field{"label", &I::label}, Field{"unit", &I::unit}, Field{"value", &I::value},
                      Field{"min", &I::min}, Field{"max", &I::max}, Field{"logarithmic", &I::logarithmic},
                      Field{"lines", &I::lines}, Field{"choices", &I::choices}, Field{"hidden", &I::hidden});
  }
  bool operator==(const Input&) const = default;
};

/// Values for inputs, by their names; the others stay as they are.
struct Preset {
  std::string name;
  Members<std::string> values;

  static constexpr auto fields() {
    return field_list(Field{"name", &Preset::name, kAlways}, Field{"values", &Preset::values, kAlways});
  }
  bool operator==(const Preset&) const = default;
};

/// Why an input was refused: "must be between 1 and 1e15".
struct Problem {
  std::string input;
  std::string text;

  static constexpr auto fields() {
    return field_list(Field{"input", &Problem::input, kAlways}, Field{"text", &Problem::text, kAlways});
  }
  bool operator==(const Problem&) const = default;
};

struct Quantity {
  std::string label;
  std::string text;
  double value = 0;
  std::string note = {};

  static constexpr auto fields() {
    using Q = Quantity;
    return field_list(Field{"label", &Q::label, kAlways}, Field{"text", &Q::text, kAlways},
                      Field{"value", &Q::value, kAlways}, Field{"note", &Q::note});
  }
  bool operator==(const Quantity&) const = default;
};

struct Segment {
  std::string label;
  std::string text;
  double value = 0;

  static constexpr auto fields() {
    using S = Segment;
    return field_list(Field{"label", &S::label, kAlways}, Field{"text", &S::text, kAlways},
                      Field{"value", &S::value, kAlways});
  }
  bool operator==(const Segment&) const = default;
};
/// Segments side by side, and where a limit lies on the same scale.
struct Bar {
  std::string label;
  std::vector<Segment> segments;
  std::vector<Segment> limits = {};

  static constexpr auto fields() {
    return field_list(Field{"label", &Bar::label, kAlways}, Field{"segments", &Bar::segments, kAlways},
                      Field{"limits", &Bar::limits});
  }
  bool operator==(const Bar&) const = default;
};

/// Of a drawing.
struct Shape {
  std::string kind;            ///< one of kKinds
  std::vector<double> points;  ///< x, y, … of a line or area; x, y, width, height of a rect; x, y of others
  int color = 0;               ///< 0 the ink, 1 to 8 those of plots, -1 quiet
  std::string text = {};       ///< what a label says; of other shapes a tooltip
  std::string anchor = {};     ///< of a label: start, middle (else) or end

  static constexpr std::string_view kKinds = "^(line|dashes|area|rect|dot|label)$";
  static constexpr auto fields() {
    using S = Shape;
    return field_list(Field{"kind", &S::kind, kAlways, kKinds}, Field{"points", &S::points, kAlways},
                      Field{"color", &S::color}, Field{"text", &S::text},
                      Field{"anchor", &S::anchor, false, "^(start|middle|end)$"});
  }
  bool operator==(const Shape&) const = default;
};
/// Shapes in a coordinate system from (0, 0) at the top left to (width, height).
struct Drawing {
  std::string alt;  ///< what it shows, for those who cannot see it
  double width = 0, height = 0;
  std::vector<Shape> shapes = {};

  static constexpr auto fields() {
    using D = Drawing;
    return field_list(Field{"alt", &D::alt, kAlways}, Field{"width", &D::width, kAlways},
                      Field{"height", &D::height, kAlways}, Field{"shapes", &D::shapes});
  }
  bool operator==(const Drawing&) const = default;
};

struct Cell {
  std::string text;
  int color = 0;           ///< as that of a shape
  std::string title = {};  ///< more about it
  bool marked = false;

  static constexpr auto fields() {
    using C = Cell;
    return field_list(Field{"text", &C::text, kAlways}, Field{"color", &C::color}, Field{"title", &C::title},
                      Field{"marked", &C::marked});
  }
  bool operator==(const Cell&) const = default;
};
/// Bits, bytes, tokens: small texts in order, which wrap.
struct CellRow {
  std::string label;
  std::vector<Cell> cells = {};

  static constexpr auto fields() {
    return field_list(Field{"label", &CellRow::label, kAlways}, Field{"cells", &CellRow::cells, kAlways});
  }
  bool operator==(const CellRow&) const = default;
};

/// Its first column is text, the others are numbers.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows = {};

  static constexpr auto fields() {
    return field_list(Field{"header", &Table::header, kAlways}, Field{"rows", &Table::rows, kAlways});
  }
  bool operator==(const Table&) const = default;
};

/// What a calculator gives, in the order in which it is shown; if there are problems, nothing else.
struct Result {
  std::vector<Problem> problems = {};
  std::vector<Quantity> quantities = {};
  std::vector<Bar> bars = {};
  std::vector<Drawing> drawings = {};
  std::vector<CellRow> cells = {};
  std::vector<Table> tables = {};
  std::vector<std::string> notes = {};

  static constexpr auto fields() {
    using R = Result;
    return field_list(Field{"problems", &R::problems}, Field{"quantities", &R::quantities},
                      Field{"bars", &R::bars}, Field{"drawings", &R::drawings}, Field{"cells", &R::cells},
                      Field{"tables", &R::tables}, Field{"notes", &R::notes});
  }
  bool operator==(const Result&) const = default;
};

}  // namespace lectern::trace_model::calculators
