#include "site/tensor_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/tensor_figures.h"
#include "site/tensor_histogram.h"
#include "site/tensor_layout.h"
#include "trace/tensor_check.h"
#include "trace/tensor_text.h"

namespace lectern {
namespace {

constexpr std::size_t kMostCells = 4096;  // of one tensor; of more, the corners
constexpr std::size_t kMostExact = 256;   // cells that say their exact element
constexpr std::size_t kLongVector = 10;   // elements of a vector in one row
constexpr std::size_t kRowOfVector = 8;   // else so many
constexpr std::size_t kFewElements = 8;   // of fewer the reader sees mean and extremes himself
constexpr int kShades = 7;
constexpr int kHues = 6;  // of storages
constexpr std::string_view kGap = "\u22EF";

std::string storage_chip(std::int64_t number, const std::string& extent) {
  return number <= 0 ? std::string()
                     : fmt::format("<span class=\"storage s{}\" data-storage=\"{}\"{}>storage {}</span>",
                                   number % kHues, number, extent, storage_letter(number));
}
std::string storage_chip(const form::Tensor& tensor) {
  return storage_chip(tensor.storage, extent_attributes(tensor));
}

/// How far an element is from 0, relative to its tensor, as a CSS class: n7 … n1 below, p1 … p7 above.
class Shades {
 public:
  explicit Shades(const TensorFigures& figures) : figures_(figures) {
    largest_ = figures.known ? std::max(std::fabs(figures.min), std::fabs(figures.max)) : 0;
    on_ = figures.known && figures.min < figures.max && std::isfinite(largest_);
  }

  bool is_on() const { return on_; }
  std::string shade(double value) const {
    if (!on_ || std::isnan(value)) return {};
    const auto level = static_cast<int>(std::lround(std::min(1.0, std::fabs(value) / largest_) * kShades));
    return level == 0 ? std::string() : fmt::format("{}{}", value < 0 ? 'n' : 'p', level);
  }

  /// The shades from the smallest element to the largest, which the reader may switch off.
  std::string legend() const {
    constexpr int kSteps = 9;
    std::string out =
        "<button type=\"button\" class=\"legend\" aria-label=\"Shading of the numbers\" title=\"Shading on "
        "or off\">";
    for (int i = 0; i < kSteps; ++i) {
      const double share = static_cast<double>(i) / (kSteps - 1);
      const std::string name = shade(figures_.min * (1 - share) + figures_.max * share);
      out += name.empty() ? "<i></i>" : "<i class=\"" + name + "\"></i>";
    }
    return out + "</button>";
  }

 private:
  TensorFigures figures_;
  double largest_ = 0;
  bool on_ = false;
};

class Grid {
 public:
  /// Of a tensor with data.
  Grid(const form::Tensor& tensor, const TensorFigures& figures)
      : shape_(tensor.shape),
        elements_(*tensor.data),
        positions_(data_positions(tensor)),
        shown_(tensor.shape.size()),
        notation_(elements_),
        shades_(figures) {
    const std::size_t rank = shape_.size();
    for (std::size_t d = 0; d < rank; ++d) {
      const std::size_t count = positions_[d].size();
      for (std::size_t i = 0; i < count; ++i) {
        const bool edge = i < 3 || i + 3 >= count;
        if (elements_.size() <= kMostCells || (edge && (rank - d <= 2 || i == 0))) shown_[d].push_back(i);
      }
    }
  }

  const Shades& shades() const { return shades_; }

  std::string html() const {
    const std::size_t rank = shown_.size();
    if (rank == 0) return "<span class=\"num\">" + exact_text(elements_.front()) + "</span>";
    std::string blocks;
    std::vector<std::size_t> outer(rank > 2 ? rank - 2 : 0);
    for (;;) {
      std::size_t block = 0;
      for (std::size_t d = 0; d < outer.size(); ++d) {
        block = block * positions_[d].size() + shown_[d][outer[d]];
      }
      const std::string table = rank == 1 ? vector_table() : matrix_table(block);
      blocks += outer.empty() ? table : "<div><p>" + label(outer) + "</p>" + table + "</div>";
      std::size_t d = outer.size();
      while (d > 0 && ++outer[d - 1] == shown_[d - 1].size()) outer[--d] = 0;
      if (d == 0) break;
    }
    const bool several = !outer.empty();
    return std::string("<div class=\"scroll") + (several ? " blocks" : "") + "\" tabindex=\"0\">" + blocks +
           "</div>";
  }

