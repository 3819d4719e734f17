#include "site/pack.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "site/zstandard.h"

namespace lectern {

std::string pack(const Packed& packed) {
  nlohmann::json index = {
      {"files", nlohmann::json::array()}, {"scripts", packed.scripts}, {"parts", packed.parts}};
  std::string contents;
  for (const auto& [name, content] : packed.files) {
    index["files"].push_back(nlohmann::json::array({name, content.size()}));
    contents += content;
  }
  const std::string text = index.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(text.size() >> shift & 0xFFU);
  return base64(zstandard(bytes + text + contents, Effort::most));
}

}  // namespace lectern
