// Whatever bytes come as references: they are read, or refused at a line that they have.

#include "base/bibtex.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bibtex_text.h"
#include "base/error.h"
#include "base/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    for (const lectern::BibEntry& entry : lectern::parse_bibtex(text, "r.bib")) {
      if (entry.key.empty() || entry.line < 1 || entry.line > lines) std::abort();
      for (const lectern::BibEntry::Field& field : entry.fields) {
        if (!lectern::valid_utf8(lectern::text_of_latex(field.value))) std::abort();
        for (const lectern::BibName& name : lectern::names_of_latex(field.value)) {
          if (name.whole.empty() || !lectern::valid_utf8(name.whole + name.family)) std::abort();
        }
        lectern::url_of_latex(field.value);
      }
    }
  } catch (const lectern::Error& error) {
    if (!std::string_view(error.what()).starts_with("r.bib:")) std::abort();
  }
  return 0;
}
