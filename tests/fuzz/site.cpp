// Whatever bytes come: a trace of them makes a page that can do nothing, and that is no larger than renderers
// state.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "site/data.h"
#include "site/inert_html.h"
#include "site/page.h"
#include "site/render.h"
#include "site/trace_builder.h"
#include "trace/decode.h"
#include "trace/reader.h"

namespace {

void expect_inert(std::string_view html) {
  for (const std::string& part : lectern::test::active_parts(html)) {
    std::fprintf(stderr, "%s in %.*s\n", part.c_str(), static_cast<int>(html.size()), html.data());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lectern::Trace trace;
  try {
    trace = lectern::parse_trace(text, "fuzz.json");
  } catch (const lectern::Error&) {  // what is no trace is refused
    return 0;
  }
  const lectern::test::Page page(trace);
  expect_inert(page.body);
  std::size_t shown = page.body.size();
  for (const std::string& html : page.steps.html.all()) {
    expect_inert(html);
    shown += html.size();
  }
  const std::string script = lectern::page_data(trace, page.steps);
  if (script.find('<') != std::string::npos) std::abort();
  if (!lectern::Json::accept(script.substr(8, script.size() - 11))) std::abort();
  if (shown > lectern::kPageGrowth * size + (64 << 10)) {
    std::fprintf(stderr, "a page of %zu bytes of a trace of %zu\n", shown, size);
    std::abort();
  }
  return 0;
}
