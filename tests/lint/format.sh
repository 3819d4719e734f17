#!/usr/bin/env bash
# format.sh CLANG_FORMAT REPOSITORY: every source looks as .clang-format says. Fixtures and inputs of fuzzers stay as they are.
set -euo pipefail
find "$2/engine" "$2/kernels" "$2/tests" -type d \( -name fixtures -o -name constructs -o -name corpus \) -prune -o \
  -type f -regex '.*\.\(cpp\|h\|cu\|cuh\)' -print0 | xargs -0 "$1" --dry-run -Werror
