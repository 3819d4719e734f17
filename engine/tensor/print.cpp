#include "tensor/print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>
#include <vector>

#include "base/tensor_error.h"
#include "tensor/elements.h"

// The rules of torch/_tensor_str.py, oddities included: goldens and a live comparison check them
// (tests/tensor/print_test.cpp).
namespace lectern {
namespace {

GradFnName grad_fn_name = [](const Tensor&) { return std::string_view(); };

PrintOptions& current() {
  static PrintOptions options;
  return options;
}

void check(const PrintOptions& options) {
  constexpr int kMostDigits = 100;
  if (options.precision < 0 || options.precision > kMostDigits) {
    throw TensorError("set_printoptions", "precision", "0 to 100", std::to_string(options.precision));
  }
  if (options.edgeitems < 1) {
    throw TensorError("set_printoptions", "edgeitems", "1 or more", std::to_string(options.edgeitems));
  }
}

std::string decimal(double value, std::chars_format format, int precision) {
  if (std::isnan(value)) return "nan";
  char text[512];  // 309 digits before the point, at most 100 after it
  return {text, std::to_chars(text, text + sizeof text, value, format, precision).ptr};
}

std::string fixed(double value, int precision) {
  return decimal(value, std::chars_format::fixed, precision);
}

/// Formats all elements of a tensor to one width, in one notation.
class Formatter {
 public:
  Formatter(const Elements& shown, Dtype dtype, const PrintOptions& options)
      : shown_(shown), dtype_(dtype), precision_(options.precision) {
    for (std::size_t i = 0; i < shown.integers.size(); ++i) widen(number(i).size());
    std::vector<double> usual;  // nonzero and finite
    std::copy_if(shown.reals.begin(), shown.reals.end(), std::back_inserter(usual),
                 [](double value) { return value != 0 && std::isfinite(value); });
    if (!usual.empty()) choose_notation(usual, options.sci_mode);
  }

  std::size_t width() const { return width_; }

  std::string operator()(std::size_t i) const {
    std::string text = number(i);
    if (text.size() < width_) text.insert(0, width_ - text.size(), ' ');
    return text;
  }

 private:
  void widen(std::size_t width) { width_ = std::max(width_, width); }

  void choose_notation(const std::vector<double>& usual, std::optional<bool> wanted) {
    double smallest = std::fabs(usual.front()), largest = 0;
    for (const double value : usual) {
      smallest = std::min(smallest, std::fabs(value));
      largest = std::max(largest, std::fabs(value));
      whole_ = whole_ && value == std::ceil(value);
    }
    scientific_ = largest / smallest > 1000 || largest > 1e8 || (!whole_ && smallest < 1e-4);
    for (const double value : usual) {
      if (scientific_) {
        widen(decimal(value, std::chars_format::scientific, precision_).size());
      } else if (whole_) {
        widen(fixed(value, 0).size() + 1);
      } else {
        widen(fixed(value, precision_).size());
      }
    }
    scientific_ = wanted.value_or(scientific_);
  }

  std::string number(std::size_t i) const {
    if (dtype_ == bool_) return shown_.integers[i] != 0 ? "True" : "False";
    if (!is_floating_point(dtype_)) return std::to_string(shown_.integers[i]);
    const double value = shown_.reals[i];
    if (scientific_) return decimal(value, std::chars_format::scientific, precision_);
    if (whole_) return fixed(value, 0) + (std::isfinite(value) ? "." : "");
    return fixed(value, precision_);
  }

  const Elements& shown_;
  Dtype dtype_;
  int precision_;
  std::size_t width_ = 1;
  bool whole_ = true;  ///< all elements are integers
  bool scientific_ = false;
};

class Printer {
 public:
  Printer(const Tensor& tensor, const PrintOptions& options)
      : tensor_(tensor),
        options_(options),
        selection_(tensor.numel() > options.threshold ? select_edges(tensor.sizes(), options.edgeitems)
                                                      : select_all(tensor.sizes())),
        elements_(read_elements(tensor, selection_)),
        format_(elements_, tensor.dtype(), options) {}

