// engine/ops/operations.md, which lists the operations that are there and those of PyTorch that are not. It
// is made from the tables and the headers that declare them:
//
//   LECTERN_OPERATIONS=write build/release/tests/ops/test_ops --gtest_filter='OperationsTable.*'
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "kernels/elementwise_gradients.h"
#include "kernels/elementwise_table.h"
#include "kernels/reduction_table.h"
#include "ops/declared_operations.h"

namespace lectern {
namespace {

using Names = std::set<std::string>;

/// What is not an operation, or is one by another name.
const Names kNotListed = {
    "defined",        "alias",         "grad",          "mutable_grad",        "retain_grad",
    "requires_grad_", "requires_grad", "is_contiguous", "is_floating_point",   "is_cuda",
    "is_leaf",        "is_pinned",     "is_same",       "split_evenly",        "sum_to",
    "as_rows",        "matmul_sums",   "biased_matmul", "matmul_and_row_sums", "fits"};
/// PyTorch's names of what has another one here, or is C++.
const std::map<std::string, std::string> kByOtherNames = {
    {"gelu_tanh", "gelu"},
    {"to_float", "float"},
    {"to_double", "double"},
    {"to_half", "half"},
    {"to_bfloat16", "bfloat16"},
    {"to_int", "int"},
    {"to_long", "long"},
    {"to_bool", "bool"},
    {"unique", "unique"},
    {"numel", "numel"},
    {"dim", "dim"},
    {"size", "size"},
    {"element_size", "element_size"},
    {"LSTM", "lstm"},
    {"tolist", "tolist"},
    {"item", "item"},
    {"backward", "backward"},
    {"set_data", "data"},
    {"scaled_dot_product_attention", "scaled_dot_product_attention"}};

std::string row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string listed(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

std::string computed_dtype(const std::string& rule) {
  static const std::map<std::string, std::string> kRules = {{"same", "any"},
                                                            {"any_numeric", "any but bool"},
                                                            {"integer", "integers"},
                                                            {"bits", "integers and bool"},
                                                            {"floating", "floating"},
                                                            {"real", "floating; integers become it"},
                                                            {"predicate", "any; the result is bool"}};
  return kRules.at(rule);
}

bool has_gradient(kernels::GradientReads reads) {
  return reads != kernels::GradientReads::zero && reads != kernels::GradientReads::none;
}

std::string elementwise_rows() {
  std::string text = row({"operation", "operands", "dtypes", "autocast", "gradient"}) +
                     row({"---", "---", "---", "---", "---"});
#define LECTERN_ROW(name, Functor, rule, autocast)                   \
  text += row({"`" #name "`", "1", computed_dtype(#rule), #autocast, \
               has_gradient(kernels::gradient_reads(kernels::Unary::name)) ? "yes" : "–"});
  LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
#define LECTERN_ROW(name, Functor, rule, autocast)                                                    \
  text += row({"`" #name "`", "2", computed_dtype(#rule), #autocast,                                  \
               has_gradient(kernels::gradient_reads(kernels::Binary::name, kernels::Side::a)) ||      \
                       has_gradient(kernels::gradient_reads(kernels::Binary::name, kernels::Side::b)) \
                   ? "yes"                                                                            \
                   : "–"});
  LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  return text;
}

Names elementwise_names() {
  return {
#define LECTERN_ROW(name, ...) #name,
      LECTERN_UNARY_OPERATIONS(LECTERN_ROW) LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  };
}

Names without_inner(Names names) {
  std::erase_if(names, [](const std::string& name) {
    return kNotListed.contains(name) || name.ends_with("_backward") || name.starts_with("operator");
  });
  return names;
}

/// Each header of engine/ops that declares functions, with them.
std::map<std::string, Names> functions_by_header(const std::filesystem::path& sources) {
  std::map<std::string, Names> found;
  const auto add = [&](const std::filesystem::path& header, const std::string& shown) {
    const Names names = without_inner(test::declared_operations(header, test::Declares::functions));
    if (!names.empty()) found[shown] = names;
  };
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources / "engine/ops")) {
    if (entry.path().extension() == ".h" && !test::kInnerHeaders.contains(entry.path().stem().string()))
      add(entry.path(), std::filesystem::relative(entry.path(), sources / "engine/ops").string());
  }
  add(sources / "engine/tensor/creation.h", "../tensor/creation.h");
  found["unique.h"].insert("unique");  // returns a struct of its own
  found["reductions.h"].merge(test::operations_of_tables());
  return found;
}

/// Those that are not elementwise.
Names methods_of_tensor(const std::filesystem::path& sources) {
  Names methods =
      without_inner(test::declared_operations(sources / "engine/tensor/tensor.h", test::Declares::methods));
  for (const std::string& name : elementwise_names()) methods.erase(name);
  for (const std::string_view name : {"T", "item", "mT", "tolist", "unique"})  // of other types or spelling
    methods.emplace(name);
#define LECTERN_ROW(name, ...) methods.insert(#name);
  LECTERN_REDUCTION_FUNCTIONS(LECTERN_ROW)
  LECTERN_SCANS(LECTERN_ROW)
#undef LECTERN_ROW
  return methods;
}

/// By the namespace, PyTorch's names that are neither in `here` nor in an earlier namespace.
std::map<std::string, Names> missing_names(const std::filesystem::path& sources, const Names& here) {
  std::map<std::string, Names> missing;
  Names seen = here;
  for (const auto& [ours, torchs] : kByOtherNames) seen.insert(torchs);
  std::istringstream lines(read_file(sources / "tests/ops/goldens/torch_names.txt"));
  std::string line;
  std::getline(lines, line);  // the version
  while (std::getline(lines, line)) {
    const std::size_t dot = line.rfind('.');
    const std::string space = line.substr(0, dot), name = line.substr(dot + 1);
    if (!name.ends_with("_") && seen.insert(name).second) missing[space].insert(name);
  }
  return missing;
}

/// The classes that each header of a room declares, but for `inner` ones.
std::map<std::string, Names> classes_by_header(const std::filesystem::path& room, const Names& inner) {
  static const std::regex kClass("\nclass (\\w+) (: public|\\{)");
  std::map<std::string, Names> found;
  for (const auto& entry : std::filesystem::directory_iterator(room)) {
    if (entry.path().extension() != ".h") continue;
    const std::string text = read_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), kClass), end; at != end; ++at) {
      if (!inner.contains((*at)[1])) found[entry.path().filename().string()].insert((*at)[1]);
    }
  }
  return found;
}

