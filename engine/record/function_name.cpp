#include "record/function_name.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "base/error.h"
#include "base/file_mapping.h"
#include "record/text_edit.h"
#include "record/type_name.h"

namespace lectern {
namespace {

/// An address, and where the program's file has it if it is of the program itself.
struct CodeAddress {
  std::uintptr_t address;
  std::optional<std::uintptr_t> in_file;
};

int find_in_first(dl_phdr_info* object, std::size_t, void* data) {
  auto& code = *static_cast<CodeAddress*>(data);
  const std::uintptr_t at = code.address - object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && at - part.p_vaddr < part.p_memsz) code.in_file = at;
  }
  return 1;  // the program comes first, then its libraries
}

template <typename T>
const T* entries(std::string_view file, std::uint64_t offset, std::uint64_t count) {
  const bool fits = offset <= file.size() && count <= (file.size() - offset) / sizeof(T);
  return fits ? reinterpret_cast<const T*>(file.data() + offset) : nullptr;
}

/// What the linker calls the function there; empty if there is none.
std::string symbol_at(std::string_view file, std::uintptr_t at) {
  const auto* const header = entries<ElfW(Ehdr)>(file, 0, 1);
  if (header == nullptr) return {};
  const auto* const sections = entries<ElfW(Shdr)>(file, header->e_shoff, header->e_shnum);
  if (sections == nullptr) return {};
  for (int i = 0; i < header->e_shnum; ++i) {
    const ElfW(Shdr)& table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
    const std::uint64_t count = table.sh_size / sizeof(ElfW(Sym));
    const auto* const symbols = entries<ElfW(Sym)>(file, table.sh_offset, count);
    for (std::uint64_t k = 0; symbols != nullptr && k < count; ++k) {
      const ElfW(Sym)& symbol = symbols[k];
      const bool defined = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
      if (!defined || symbol.st_value != at) continue;
      const std::uint64_t name = sections[table.sh_link].sh_offset + symbol.st_name;
      if (name < file.size()) return std::string(file.substr(name, file.find('\0', name) - name));
    }
  }
  return {};
}

/// "detail::apply<int>" of "int detail::apply<int>(int)".
std::string without_signature(std::string_view text) {
  std::size_t begin = 0, end = text.size();
  for (std::size_t at = 0; at < text.size();) {
    const bool opens = text[at] == '<' || text[at] == '(' || text[at] == '{' || text[at] == '[';
    const std::size_t next = opens ? past_bracket(text, at) : at + 1;
    if (text[at] == '(') end = at;  // the last one: "f(int)::{lambda(int)#1}::_FUN(int)"
    if (text[at] == ' ' && end == text.size()) begin = next;
    at = next;
  }
  return std::string(text.substr(begin, end - begin));
}

std::string short_name(std::string text) {
  replace_all(text, "(anonymous namespace)::", "");
  if (text.find("operator") != std::string::npos) return text;  // "operator<" opens nothing
  std::string name = short_type_name(without_signature(text));
  for (const char* const of_lambda : {"::_FUN", "::__invoke"}) replace_all(name, of_lambda, "");
  return name;
}

/// What the linker calls the function at an address; empty if none begins there.
std::string find_symbol(const void* address) {
  CodeAddress code{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(find_in_first, &code);
  if (code.in_file) {
    try {
      return symbol_at(FileMapping("/proc/self/exe").text(), *code.in_file);
    } catch (const Error&) {  // no /proc
      return {};
    }
  }
  Dl_info info{};
  const bool begins = dladdr(address, &info) != 0 && info.dli_saddr == address;
  return begins ? info.dli_sname : std::string();
}

std::string find_name(const void* address) {
  const std::string symbol = find_symbol(address);
  return short_name(demangled(symbol, symbol));
}

}  // namespace

std::string_view function_name(const void* address) {
  static std::mutex mutex;
  static auto& names = *new std::map<const void*, std::string>;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = names.try_emplace(address);
  if (is_new) entry->second = find_name(address);
  return entry->second;
}

}  // namespace lectern
