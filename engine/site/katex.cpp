#include <cstddef>
#include <cstdlib>
#include <utility>

#include <duktape.h>
#include <malloc.h>

#include "base/error.h"
#include "base/html.h"
#include "site/math.h"

// KaTeX is embedded in the executable, so that an installed tool needs no file to typeset.
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

/// The engine's memory; a formula that needs more than the limit fails with an exception.
class Memory {
 public:
  static void* allocate(void* memory, duk_size_t size) { return reallocate(memory, nullptr, size); }
  static void* reallocate(void* memory, void* block, duk_size_t size) {
    auto& self = *static_cast<Memory*>(memory);
    const std::size_t before = block == nullptr ? 0 : malloc_usable_size(block);
    if (self.used_ - before + size > kMost) return self.refused_ = true, nullptr;
    void* const moved = std::realloc(block, size);
    if (moved != nullptr || size == 0) self.used_ += malloc_usable_size(moved) - before;
    return moved;
  }
  /// Whether an allocation has failed since the last call.
  bool take_refused() { return std::exchange(refused_, false); }

  static void release(void* memory, void* block) {
    if (block == nullptr) return;
    static_cast<Memory*>(memory)->used_ -= malloc_usable_size(block);
    std::free(block);
  }

 private:
  static constexpr std::size_t kMost = std::size_t{24} << 20;
  std::size_t used_ = 0;
  bool refused_ = false;
};

/// How many formulas may exceed their limits before no more are tried.
constexpr int kMostCostly = 8;

/// The most HTML per byte of a formula: macros could make it grow without bound.
bool is_in_proportion(const std::string& html, const Formula& formula) {
  return html.size() <= 4096 + 400 * formula.tex.size();
}

}  // namespace

struct MathTypesetter::Engine {
  Memory memory;
  int costly = 0;
  duk_context* context =
      duk_create_heap(Memory::allocate, Memory::reallocate, Memory::release, &memory, nullptr);

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
    if (costly == kMostCostly) {
      result = "formulas before it were too long";
      return false;
    }
    duk_get_global_string(context, "lecternTypeset");
    duk_push_lstring(context, formula.tex.data(), formula.tex.size());
    duk_push_boolean(context, formula.display);
    const bool ok = duk_pcall(context, 2) == DUK_EXEC_SUCCESS;
    duk_size_t size = 0;
    const char* const text = duk_safe_to_lstring(context, -1, &size);
    result.assign(text, size);
    duk_pop(context);
    const bool refused = memory.take_refused();
    const bool too_long = ok ? !is_in_proportion(result, formula) : refused;
    if (!too_long) return ok;
    ++costly;
    result = "what its macros make of it is too long";
    return false;
  }
};

MathTypesetter::MathTypesetter() = default;
MathTypesetter::~MathTypesetter() = default;

const std::string& MathTypesetter::typeset(const Formula& formula) {
  const auto [entry, is_new] = typeset_.try_emplace(formula_source(formula));
  if (!is_new) return entry->second;
  if (engine_ == nullptr) engine_ = std::make_unique<Engine>();
  std::string result;
  if (engine_->typeset(formula, result)) {
    // One that is wider than the window scrolls, for those without a mouse, too.
    if (formula.display) result.insert(std::string_view("<span").size(), " tabindex=\"0\"");
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
