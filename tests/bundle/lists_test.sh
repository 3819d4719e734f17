#!/usr/bin/env bash
# What the lists of a bundle name is there, since GoogleTest is content with a filter that no test has:
# lists_test.sh LISTS BENCH PROGRAM…, tensor_bench and the programs of tests.
set -euo pipefail
lists=$1 bench=$2
shift 2
declare -A programs
for program in "$@"; do programs[$(basename -- "$program")]=$program; done
fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}
while read -r tool program filter; do
  [[ $tool == memcheck || $tool == racecheck ]] || fail "lists/sanitizer: $tool is none of its tools"
  [[ -n ${programs[$program]:-} ]] || fail "lists/sanitizer: there is no $program"
  without=${filter#*-}
  [[ $without == "$filter" ]] && without=''
  for part in $(tr : ' ' <<<"${filter%%-*}"); do
    "${programs[$program]}" --gtest_list_tests --gtest_filter="$part${without:+-$without}" | grep '^ ' >/dev/null ||
      fail "lists/sanitizer: $program has no test $part"
  done
done <"$lists/sanitizer"
cases=$("$bench" --list cuda)
while read -r case; do
  grep -qx -- "$case" <<<"$cases" || fail "lists/profile: there is no case $case"
done <"$lists/profile"
