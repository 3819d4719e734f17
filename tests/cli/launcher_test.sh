#!/usr/bin/env bash
# The launcher where things are missing: launcher_test.sh LAUNCHER.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
checkout="$work/a checkout"
mkdir -p -- "$checkout" "$work/bin" "$work/elsewhere"
cp -- "$1" "$checkout/lectern"
ln -s "$checkout/lectern" "$work/link"
for tool in bash env readlink dirname printf mkdir flock; do ln -s "$(command -v "$tool")" "$work/bin/$tool"; done

fail() {
  printf 'failed: %s\n' "$*" >&2
  cat -- "$work/said" >&2
  exit 1
}

# launch ARGUMENTS…: with none of the tools on the PATH and no right to install
launch() {
  status=0
  (cd -- "$work/elsewhere" && PATH=$work/bin LECTERN_INSTALL=no "$work/link" "$@") >"$work/said" 2>&1 || status=$?
  if grep -q 'command not found' "$work/said"; then fail 'the launcher uses what may not be there'; fi
}

launch build
((status == 3)) || fail "exit status $status instead of 3"
grep -q 'apt-get install -y --no-install-recommends g++ cmake ninja-build pkg-config nodejs npm bible-kjv' "$work/said" ||
  fail 'the command to install is not printed'
grep -q 'nothing was changed' "$work/said" || fail 'it does not say that nothing was changed'
[[ ! -e $checkout/build ]] || fail 'something was changed'
if grep -q 'missing:.*fmt' "$work/said"; then fail 'a header that is there is asked for'; fi
if grep -q clang "$work/said"; then fail 'build asks for what only test needs'; fi

launch test
((status == 3)) || fail "test: exit status $status instead of 3"
grep -q 'clang-tidy' "$work/said" || fail 'test does not ask for clang-tidy'

# Asking for help installs nothing, whoever asks.
status=0
(cd -- "$work/elsewhere" && PATH=$work/bin "$work/link" --help) >"$work/said" 2>&1 || status=$?
((status == 3)) || fail "--help: exit status $status instead of 3"

# With one tool there, it is not asked for.
ln -s "$(command -v cmake)" "$work/bin/cmake"
launch build
if grep -q 'missing:.* cmake' "$work/said"; then fail 'cmake is asked for though it is there'; fi
