#!/usr/bin/env bash
# A bundle of sources is configured with what it brings along and nothing else of this system: source_test.sh BUILD_TREE.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}
/usr/bin/python3 -B "$(dirname -- "$0")/bundle.py" --source --out "$work/bundle"
size=$(du -sm -- "$work/bundle" | cut -f 1)
((size <= 40)) || fail "it has $size MiB; 40 can be carried"
mkdir "$work/unpacked"
tar -xzf "$work/bundle/files.tar.gz" -C "$work/unpacked"
(cd "$work/unpacked/source" && cmake --preset gpu -C ../dependencies/found.cmake) >"$work/log" 2>&1 || {
  cat -- "$work/log" >&2
  fail 'it cannot be configured'
}
cache=$work/unpacked/source/build/gpu/CMakeCache.txt
while IFS=' ' read -r _ name _; do
  grep -q "^$name:[A-Z]*=$work/unpacked/dependencies/" "$cache" || fail "$name is not the bundle's: $(grep "^$name:" "$cache")"
done < <(grep '^found ' "$1/bundle-sources.txt")
if grep -E '^[^/#].*=/(usr|lib)/.*(openblas|fmt|gtest|gmock|nlohmann|oneapi)' "$cache"; then fail 'these are of the system'; fi
