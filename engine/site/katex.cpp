#include <cstddef>
#include <utility>

#include <duktape.h>

#include "base/error.h"
#include "site/html.h"
#include "site/math.h"

// KaTeX's program becomes part of ours, so that an installed tool needs no file to typeset.
__asm__(
    ".section .rodata\n"
    ".global lectern_katex_begin\n"
    ".global lectern_katex_end\n"
    "lectern_katex_begin:\n"
    ".incbin \"" LECTERN_KATEX_JS
    "\"\n"
    "lectern_katex_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const char lectern_katex_begin[];
extern "C" const char lectern_katex_end[];

namespace lectern {
namespace {

// KaTeX asks for a document only to warn of quirks mode.
constexpr const char* kPrepare =
    "var document = {compatMode: 'CSS1Compat'}; var self = this; var window = this;";
constexpr const char* kTypeset =
    "(function (tex, display) { return katex.renderToString(tex, {displayMode: display, throwOnError: true,"
    " strict: 'ignore', trust: false, maxSize: 50, maxExpand: 1000}); })";

}  // namespace

struct MathTypesetter::Engine {
  duk_context* context = duk_create_heap_default();

  Engine() {
    if (context == nullptr) throw Error("the JavaScript engine cannot start; is there memory left?");
    const auto size = static_cast<std::size_t>(lectern_katex_end - lectern_katex_begin);
    const bool failed = duk_peval_string_noresult(context, kPrepare) != 0 ||
                        duk_peval_lstring_noresult(context, lectern_katex_begin, size) != 0 ||
                        duk_peval_string(context, kTypeset) != 0;
    if (failed) throw Error("KaTeX does not load; build with KaTeX 0.16.0 to 0.16.9, which are ES5");
    duk_put_global_string(context, "lecternTypeset");
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() { duk_destroy_heap(context); }

  /// True and the HTML, or false and the reason.
  bool typeset(const Formula& formula, std::string& result) {
    duk_get_global_string(context, "lecternTypeset");
    duk_push_lstring(context, formula.tex.data(), formula.tex.size());
    duk_push_boolean(context, formula.display);
    const bool ok = duk_pcall(context, 2) == DUK_EXEC_SUCCESS;
    duk_size_t size = 0;
    const char* const text = duk_safe_to_lstring(context, -1, &size);
    result.assign(text, size);
    duk_pop(context);
    return ok;
  }
};

MathTypesetter::MathTypesetter() = default;
MathTypesetter::~MathTypesetter() = default;

const std::string& MathTypesetter::typeset(const Formula& formula) {
  const auto [entry, is_new] = typeset_.try_emplace(source_of(formula));
  if (!is_new) return entry->second;
  if (engine_ == nullptr) engine_ = std::make_unique<Engine>();
  std::string result;
  if (engine_->typeset(formula, result)) {
    entry->second = std::move(result);
  } else {
    errors_.push_back(entry->first + ": " + result);
    entry->second = "<code class=\"math-error\" tabindex=\"0\" title=\"" + escape_html(result) + "\">" +
                    escape_html(entry->first) + "</code>";
  }
  return entry->second;
}

std::vector<std::string> MathTypesetter::take_errors() {
  return std::exchange(errors_, {});
}

}  // namespace lectern
