#include "site/schema_problems.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/nearest.h"
#include "site/spec_path.h"

namespace lectern {
namespace {

struct Problem {
  enum class Kind { word, type, missing, unknown } kind;
  std::string path;
  std::string found;                  ///< the value or the name of a property, as the author wrote it
  std::vector<std::string> expected;  ///< words, types or names of properties
  std::string suggestion;
  int cost;  ///< how far the value is from what was expected
};
using Problems = std::vector<Problem>;

/// A form that is wrong in a part of it is nearer than one that is wrong itself.
constexpr int kTypo = 1, kOtherWord = 3, kInside = 5, kNoSuchProperty = 10, kOtherType = 20;

int total_cost(const Problems& problems) {
  return std::accumulate(problems.begin(), problems.end(), 0,
                         [](int sum, const Problem& problem) { return sum + problem.cost; });
}

void add_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& word : more) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
  }
}

bool has_type(const SpecJson& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  return json_type(value) == type;
}

std::vector<std::string> member_names(const SpecJson& object) {
  std::vector<std::string> names;
  for (const auto& [name, member] : object.items()) names.push_back(name);
  return names;
}

class Explainer {
 public:
  explicit Explainer(const SpecJson& root) : root_(root) {}

  /// Each pair of schema and value once: alternatives inside alternatives would multiply.
  const Problems& explain(const SpecJson& schema, const SpecJson& value, const std::string& path) {
    const auto key = std::pair(&schema, &value);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Problems found = find_problems(schema, value, path);
    return known_[key] = std::move(found);
  }

 private:
  Problems find_problems(const SpecJson& schema, const SpecJson& value, const std::string& path) {
    std::vector<const SpecJson*> forms;
    add_forms(schema, forms);
    if (forms.size() > 1) return nearest_form(forms, value, path);
    if (forms[0] != &schema) return explain(*forms[0], value, path);
    Problems found = check_words(schema, value, path);
    if (found.empty()) found = check_type(schema, value, path);
    if (!found.empty()) return found;
    if (value.is_object()) return check_object(schema, value, path);
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i)
        append_inside(found, explain(schema["items"], value[i], item_path(path, i)));
    }
    return found;
  }

  /// The alternatives that a schema leads to, itself if it has none.
  void add_forms(const SpecJson& schema, std::vector<const SpecJson*>& forms) const {
    if (const auto reference = schema.find("$ref"); reference != schema.end()) {
      const std::string pointer = reference->get<std::string>().substr(1);  // after "#"
      add_forms(root_.at(SpecJson::json_pointer(pointer)), forms);
    } else if (const auto any = schema.find("anyOf"); any != schema.end()) {
      for (const SpecJson& form : *any) add_forms(form, forms);
    } else {
      forms.push_back(&schema);
    }
  }

  /// The problems of the form that fits best. Forms that fit as well are one problem: any of their words.
  Problems nearest_form(const std::vector<const SpecJson*>& forms, const SpecJson& value,
                        const std::string& path) {
    std::vector<Problems> all;
    for (const SpecJson* form : forms) {
      all.push_back(explain(*form, value, path));
      if (all.back().empty()) return {};
    }
    for (Problems& problems : all) {
      for (Problem& problem : problems) {
        // What another form knows is no misspelling.
        if (problem.suggestion.empty() || problem.path != path || !knows_property(all, problem)) continue;
        problem.suggestion.clear();
        problem.cost = kNoSuchProperty;
      }
    }
    const auto least = std::min_element(all.begin(), all.end(), [](const Problems& a, const Problems& b) {
      return total_cost(a) < total_cost(b);
    });
    Problems best = *least;
    const auto missing = std::find_if(best.begin(), best.end(), [&](const Problem& problem) {
      return problem.kind == Problem::Kind::missing && problem.path == path;
    });
    const bool alike = missing != best.end() && std::count_if(all.begin(), all.end(), [&](const auto& other) {
                                                  return total_cost(other) == total_cost(*least);
                                                }) > 1;
    if (alike) {
      best = {*missing};
      best[0].cost = total_cost(*least);
    }
    if (best.size() > 1) return best;
    for (const Problems& other : all) {
      const bool as_near = total_cost(other) == total_cost(*least);
      for (const Problem& problem : other) {
        const bool same = problem.kind == best[0].kind && problem.path == best[0].path;
        if (same && (best[0].kind == Problem::Kind::missing ? as_near : other.size() == 1)) {
          add_new(best[0].expected, problem.expected);
        }
      }
    }
    return best;
  }

  /// Whether one of the forms takes the property that is unknown to another.
  static bool knows_property(const std::vector<Problems>& forms, const Problem& unknown) {
    if (unknown.kind != Problem::Kind::unknown) return false;
    return std::any_of(forms.begin(), forms.end(), [&unknown](const Problems& problems) {
      return std::none_of(problems.begin(), problems.end(), [&unknown](const Problem& problem) {
        const bool is_object =
            problem.kind == Problem::Kind::missing || problem.kind == Problem::Kind::unknown;
        return problem.path == unknown.path && (!is_object || problem.found == unknown.found);
      });
    });
  }

  static Problems check_words(const SpecJson& schema, const SpecJson& value, const std::string& path) {
    SpecJson words = schema.value("enum", SpecJson::array());
    if (schema.contains("const")) words.push_back(schema["const"]);
    if (words.empty() || std::find(words.begin(), words.end(), value) != words.end()) return {};
    if (!has_type(value, json_type(words[0]))) {
      return {{Problem::Kind::type, path, as_json(value), {json_type(words[0])}, "", kOtherType}};
    }
    Problem problem{Problem::Kind::word, path, as_json(value), {}, "", kOtherWord};
    std::vector<std::string> plain;
    for (const SpecJson& word : words) {
      problem.expected.push_back(as_json(word));
      if (word.is_string()) plain.push_back(word);
    }
    if (value.is_string()) problem.suggestion = nearest(value, plain);
    if (!problem.suggestion.empty()) problem.cost = kTypo;
    return {problem};
  }

  static Problems check_type(const SpecJson& schema, const SpecJson& value, const std::string& path) {
    if (!schema.contains("type")) return {};
    std::vector<std::string> types;
    if (schema["type"].is_string()) {
      types.push_back(schema["type"]);
    } else {
      schema["type"].get_to(types);
    }
    if (std::any_of(types.begin(), types.end(), [&](const auto& type) { return has_type(value, type); }))
      return {};
    return {{Problem::Kind::type, path, as_json(value), types, "", kOtherType}};
  }

  Problems check_object(const SpecJson& schema, const SpecJson& value, const std::string& path) {
    Problems found;
    const SpecJson known = schema.value("properties", SpecJson::object());
    std::set<std::string> missing;
    for (const SpecJson& name : schema.value("required", SpecJson::array())) {
      if (!value.contains(name)) missing.insert(name);
    }
    const auto others = schema.find("additionalProperties");
    for (const auto& [name, member] : value.items()) {
      if (const auto property = schema.find("properties");
          property != schema.end() && property->contains(name)) {
        append_inside(found, explain((*property)[name], member, member_path(path, name)));
      } else if (others != schema.end() && others->is_object()) {
        append_inside(found, explain(*others, member, member_path(path, name)));
      } else if (others != schema.end() && *others == false) {
        std::vector<std::string> free;
        for (const std::string& candidate : member_names(known)) {
          if (!value.contains(candidate)) free.push_back(candidate);
        }
        const std::string meant = nearest(name, free);
        missing.erase(meant);
        found.push_back({Problem::Kind::unknown, path, as_json(name), member_names(known), meant,
                         meant.empty() ? kNoSuchProperty : kTypo});
      }
    }
    for (const std::string& name : missing)
      found.push_back({Problem::Kind::missing, path, "", {as_json(name)}, "", kNoSuchProperty});
    return found;
  }

  static void append_inside(Problems& all, const Problems& inside) {
    for (const Problem& problem : inside) {
      all.push_back(problem);
      all.back().cost = std::min(problem.cost, kInside);
    }
  }

  const SpecJson& root_;
  std::map<std::pair<const SpecJson*, const SpecJson*>, Problems> known_;
};

