#include "instrument/grammar.h"

#include <cstdint>
#include <limits>
#include <stdexcept>

extern "C" const TSLanguage* tree_sitter_cpp(void);
extern "C" const TSLanguage* tree_sitter_cuda(void);
extern "C" const TSLanguage* tree_sitter_python(void);

namespace lectern {

std::string_view source_language(std::string_view path) {
  return path.ends_with(".cu") || path.ends_with(".cuh") ? "cuda" : "cpp";
}

const TSLanguage* grammar(std::string_view language) {
  if (language == "python") return tree_sitter_python();
  return language == "cuda" ? tree_sitter_cuda() : tree_sitter_cpp();
}

TreeHandle parse(std::string_view source, std::string_view language) {
  if (source.size() > std::numeric_limits<std::uint32_t>::max() / 2)
    throw std::length_error("source too long to parse");
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
  if (!ts_parser_set_language(parser.get(), grammar(language))) {
    throw std::logic_error("the grammar does not fit the tree-sitter library");
  }
  return TreeHandle(ts_parser_parse_string(parser.get(), nullptr, source.data(),
                                           static_cast<std::uint32_t>(source.size())));
}

}  // namespace lectern