  std::string text() {
    std::string out = "tensor(";
    const std::size_t indent = out.size();
    if (tensor_.numel() == 0) {
      out += "[]";
    } else {
      add(out, 0, indent);
    }
    add_suffixes(out, indent);
    return out + ")";
  }

 private:
  bool cut(std::size_t dim) const {
    return static_cast<std::int64_t>(selection_[dim].size()) < tensor_.sizes()[dim];
  }

  void add(std::string& out, std::size_t dim, std::size_t indent) {
    const std::size_t below = selection_.size() - dim;
    if (below == 0) {
      out += format_(next_++);
      return;
    }
    if (below == 1) return add_row(out, dim, indent);
    const std::string between = "," + std::string(below - 1, '\n') + std::string(indent + 1, ' ');
    const std::size_t count = selection_[dim].size();
    out += '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += between;
      if (cut(dim) && i == count / 2) out += "..." + between;
      add(out, dim + 1, indent + 1);
    }
    out += ']';
  }

  void add_row(std::string& out, std::size_t dim, std::size_t indent) {
    std::vector<std::string> items;
    const std::size_t count = selection_[dim].size();
    for (std::size_t i = 0; i < count; ++i) {
      if (cut(dim) && i == count / 2) items.emplace_back(" ...");
      items.push_back(format_(next_++));
    }
    const auto room = options_.linewidth - static_cast<std::int64_t>(indent);
    const std::int64_t fitting = room / static_cast<std::int64_t>(format_.width() + 2);
    const auto per_line = static_cast<std::size_t>(std::max<std::int64_t>(1, fitting));
    out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += i % per_line == 0 ? ",\n" + std::string(indent + 1, ' ') : ", ";
      out += items[i];
    }
    out += ']';
  }

  /// LayerNormBackward0 for layer_norm.
  static std::string backward_name(std::string_view operation) {
    std::string name;
    bool begins = true;
    for (const char c : operation) {
      if (c != '_') name += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      begins = c == '_';
    }
    return name + "Backward0";
  }

  void add_suffixes(std::string& out, std::size_t indent) const {
    const Dtype dtype = tensor_.dtype();
    const bool empty = tensor_.numel() == 0;
    std::vector<std::string> suffixes;
    if (!tensor_.device().is_cpu()) suffixes.push_back("device='" + tensor_.device().name() + "'");
    if (empty && tensor_.dim() != 1) suffixes.push_back("size=" + tuple(tensor_.sizes()));
    if (dtype != float32 && (empty || (dtype != int64 && dtype != bool_))) {
      suffixes.push_back("dtype=torch." + std::string(name(dtype)));
    }
    if (const std::string_view operation = grad_fn_name(tensor_); !operation.empty()) {
      suffixes.push_back("grad_fn=<" + backward_name(operation) + ">");
    } else if (tensor_.requires_grad()) {
      suffixes.emplace_back("requires_grad=True");
    }
    const std::size_t newline = out.rfind('\n');
    auto line =
        static_cast<std::int64_t>(newline == std::string::npos ? out.size() + 2 : out.size() - newline + 1);
    for (const std::string& suffix : suffixes) {
      const auto length = static_cast<std::int64_t>(suffix.size());
      if (line + length + 2 > options_.linewidth) {
        out += ",\n" + std::string(indent, ' ') + suffix;
        line = static_cast<std::int64_t>(indent) + length;
      } else {
        out += ", " + suffix;
        line += length + 2;
      }
    }
  }

  /// "(2, 0)"; never one dimension.
  static std::string tuple(const Sizes& sizes) {
    const std::string list = to_string(sizes);
    return "(" + list.substr(1, list.size() - 2) + ")";
  }

  const Tensor& tensor_;
  const PrintOptions& options_;
  Selection selection_;
  Elements elements_;
  Formatter format_;
  std::size_t next_ = 0;  ///< element
};

}  // namespace

void set_printoptions(const PrintOptions& options) {
  check(options);
  current() = options;
}

void set_grad_fn_name(GradFnName name) {
  grad_fn_name = name;
}

PrintOptions printoptions() {
  return current();
}

std::string to_string(const Tensor& tensor, const PrintOptions& options) {
  check(options);
  if (!tensor.defined()) return "tensor(undefined)";
  return Printer(tensor, options).text();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace lectern