  /// Whether elements have more digits than are shown.
  bool rounds() const { return !shown_.empty() && notation_.rounds(elements_); }

  /// Whether elements are missing between what is shown.
  bool cut() const {
    for (std::size_t d = 0; d < shown_.size(); ++d) {
      if (static_cast<std::int64_t>(shown_[d].size()) != shape_[d]) return true;
    }
    return false;
  }

 private:
  using Positions = std::vector<std::int64_t>;

  std::int64_t position(std::size_t dim, std::size_t i) const { return positions_[dim][shown_[dim][i]]; }
  /// Whether there are others before the i-th that is shown.
  bool gap_before(std::size_t dim, std::size_t i) const {
    return position(dim, i) != (i == 0 ? 0 : position(dim, i - 1) + 1);
  }
  bool gaps(std::size_t dim) const { return static_cast<std::int64_t>(shown_[dim].size()) != shape_[dim]; }

  std::string label(const std::vector<std::size_t>& outer) const {
    Positions at;
    for (std::size_t d = 0; d < outer.size(); ++d) at.push_back(position(d, outer[d]));
    return fmt::format("[{}, :, :]", fmt::join(at, ", "));
  }

  std::string cell(const Element& element) const {
    const double value = number(element);
    std::string attributes = std::isfinite(value) ? shades_.shade(value) : "bad";
    if (!attributes.empty()) attributes = " class=\"" + attributes + "\"";
    if (elements_.size() <= kMostExact) {
      if (const std::string exact = notation_.exact(element); !exact.empty())
        attributes += " title=\"" + exact + "\"";
    }
    return "<td" + attributes + ">" + notation_.text(element) + "</td>";
  }

  static std::string heading(std::int64_t position) { return fmt::format("<th>{}</th>", position); }
  static std::string gap(std::string_view mark) { return fmt::format("<td class=\"gap\">{}</td>", mark); }

  /// A cell for each shown position of a dimension in [begin, end), and a gap where others are left out.
  template <typename MakeCell>
  std::string cells(std::size_t dim, std::size_t begin, std::size_t end, std::string_view gap_mark,
                    MakeCell make_cell) const {
    std::string out;
    for (std::size_t i = begin; i < end; ++i) {
      if (gap_before(dim, i)) out += gap(gap_mark);
      out += make_cell(i);
    }
    return out;
  }

  std::string vector_table() const {
    const std::size_t count = shown_[0].size();
    const bool wraps = !gaps(0) && count > kLongVector;
    const std::size_t length = wraps ? kRowOfVector : count;
    std::string out = "<table class=\"grid\">";
    if (gaps(0)) out += heads(0, false);
    for (std::size_t begin = 0; begin < count; begin += length) {
      out += "<tr>";
      if (wraps) out += heading(position(0, begin));
      out += cells(0, begin, std::min(begin + length, count), kGap,
                   [&](std::size_t i) { return cell(elements_[shown_[0][i]]); });
      out += "</tr>";
    }
    return out + "</table>";
  }

  /// One block of rows and columns; blocks are counted in row-major order.
  std::string matrix_table(std::size_t block) const {
    const std::size_t rows = shown_.size() - 2, columns = rows + 1, width = shown_[columns].size();
    const bool named = gaps(rows) || gaps(columns);
    std::string out = "<table class=\"grid\">";
    if (named) out += heads(columns, true);
    for (std::size_t r = 0; r < shown_[rows].size(); ++r) {
      if (gap_before(rows, r)) {
        out += fmt::format("<tr><td class=\"gap\"></td><td class=\"gap\" colspan=\"{}\">{}</td></tr>",
                           width + 1, "\u22EE");
      }
      out += "<tr>";
      if (named) out += heading(position(rows, r));
      const std::size_t row =
          (block * positions_[rows].size() + shown_[rows][r]) * positions_[columns].size();
      out += cells(columns, 0, width, kGap,
                   [&](std::size_t c) { return cell(elements_[row + shown_[columns][c]]); });
      out += "</tr>";
    }
    return out + "</table>";
  }

