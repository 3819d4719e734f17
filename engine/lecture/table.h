#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "lecture/format.h"
#include "lecture/hooks.h"
#include "record/aggregate.h"
#include "tensor/tensor.h"

namespace lectern {

/// A cell of a table: Markdown, a number, or the text of any other value. Numbers have six significant
/// digits, integers all of theirs, from 10,000 on with commas; a column of numbers is aligned on the right.
/// For another format pass the text: fmt::format("{:.2f}", x).
class TableCell {
 public:
  template <typename T>
  TableCell(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      text_ = std::string_view(value);
    } else if constexpr (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>) {
      write_integer(value < 0,
                    value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      write_real(static_cast<double>(value));
    } else if constexpr (std::derived_from<T, Tensor>) {
      write_element(value);
    } else if constexpr (std::derived_from<T, Scalar>) {
      write_scalar(value);
    } else {
      text_ = formatted("table", "{}", value);
    }
  }

  const std::string& text() const { return text_; }
  bool is_number() const { return is_number_; }

 private:
  void write_integer(bool negative, std::uint64_t magnitude);
  void write_real(double value);
  void write_scalar(const Scalar& value);
  void write_element(const Tensor& tensor);

  std::string text_;
  bool is_number_ = false;
};

namespace table_cells {

using Cells = std::vector<TableCell>;

template <typename T>
concept Text = std::convertible_to<const T&, std::string_view>;
/// A path is not one: its elements are paths.
template <typename T>
concept Range = !Text<T> && !std::derived_from<T, Tensor> && requires(T & range) {
  requires !std::same_as<std::remove_cvref_t<decltype(*std::begin(range))>, std::remove_const_t<T>>;
  std::begin(range) != std::end(range);
};
template <typename T>
concept Tuple = requires {
  std::tuple_size<T>::value;
};
template <typename T>
concept Aggregate = !Range<T> && !Tuple<T> && !values::HasToValue<T> && aggregates::count<T>() > 0;

void add_elements(Cells& row, const Tensor& tensor);

/// The elements of a range or tuple, and the fields of a class that does not say how it is shown, as cells;
/// anything else as one cell.
template <typename T>
void add_cells(Cells& row, const T& value) {
  if constexpr (std::derived_from<T, Tensor>) {
    add_elements(row, value);
  } else if constexpr (Range<const T>) {
    for (const auto& element : value) row.emplace_back(element);
  } else if constexpr (Tuple<T>) {
    std::apply([&row](const auto&... part) { (add_cells(row, part), ...); }, value);
  } else if constexpr (!fmt::is_formattable<T>::value && Aggregate<T>) {
    aggregates::for_each_field<aggregates::count<T>()>(
        value, [&row](const auto& field) { row.emplace_back(field); });
  } else {
    row.emplace_back(value);
  }
}

}  // namespace table_cells

/// Cells in braces, or the elements of a range, tuple, class without private fields, or tensor of one
/// dimension.
struct TableRow {
  TableRow(std::initializer_list<TableCell> list) : cells(list) {}
  template <typename Values>
  requires(std::derived_from<Values, Tensor> || table_cells::Range<Values> || table_cells::Tuple<Values> ||
           table_cells::Aggregate<Values>) TableRow(const Values& values) {
    table_cells::add_cells(cells, values);
  }

  table_cells::Cells cells;
};

/// Rows as long as the header: in braces; a range of rows, ranges, tuples, classes without private fields, or
/// single values; a map, whose keys come first; a tensor of two dimensions, or of one, a row for each
/// element.
///
///     std::vector<TableRow> rows;
///     for (const int n : {1, 2}) rows.push_back({n, fmt::format("{:.2f}", std::sqrt(n))});
class TableRows {
 public:
  TableRows() = default;
  TableRows(std::initializer_list<TableRow> rows) {
    for (const TableRow& row : rows) rows_.push_back(row.cells);
  }
  TableRows(const Tensor& tensor);
  template <table_cells::Range Rows>
  TableRows(const Rows& rows) {
    for (const auto& row : rows) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(row)>, TableRow>) {
        rows_.push_back(row.cells);
      } else {
        table_cells::add_cells(rows_.emplace_back(), row);
      }
    }
  }

  const std::vector<table_cells::Cells>& rows() const { return rows_; }

 private:
  std::vector<table_cells::Cells> rows_;
};

/// A column: its head, and its cells, a list in braces, a range, or a tensor of one dimension.
struct TableColumn {
  TableColumn(std::string title, std::initializer_list<TableCell> list)
      : head(std::move(title)), cells(list) {}
  template <typename Values>
  TableColumn(std::string title, const Values& range) : head(std::move(title)) {
    table_cells::add_cells(cells, range);
  }

  std::string head;
  table_cells::Cells cells;
};

/// table({"name", "bytes"}, {{"a", 12}, {"b", 3.5}}). The header is Markdown, too.
void table(const std::vector<std::string>& header, const TableRows& rows, const Style& style = {});
/// table({{"step", steps}, {"loss", losses}}), of columns with equally many cells.
void table(std::initializer_list<TableColumn> columns, const Style& style = {});

}  // namespace lectern
