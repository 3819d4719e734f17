#include "ops/declared_operations.h"

#include <cctype>
#include <regex>

#include "base/files.h"
#include "kernels/reduction_table.h"

namespace lectern::test {
namespace {

/// Without what stands in quotes, and comments.
std::string only_code(const std::string& text) {
  const std::regex quotes_and_comments("\"(?:[^\"\\\\\n]|\\\\.)*\"|//[^\n]*");
  return std::regex_replace(text, quotes_and_comments, "");
}

}  // namespace

std::filesystem::path repository() {
  const std::filesystem::path sources = LECTERN_SOURCE_DIR;
  return std::filesystem::exists(sources / "engine/ops") ? sources : std::filesystem::path();
}

std::set<std::string> declared_operations(const std::filesystem::path& header, Declares what) {
  const std::string text = read_file(header), indentation = what == Declares::methods ? "  " : "";
  const std::regex declaration(
      "\n" + indentation +
      "(?:Tensor|const Tensor&|ValuesAndIndices|Packed|einops::AxisSizes|std::vector<Tensor>|bool) "
      "([a-z][a-z0-9_]*)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at)
    names.insert((*at)[1].str());
  names.erase("name");  // the parameter of a table's macro
  return names;
}

std::set<std::string> operations_of_folder(const std::filesystem::path& folder,
                                           const std::set<std::string>& inner) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& header = entry.path();
    if (header.extension() == ".h" && !inner.contains(header.stem().string()))
      names.merge(declared_operations(header, Declares::functions));
  }
  return names;
}

std::set<std::string> operations_of_tables() {
  return {
#define LECTERN_ROW(name, ...) #name,
      LECTERN_REDUCTION_FUNCTIONS(LECTERN_ROW) LECTERN_SCANS(LECTERN_ROW) LECTERN_ROW_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  };
}

std::string code_of_tests(const std::filesystem::path& folder,
                          const std::function<bool(const std::string&, const std::string&)>& keep) {
  std::string code;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with("_test.cpp")) continue;
    const std::string text = read_file(entry.path());
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t next = text.find("\nTEST", at + 1);
      const std::string test = text.substr(at, next - at);
      if (keep(name, test)) code += only_code(test);
      at = next;
    }
  }
  return code;
}

bool is_called(const std::string& code, const std::string& name) {
  for (std::size_t at = code.find(name + "("); at != std::string::npos; at = code.find(name + "(", at + 1)) {
    const bool is_part =
        at > 0 && (std::isalnum(static_cast<unsigned char>(code[at - 1])) != 0 || code[at - 1] == '_');
    const bool is_of_std = at >= 5 && code.compare(at - 5, 5, "std::") == 0;  // std::max
    if (!is_part && !is_of_std) return true;
  }
  return false;
}

}  // namespace lectern::test
