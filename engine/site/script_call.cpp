#include "site/script_call.h"

#include <nlohmann/json.hpp>

namespace lectern {

std::string script_call(const std::string& function, const nlohmann::json& argument) {
  std::string out = function + '(';
  for (const char c : argument.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003C";
    } else {
      out += c;
    }
  }
  return out + ");\n";
}

}  // namespace lectern
