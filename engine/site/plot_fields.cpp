#include "site/plot_fields.h"

#include <array>
#include <initializer_list>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "site/spec_path.h"

namespace lectern {
namespace {

/// The fields of data, if they are known.
struct Columns {
  bool known = false;
  std::set<std::string> names = {};

  void add(const Columns& other) {
    known = known && other.known;
    names.insert(other.names.begin(), other.names.end());
  }
  /// A name or a list of names; `otherwise` where there is neither.
  void add(const SpecJson& transform, const char* member, std::initializer_list<const char*> otherwise = {}) {
    const auto found = transform.find(member);
    if (found == transform.end()) {
      names.insert(otherwise.begin(), otherwise.end());
    } else if (found->is_string()) {
      names.insert(*found);
    } else if (found->is_array()) {
      for (const SpecJson& name : *found) {
        if (name.is_string()) names.insert(name);
      }
    }
  }
};

const SpecJson* find_member(const SpecJson& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

Columns value_columns(const SpecJson& values) {
  if (!values.is_array() || values.empty()) return {};
  Columns columns{true};
  for (const SpecJson& datum : values) {
    if (datum.is_array()) return {};
    if (!datum.is_object()) {
      columns.names.insert("data");
      continue;
    }
    for (const auto& [name, value] : datum.items()) columns.names.insert(name);
  }
  return columns;
}

/// Of inline data, or of a dataset of the whole specification.
Columns data_columns(const SpecJson& data, const SpecJson& root) {
  if (const SpecJson* sequence = find_member(data, "sequence")) {
    Columns columns{true};
    columns.add(*sequence, "as", {"data"});
    return columns;
  }
  const SpecJson* const format = find_member(data, "format");
  if (format != nullptr && format->is_object()) {
    for (const char* reading : {"property", "feature", "mesh"}) {
      if (format->contains(reading)) return {};
    }
    if (format->value("type", SpecJson("json")) != "json") return {};
  }
  if (const SpecJson* values = find_member(data, "values")) return value_columns(*values);
  const SpecJson* const name = find_member(data, "name");
  const SpecJson* const datasets = find_member(root, "datasets");
  if (name == nullptr || !name->is_string() || datasets == nullptr) return {};
  const SpecJson* const dataset = find_member(*datasets, name->get_ref<const std::string&>().c_str());
  return dataset == nullptr ? Columns() : value_columns(*dataset);
}

/// A field that is made as `as`, and its other end as as_end.
void add_range(Columns& columns, const SpecJson& transform) {
  columns.add(transform, "as");
  const SpecJson* const as = find_member(transform, "as");
  if (as != nullptr && as->is_string()) columns.names.insert(as->get<std::string>() + "_end");
}

/// The fields that a list of operations makes.
void add_each(Columns& columns, const SpecJson& operations) {
  if (!operations.is_array()) return;
  for (const SpecJson& operation : operations) columns.add(operation, "as");
}

/// What a curve is fitted to, and where: the fields of its points.
Columns fitted_columns(Columns grouped, const SpecJson& transform, const char* fitted) {
  if (transform.value("params", SpecJson(false)) != false) return {};
  grouped.add(transform, "as");
  if (!transform.contains("as")) {
    grouped.add(transform, fitted);
    grouped.add(transform, "on");
  }
  return grouped;
}

Columns looked_up(Columns columns, const SpecJson& transform) {
  if (transform.contains("as")) {
    columns.add(transform, "as");
    return columns;
  }
  const SpecJson* const from = find_member(transform, "from");
  if (from == nullptr || find_member(*from, "fields") == nullptr) return {};
  columns.add(*from, "fields");
  return columns;
}

/// What a transform makes of data that has these columns.
Columns transformed(Columns columns, const SpecJson& transform) {
  const auto is = [&transform](const char* name) { return find_member(transform, name) != nullptr; };
  if (is("lookup")) return looked_up(std::move(columns), transform);
  Columns grouped{columns.known};  // all that some transforms leave
  grouped.add(transform, "groupby");
  for (const char* fitted : {"loess", "regression"}) {
    if (is(fitted)) return fitted_columns(std::move(grouped), transform, fitted);
  }
  if (is("aggregate")) {
    add_each(grouped, transform["aggregate"]);
  } else if (is("density")) {
    grouped.add(transform, "as", {"value", "density"});
  } else if (is("quantile")) {
    grouped.add(transform, "as", {"prob", "value"});
  } else if (is("joinaggregate") || is("window")) {
    add_each(columns, transform[is("window") ? "window" : "joinaggregate"]);
    return columns;
  } else if (is("fold")) {
    columns.add(transform, "as", {"key", "value"});
    return columns;
  } else if (is("bin") || is("timeUnit") || is("stack")) {
    add_range(columns, transform);
    return columns;
  } else if (is("calculate") || is("flatten")) {
    columns.add(transform, "as");
    return columns;
  } else if (is("filter") || is("sample") || is("impute") || is("extent")) {
    return columns;
  } else {
    return {};  // a pivot's columns are values of its data
  }
  return grouped;
}

/// The field that a path of Vega begins with: "a" of a.b, a[0] and a['b']; "a.b" of a\.b.
std::string first_field(const std::string& path) {
  std::string field;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && i + 1 < path.size()) {
      field += path[++i];
    } else if (path[i] == '.' || path[i] == '[') {
      break;
    } else {
      field += path[i];
    }
  }
  return field;
}

constexpr std::array kViews{"layer", "concat", "hconcat", "vconcat"};

class FieldChecker {
 public:
  explicit FieldChecker(const SpecJson& root) : root_(root) {}

