# A bundle whose programs and GPU are made up, for the tests of `run`; sourced with RUN, its script.
# shellcheck shell=bash disable=SC2034,SC2154 # by those that source it
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
bundle="$work/a bundle"
mkdir -p -- "$bundle/bin" "$bundle/lib" "$bundle/lists" "$bundle/lectures/figures" "$bundle/data" "$work/tools"
cp -- "$RUN" "$bundle/run"
printf 'abc1234\narchitectures 90\n' >"$bundle/commit"
for list in tests sanitizer profile lectures; do : >"$bundle/lists/$list"; done

program() { # FILE COMMANDS
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$1"
  chmod +x -- "$1"
}
program "$work/tools/nvidia-smi" 'echo "Made Up 9000, 580.1, 1 MiB"'
today=$(date +%F)-made-up-9000

fail() {
  printf 'failed: %s\n' "$*" >&2
  cat -- "$work/said" >&2
  exit 1
}
# run STATUS ARGUMENTS…: from another folder; what it says is in said.
run() {
  local expected=$1 status=0
  shift
  (cd / && PATH=$work/tools:$PATH "$bundle/run" "$@") >"$work/said" 2>&1 || status=$?
  ((status == expected)) || fail "\`run $*\`: exit status $status instead of $expected"
}
said() { grep -q -- "$1" "$work/said" || fail "it does not say: $1"; }
wrote() { grep -q -- "$2" "$results/$1" || { cat -- "$results/$1" >&2 && fail "$1 does not say: $2"; }; }
