#!/usr/bin/env bash
# length.sh REPOSITORY: no source of the engine or the kernels has more than 400 lines. (clang-tidy counts those of functions.)
set -euo pipefail
cd -- "$1"
find engine kernels -type f -regex '.*\.\(cpp\|h\|cu\|cuh\)' -exec awk '
  FNR == 401 {print FILENAME ": more than 400 lines; divide it"; long = 1}
  END {exit long}' {} +
