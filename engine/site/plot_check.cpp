#include "site/plot_check.h"

#include <algorithm>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/characters.h"
#include "base/files.h"
#include "site/plot_fields.h"
#include "site/schema_problems.h"
#include "site/spec_path.h"

namespace lectern {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

/// Whoever nests deeper does not mean to be read; the checks go down with the specification.
constexpr int kDeepestView = 100;

bool is_deeper(const SpecJson& value, int depth) {
  if (depth == 0) return true;
  return value.is_structured() && std::any_of(value.begin(), value.end(), [depth](const SpecJson& part) {
           return is_deeper(part, depth - 1);
         });
}

/// The specification; with what is wrong where it is none that can be checked.
SpecJson read_spec(const std::string& text, std::vector<std::string>& problems) {
  SpecJson spec = SpecJson::parse(text, nullptr, false);
  if (is_deeper(spec, kDeepestView)) {
    problems.push_back("the specification is nested more than " + std::to_string(kDeepestView) +
                       " deep; make it flatter");
  } else if (!spec.is_object()) {
    problems.emplace_back(
        "the specification is not an object; Vega-Lite's are {\"mark\": …, \"encoding\": …}");
  } else if (const auto schema = spec.find("$schema");
             schema != spec.end() && schema->is_string() &&
             schema->get_ref<const std::string&>().find("/schema/vega/") != std::string::npos) {
    problems.emplace_back("the specification is one of Vega, not of Vega-Lite; write it for Vega-Lite");
  }
  return spec;
}

/// A page loads nothing.
void find_files(const SpecJson& node, const std::string& path, std::vector<std::string>& problems) {
  const auto refuse = [&](const std::string& place, const char* what) {
    problems.push_back((place.empty() ? "" : place + ": ") + what);
  };
  if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i) find_files(node[i], item_path(path, i), problems);
  }
  if (!node.is_object()) return;
  for (const auto& [name, member] : node.items()) {
    const std::string place = member_path(path, name);
    if (name == "values" || name == "datasets") continue;
    if (name == "data" && member.is_object() && member.contains("url")) {
      refuse(member_path(place, "url"), "pages do not load data; give them as \"values\"");
    } else if (name == "mark" &&
               (member == "image" || (member.is_object() && member.value("type", SpecJson()) == "image"))) {
      refuse(place, "a plot shows no images from files; give them to image()");
    } else {
      find_files(member, place, problems);
    }
  }
}

/// One datum says as much to the schema as all of them.
void keep_first_datum(SpecJson& data) {
  if (data.is_array() && data.size() > 1) data.erase(data.begin() + 1, data.end());
}

void shorten_data(SpecJson& node) {
  for (auto& [name, member] : node.items()) {
    if (name == "data" && member.is_object() && member.contains("values")) {
      keep_first_datum(member["values"]);
    } else if (name == "datasets" && member.is_object()) {
      for (auto& [dataset, values] : member.items()) keep_first_datum(values);
    } else if (member.is_structured()) {
      shorten_data(member);
    }
  }
}

/// What the validator says of the deepest place: for rules that schema_problems does not know.
std::string deepest_error(valijson::ValidationResults& results) {
  valijson::ValidationResults::Error error, deepest;
  while (results.popError(error)) {
    if (error.context.size() >= deepest.context.size()) deepest = error;
  }
  std::string place;
  for (std::size_t i = 1; i < deepest.context.size(); ++i) {
    const std::string name = deepest.context[i].substr(1, deepest.context[i].size() - 2);  // of "[name]"
    const bool item = std::all_of(name.begin(), name.end(), is_digit);
    if (item) {
      place += deepest.context[i];
    } else {
      place = member_path(place, name);
    }
  }
  return (place.empty() ? "" : place + ": ") + deepest.description + "; correct it";
}

}  // namespace

struct PlotCheck::Schema {
  explicit Schema(const std::string& text) : json(SpecJson::parse(text)) {
    valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(json), compiled);
  }

  SpecJson json;
  valijson::Schema compiled;
};

PlotCheck::PlotCheck(std::filesystem::path templates) : templates_(std::move(templates)) {}
PlotCheck::PlotCheck(PlotCheck&&) noexcept = default;
PlotCheck& PlotCheck::operator=(PlotCheck&&) noexcept = default;
PlotCheck::~PlotCheck() = default;

std::vector<std::string> PlotCheck::problems(const std::string& text) {
  std::vector<std::string> found;
  SpecJson spec = read_spec(text, found);
  if (!found.empty()) return found;
  std::vector<std::string> fields = field_problems(spec);
  find_files(spec, "", fields);
  shorten_data(spec);
  if (!schema_) schema_ = std::make_unique<Schema>(read_file(templates_ / "vega-lite-schema.json"));
  valijson::Validator validator;
  const NlohmannJsonAdapter target(spec);
  if (validator.validate(schema_->compiled, target, nullptr)) return fields;
  found = schema_problems(schema_->json, spec);
  if (!found.empty()) return found;
  valijson::ValidationResults results;
  validator.validate(schema_->compiled, target, &results);
  return {deepest_error(results)};
}

}  // namespace lectern
