#include "lecture/table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/noun.h"
#include "base/readable_numbers.h"
#include "lecture/checks.h"
#include "lecture/rendering.h"
#include "tensor/elements.h"

namespace lectern {
namespace {

constexpr std::uint64_t kWithoutCommas = 9999;

std::string with_commas(std::uint64_t number) {
  return number > kWithoutCommas ? with_separators(number) : std::to_string(number);
}

void print_row(const std::vector<std::string>& row) {
  std::string line;
  for (const std::string& cell : row) line.append(line.empty() ? "" : " | ").append(cell);
  print_plain(line);
}

/// The columns that hold numbers and nothing else but empty cells.
std::vector<std::int64_t> number_columns(const std::vector<table_cells::Cells>& rows, std::size_t count) {
  std::vector<std::int64_t> columns;
  for (std::size_t c = 0; c < count; ++c) {
    const auto is_number = [c](const table_cells::Cells& row) { return row[c].is_number(); };
    const auto fits = [c](const table_cells::Cells& row) {
      return row[c].is_number() || row[c].text().empty();
    };
    if (std::ranges::any_of(rows, is_number) && std::ranges::all_of(rows, fits))
      columns.push_back(static_cast<std::int64_t>(c));
  }
  return columns;
}

}  // namespace

void TableCell::write_integer(bool negative, std::uint64_t magnitude) {
  is_number_ = true;
  text_ = (negative ? "-" : "") + with_commas(magnitude);
}

void TableCell::write_real(double value) {
  constexpr double kSixDigits = 999999.5, kExact = 9007199254740992;  // 2^53
  const double magnitude = std::abs(value);
  if (magnitude < kExact && (magnitude >= kSixDigits || std::trunc(value) == value)) {
    return write_integer(std::signbit(value), static_cast<std::uint64_t>(std::llround(magnitude)));
  }
  is_number_ = true;
  text_ = fmt::format("{:.6g}", value);
  if (magnitude >= kWithoutCommas + 1 && magnitude < kSixDigits) {
    text_.insert(std::min(text_.find('.'), text_.size()) - 3, 1, ',');  // from 100,000 on there is no point
  }
}

void TableCell::write_scalar(const Scalar& value) {
  if (value.is_real()) return write_real(value.to_double());
  if (value.is_integer()) return *this = TableCell(value.to_int64()), void();
  text_ = value.to_bool() ? "true" : "false";
}

void TableCell::write_element(const Tensor& tensor) {
  if (tensor.defined() && tensor.numel() == 1) return write_scalar(tensor.item());
  text_ = formatted("table", "{}", tensor);
}

void table_cells::add_elements(Cells& row, const Tensor& tensor) {
  if (tensor.dim() == 0) return row.emplace_back(tensor), void();
  if (tensor.dim() > 1) {
    refuse("table: a tensor of shape " + to_string(tensor.shape()) +
           " has no place in a row; choose a part of it, or flatten() it");
  }
  const Elements elements = read_elements(tensor, select_all(tensor.sizes()));
  for (const double real : elements.reals) row.emplace_back(real);
  for (const std::int64_t integer : elements.integers)
    tensor.dtype() == bool_ ? row.emplace_back(integer != 0) : row.emplace_back(integer);
}

TableRows::TableRows(const Tensor& tensor) {
  if (tensor.dim() == 0 || tensor.dim() > 2) {
    refuse("table: rows are a tensor of one or two dimensions, this one has shape " +
           to_string(tensor.shape()) + "; choose a part of it");
  }
  for (std::int64_t i = 0; i < tensor.size(0); ++i)
    table_cells::add_elements(rows_.emplace_back(), tensor.detach().select(0, i));
}

void table(const std::vector<std::string>& header, const TableRows& rows, const Style& style) {
  if (header.empty()) refuse("table: the header is empty; name the columns");
  check_language("table", style.language);
  rendering::Table shown{header, {}, style.caption, style.width};
  shown.lang = style.language;
  for (const table_cells::Cells& row : rows.rows()) {
    if (row.size() != header.size()) {
      refuse(fmt::format("table: row {} has {}, the header has {}; give each row as many",
                         shown.rows.size() + 1, with_noun(row.size(), "cell"), header.size()));
    }
    auto& texts = shown.rows.emplace_back();
    for (const TableCell& cell : row) texts.push_back(cell.text());
  }
  shown.numbers = number_columns(rows.rows(), header.size());
  if (record::recording()) return add_rendering(shown);
  print_row(header);
  for (const auto& row : shown.rows) print_row(row);
}

void table(std::initializer_list<TableColumn> columns, const Style& style) {
  std::vector<std::string> header;
  std::vector<table_cells::Cells> rows;
  for (const TableColumn& column : columns) {
    if (header.empty()) rows.resize(column.cells.size());
    if (column.cells.size() != rows.size()) {
      refuse(fmt::format("table: the column \"{}\" has {} cells, \"{}\" has {}; give each column as many",
                         column.head, column.cells.size(), header[0], rows.size()));
    }
    header.push_back(column.head);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(column.cells[i]);
  }
  table(header, TableRows(rows), style);
}

}  // namespace lectern
