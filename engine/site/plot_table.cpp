#include "site/plot_table.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/html.h"
#include "base/readable_numbers.h"

namespace lectern {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Data of the specification or of the first view that has some; a null pointer if none has.
const OrderedJson* data_values(const OrderedJson& node) {
  if (!node.is_structured()) return nullptr;
  if (node.is_object()) {
    if (const auto data = node.find("data"); data != node.end() && data->is_object()) {
      const auto values = data->find("values");
      if (values != data->end() && values->is_array() && !values->empty()) return &*values;
    }
    if (const auto datasets = node.find("datasets"); datasets != node.end() && datasets->is_object()) {
      for (const OrderedJson& values : *datasets) {
        if (values.is_array() && !values.empty()) return &values;
      }
    }
  }
  for (const OrderedJson& part : node) {
    if (const OrderedJson* const values = data_values(part)) return values;
  }
  return nullptr;
}

std::string cell(const OrderedJson& value) {
  const std::string text = value.is_null() ? ""
                           : value.is_string()
                               ? value.get<std::string>()
                               : value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  return "<td>" + escape_html(text) + "</td>";
}

}  // namespace

std::string plot_table(const std::string& spec) {
  const OrderedJson root = OrderedJson::parse(spec, nullptr, false);
  const OrderedJson* const values = data_values(root);
  if (values == nullptr) return {};
  const std::size_t rows = std::min(values->size(), kMostTableRows);
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(*values)[i].is_object()) continue;
    for (const auto& [name, value] : (*values)[i].items()) {
      const bool known = std::find(columns.begin(), columns.end(), name) != columns.end();
      if (!known && columns.size() < kMostTableColumns) columns.push_back(name);
    }
  }
  std::string html = "<div class=\"plot-data scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const std::string& name : columns) html += "<th scope=\"col\">" + escape_html(name) + "</th>";
  if (columns.empty()) html += "<th scope=\"col\">data</th>";
  html += "</tr></thead><tbody>";
  for (std::size_t i = 0; i < rows; ++i) {
    const OrderedJson& datum = (*values)[i];
    html += "<tr>";
    if (columns.empty()) html += cell(datum);
    for (const std::string& name : columns)
      html += cell(datum.is_object() ? datum.value(name, OrderedJson()) : OrderedJson());
    html += "</tr>";
  }
  html += "</tbody></table>";
  if (values->size() > rows)
    html += fmt::format("<p>The first {} of {} rows.</p>", rows, with_separators(values->size()));
  return html + "</div>";
}

}  // namespace lectern
