#pragma once

#include <memory>
#include <string_view>

#include <tree_sitter/api.h>

namespace lectern {

struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using TreeHandle = std::unique_ptr<TSTree, TreeDeleter>;

/// "cuda" or "cpp", by the name of a file.
std::string_view source_language(std::string_view path);

/// The grammar of a language as named by a trace's source. CUDA's is for CUDA only: it supports less of
/// modern C++, and takes `a < b, c > d` and `a < b.c` for templates.
const TSLanguage* grammar(std::string_view language);

/// Never null: tree-sitter makes a tree of any bytes.
TreeHandle parse(std::string_view source, std::string_view language);

}  // namespace lectern
