#include "lecture/starter.h"

#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "lecture/rendering.h"

namespace lectern {

void not_written(std::string_view what) {
  throw Error(std::string("not written yet").append(what.empty() ? "" : ": ").append(what));
}

void claims::tell(bool held, const char* text, const char* file, int line) {
  print_plain(fmt::format("{} {}:{}: {}", held ? "\u2713" : "\u2717", file, line, text));
}

}  // namespace lectern