std::string list(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 20;
  const auto shown = std::span(words).first(std::min(words.size(), kMost));
  return fmt::format("{}{}", fmt::join(shown, ", "), shown.size() < words.size() ? ", …" : "");
}

std::string add_article(const std::string& type) {
  if (type == "null") return type;
  return (type == "object" || type == "array" || type == "integer" ? "an " : "a ") + type;
}

std::string problem_text(const Problem& problem) {
  const std::string place = problem.path.empty() ? "" : problem.path + ": ";
  const std::string remedy =
      problem.suggestion.empty() ? "" : fmt::format("; did you mean {}?", as_json(problem.suggestion));
  switch (problem.kind) {
    case Problem::Kind::word:
      return fmt::format("{}{} is not one of {}{}", place, problem.found, list(problem.expected),
                         remedy.empty() ? "; write one of these" : remedy);
    case Problem::Kind::type: {
      std::vector<std::string> types;
      for (const std::string& type : problem.expected) types.push_back(add_article(type));
      return fmt::format("{}{} cannot stand here; give {}", place, problem.found, fmt::join(types, " or "));
    }
    case Problem::Kind::missing:
      return problem.expected.size() == 1
                 ? fmt::format("{}{} is missing; add it", place, problem.expected[0])
                 : fmt::format("{}one of {} is missing; add it", place, list(problem.expected));
    case Problem::Kind::unknown:
      break;
  }
  return fmt::format("{}Vega-Lite knows no {} here{}", place, problem.found,
                     remedy.empty() ? "; remove it" : remedy);
}

}  // namespace

std::vector<std::string> schema_problems(const SpecJson& schema, const SpecJson& value) {
  std::vector<std::string> words;
  Explainer explainer(schema);
  for (const Problem& problem : explainer.explain(schema, value, "")) words.push_back(problem_text(problem));
  return words;
}

}  // namespace lectern