  /// Returns the columns that the view's marks have, of all views in it.
  Columns check(const SpecJson& view, const std::string& path, Columns columns) {
    if (const SpecJson* data = find_member(view, "data")) columns = data_columns(*data, root_);
    if (const SpecJson* transforms = find_member(view, "transform"); transforms && transforms->is_array()) {
      for (const SpecJson& transform : *transforms) columns = transformed(std::move(columns), transform);
    }
    Columns all = columns;
    for (const char* kind : kViews) {
      const SpecJson* const views = find_member(view, kind);
      if (views == nullptr || !views->is_array()) continue;
      for (std::size_t i = 0; i < views->size(); ++i)
        all.add(check((*views)[i], item_path(member_path(path, kind), i), columns));
    }
    if (const SpecJson* spec = find_member(view, "spec"))
      all.add(check(*spec, member_path(path, "spec"), columns));
    // Of an encoding that layers share, each has the fields that it draws.
    for (const char* channels : {"encoding", "facet"}) {
      if (const SpecJson* found = find_member(view, channels))
        check_fields(*found, member_path(path, channels), all, true);
    }
    if (const SpecJson* repeated = find_member(view, "repeat"))
      check_repeated(*repeated, member_path(path, "repeat"), all);
    return all;
  }

  std::vector<std::string> take() { return std::move(problems_); }

 private:
  /// Of channels, what they show on a condition, and what they are sorted by. The fields of predicates and of
  /// domains may be those of other data.
  void check_fields(const SpecJson& node, const std::string& path, const Columns& columns, bool channels) {
    if (node.is_array()) {
      for (std::size_t i = 0; i < node.size(); ++i)
        check_fields(node[i], item_path(path, i), columns, channels);
    } else if (node.is_object()) {
      for (const auto& [name, member] : node.items()) {
        if (name == "field" && member.is_string()) {
          check_field(member, member_path(path, name), columns);
        } else if (channels || name == "condition" || name == "sort") {
          check_fields(member, member_path(path, name), columns, false);
        }
      }
    }
  }

  /// ["a", "b"], or such a list for each of row, column and layer.
  void check_repeated(const SpecJson& repeated, const std::string& path, const Columns& columns) {
    if (repeated.is_object()) {
      for (const auto& [name, fields] : repeated.items())
        check_repeated(fields, member_path(path, name), columns);
    } else if (repeated.is_array()) {
      for (std::size_t i = 0; i < repeated.size(); ++i) {
        if (repeated[i].is_string()) check_field(repeated[i], item_path(path, i), columns);
      }
    }
  }

  void check_field(const std::string& field, const std::string& path, const Columns& columns) {
    constexpr std::size_t kMost = 12;
    if (!columns.known || field == "*") return;
    if (columns.names.contains(field) || columns.names.contains(first_field(field))) return;
    const std::vector<std::string> names(columns.names.begin(), columns.names.end());
    std::vector<std::string> shown;
    for (const std::string& name : names) {
      if (shown.size() < kMost) shown.push_back(as_json(name));
    }
    const std::string meant = nearest(field, names);
    problems_.push_back(fmt::format(
        "{}: {} is not in the data, which has {}{}; {}", path, as_json(field), fmt::join(shown, ", "),
        names.size() > kMost ? ", …" : "",
        meant.empty() ? "name one of its fields" : fmt::format("did you mean {}?", as_json(meant))));
  }

  const SpecJson& root_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> field_problems(const SpecJson& spec) {
  FieldChecker checker(spec);
  checker.check(spec, "", {});
  return checker.take();
}

}  // namespace lectern
