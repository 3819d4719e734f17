#!/usr/bin/env bash
# tidy.sh CLANG_TIDY BUILD_TREE FILE: clang-tidy finds nothing in a source, compiled as that tree compiles it.
set -euo pipefail
if ! grep -qF "\"$3\"" "$2/compile_commands.json"; then
  printf '%s is not compiled here\n' "$3"
  exit 77
fi
exec "$1" --quiet -p "$2" "$3"