  std::string heads(std::size_t dim, bool corner) const {
    return "<tr>" + (corner ? gap("") : "") +
           cells(dim, 0, shown_[dim].size(), "", [&](std::size_t i) { return heading(position(dim, i)); }) +
           "</tr>";
  }

  const Positions& shape_;
  const std::vector<Element>& elements_;
  std::vector<Positions> positions_;
  std::vector<std::vector<std::size_t>> shown_;  ///< of each dimension which of its positions
  TensorNotation notation_;
  Shades shades_;
};

std::string figure(std::string_view name, double value) {
  return fmt::format("<span>{} <b>{}</b></span>", name, show_figure(value));
}

std::string figures_html(const TensorFigures& figures, const Shades& shades) {
  std::string out;
  if (figures.known) {
    out += figure("min", figures.min) + (shades.is_on() ? shades.legend() : std::string()) +
           figure("max", figures.max) + figure("mean", figures.mean);
    if (figures.has_std) out += figure("std", figures.std);
  }
  if (figures.nan > 0) out += fmt::format("<span class=\"bad\">{} NaN</span>", with_separators(figures.nan));
  if (figures.inf > 0)
    out += fmt::format("<span class=\"bad\">{} infinite</span>", with_separators(figures.inf));
  return out.empty() ? out : "<p class=\"figures\">" + out + "</p>";
}

std::string facts_html(const form::Tensor& tensor) {
  std::string out = storage_chip(tensor);
  if (!is_contiguous(tensor)) out += "<span class=\"view\">not contiguous</span>";
  if (tensor.requires_grad) out += "<span>requires grad</span>";
  return out.empty() ? out : "<p class=\"facts\">" + out + "</p>";
}

std::string elements_html(const form::Tensor& tensor) {
  if (is_empty(tensor)) return "<p class=\"none\">no elements</p>";
  const std::vector<Element> none;
  const TensorFigures figures =
      tensor.stats ? tensor_figures(*tensor.stats) : tensor_figures(tensor.data ? *tensor.data : none);
  const std::string histogram = histogram_html(tensor);
  if (!tensor.data || tensor.data->empty()) return histogram + figures_html(figures, Shades({}));
  const Grid grid(tensor, figures);
  const bool few = tensor.data->size() < kFewElements && !grid.cut() && figures.nan + figures.inf == 0;
  return grid.html() + histogram + (few ? std::string() : figures_html(figures, grid.shades())) +
         (grid.rounds() ? "<p class=\"facts\"><span class=\"cut\">\u2248 rounded</span></p>" : "");
}

}  // namespace

std::string tensor_html(const form::Tensor& tensor, bool with_type) {
  if (tensor.shape.empty() && tensor.data && !with_type) {
    return Grid(tensor, {}).html() + " " + storage_chip(tensor) +
           (tensor.requires_grad ? " <span class=\"cut\">requires grad</span>" : "");
  }
  const std::string type =
      with_type ? "<p class=\"ty\">" + escape_html(tensor_type(tensor)) + "</p>" : std::string();
  return "<div class=\"tensor\">" + type + elements_html(tensor) + facts_html(tensor) + layout_html(tensor) +
         "</div>";
}

std::string storage_html(const form::Storage& storage) {
  if (storage.storage <= 0) return "<span class=\"none\">a storage</span>";
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, storage.storage_bytes));
  return storage_chip(storage.storage, "") + " " + counted(bytes, "byte", "bytes") + " " +
         escape_html(storage.device);
}

}  // namespace lectern