std::string classes_section(const std::filesystem::path& sources, const std::string& title,
                            const std::string& room, const Names& inner) {
  std::string text = "\n## " + title + "\n\n" + row({"header", "classes"}) + row({"---", "---"});
  for (const auto& [header, names] : classes_by_header(sources / "engine" / room, inner))
    text += row({"[" + header + "](../" + room + "/" + header + ")", listed(names)});
  return text;
}

std::string operations_page(const std::filesystem::path& sources) {
  std::string text =
      "# Operations\n\nMade from the tables and headers that declare them by "
      "tests/ops/operations_table_test.cpp, which "
      "says how to make it anew.\nNames, shapes, dtypes and errors are PyTorch's.\n\n"
      "## Elementwise\n\nFrom [elementwise_table.h](../../kernels/elementwise_table.h). Each is a function, "
      "a method and, "
      "with `_` after its name, changes its\ntensor in place.\n\n";
  text += elementwise_rows();
  text += "\n## Functions\n\n" + row({"header", "operations"}) + row({"---", "---"});
  Names here = elementwise_names();
  for (const auto& [header, names] : functions_by_header(sources)) {
    text += row({"[" + header + "](" + header + ")", listed(names)});
    here.insert(names.begin(), names.end());
  }
  const Names methods = methods_of_tensor(sources);
  text += "\n## Methods of Tensor\n\nBeside the elementwise ones: " + listed(methods) + ".\n";
  here.insert(methods.begin(), methods.end());
  text += classes_section(sources, "Modules", "nn",
                          {"Activation", "AdaptivePool", "BatchNorm", "Conv", "LossOfClasses",
                           "LossOfDifferences", "LossWithinBound", "Module", "Parameter", "Pool"});
  text += classes_section(sources, "Optimizers and schedulers", "optim",
                          {"DenseView", "FusedOptimizer", "FusedStep", "LRScheduler", "LbfgsHistory",
                           "Optimizer", "Option", "ParamGroup", "Params"});
  text +=
      "\n## Not there\n\nOperations of PyTorch 1.13 without one of that name here, aliases among them; what "
      "modules do is not among\nthem.\n\n" +
      row({"namespace", "operations"}) + row({"---", "---"});
  for (const auto& [space, names] : missing_names(sources, here)) text += row({space, listed(names)});
  return text;
}

TEST(OperationsTable, IsThatOfTheSources) {
  const std::filesystem::path sources = test::repository();
  if (sources.empty()) GTEST_SKIP() << "the sources are not here";
  const std::filesystem::path page = sources / "engine/ops/operations.md";
  const std::string made = operations_page(sources);
  const char* const how = std::getenv("LECTERN_OPERATIONS");
  if (how != nullptr && std::string(how) == "write") write_file(page, made);
  EXPECT_EQ(read_file(page), made) << "engine/ops/operations.md is stale; this file says how to make it anew";
}

}  // namespace
}  // namespace lectern
