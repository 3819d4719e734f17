#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lectern {

/// Lines and columns count from 1, columns in bytes; the end is exclusive.
struct TextSpan {
  int line = 0, column = 0, end_line = 0, end_column = 0;

  bool operator==(const TextSpan&) const = default;
};

/// The kinds of statements: one row each, with the name that the format gives it.
#define LECTERN_SITE_KINDS(X) \
  X(statement, "")            \
  X(hook, "hook")             \
  X(claim, "claim")           \
  X(return_, "return")        \
  X(throw_, "throw")          \
  X(branch, "branch")         \
  X(loop, "loop")             \
  X(jump, "jump")

#define LECTERN_SITE_KIND(enumerator, name) enumerator,
enum class SiteKind : std::uint8_t { LECTERN_SITE_KINDS(LECTERN_SITE_KIND) };
#undef LECTERN_SITE_KIND

/// As the format spells them.
#define LECTERN_SITE_KIND(enumerator, name) std::string_view(name),
inline constexpr std::array kSiteKinds{LECTERN_SITE_KINDS(LECTERN_SITE_KIND)};
#undef LECTERN_SITE_KIND

/// As C++ spells them: what an instrumented file says.
#define LECTERN_SITE_KIND(enumerator, name) std::string_view(#enumerator),
inline constexpr std::array kSiteKindEnumerators{LECTERN_SITE_KINDS(LECTERN_SITE_KIND)};
#undef LECTERN_SITE_KIND

inline constexpr std::string_view name(SiteKind kind) {
  return kSiteKinds[static_cast<std::size_t>(kind)];
}

}  // namespace lectern
