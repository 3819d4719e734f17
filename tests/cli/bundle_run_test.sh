#!/usr/bin/env bash
# The script of a bundle, with programs and a GPU that are made up: bundle_run_test.sh RUN.
# shellcheck disable=SC2016 # the programs expand these
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
bundle="$work/a bundle"
mkdir -p -- "$bundle/bin" "$bundle/lib" "$bundle/lectures/figures" "$bundle/data" "$work/tools"
cp -- "$1" "$bundle/run"
printf 'abc1234\narchitectures 80;90\n' >"$bundle/commit"
printf 'test_good\ntest_other\n' >"$bundle/tests.txt"
printf 'lecture-one\n' >"$bundle/lectures.txt"

program() { # FILE COMMANDS
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x -- "$1"
}
for name in test_good test_other; do
  program "$bundle/bin/$name" 'echo "'$name' on $LECTERN_TEST_DEVICE: $*"; cat; exit ${FAIL_TESTS:-0}'
done
program "$bundle/bin/tensor_bench" 'exit 0'
program "$bundle/bin/lectern" 'case $1 in
  bench) echo "a table: $*" ;;
  run) echo "in $(basename "$PWD") with $(basename "$LECTERN_DATA"): $(basename "$2")"; mkdir -p "$(dirname "$4")"; echo "{}" >"$4" ;;
esac'

fail() {
  printf 'failed: %s\n' "$*" >&2
  cat -- "$work/said" >&2
  exit 1
}
run() { # STATUS ARGUMENTS…
  local expected=$1 status=0
  shift
  (cd / && PATH=$work/tools:$PATH "$bundle/run" "$@") >"$work/said" 2>&1 || status=$?
  ((status == expected)) || fail "\`run $*\`: exit status $status instead of $expected"
}
said() { grep -q -- "$1" "$work/said" || fail "it does not say: $1"; }
wrote() { grep -q -- "$2" "$work/results/$1" || { cat "$work/results/$1" >&2 && fail "$1 does not say: $2"; }; }
results() { ls "$1/results"; }

program "$work/tools/nvidia-smi" 'exit 9'
run 3
said 'there is no GPU here'
[[ ! -e $bundle/results ]] || fail 'there are results without a GPU'

program "$work/tools/nvidia-smi" 'echo "Made Up 9000, 580.1, 1 MiB"'
run 0 --help
said '^usage: ./run'
run 2 --nonsense
run 2 one two

# --quick: all but the sanitizer, in the folder that is named; what fails stops nothing else.
program "$work/tools/compute-sanitizer" 'echo "sanitizer: $*"; exit ${FAIL_SANITIZER:-0}'
run 0 --quick "$work/out"
today=$(date +%F)-made-up-9000
[[ $(results "$work/out") == "$today" ]] || fail "results are in $(results "$work/out")"
ln -s "$work/out/results/$today" "$work/results"
wrote summary.txt 'Made Up 9000, 580.1, 1 MiB'
wrote summary.txt 'commit abc1234, architectures 80;90'
wrote summary.txt 'everything passed'
wrote tests.txt '^test_good on cuda: '
wrote tests.txt '^test_other on cuda: '
wrote bench.txt 'a table: bench --device cuda --program bin/tensor_bench'
wrote lectures.txt '^in lectures with data: lecture-one'
tar -tzf "$work/results/traces.tar.gz" | grep -q '^traces/one.json$' || fail 'the trace was not kept'
[[ ! -e $work/results/sanitizer.txt ]] || fail '--quick ran the sanitizer'

# All of it, to $OUT; and again on the same day.
export OUT=$work/again
run 0
ln -sfn "$OUT/results/$today" "$work/results"
for tool in memcheck initcheck racecheck synccheck; do
  wrote sanitizer.txt "^sanitizer: --tool $tool .* bin/test_other "
done
FAIL_TESTS=1 run 1
ln -sfn "$OUT/results/$today-2" "$work/results"
wrote summary.txt '^tests: FAILED'
wrote summary.txt '^compute-sanitizer: passed'
wrote summary.txt '^lectures: passed'
wrote tests.txt '^== test_other: exit status 1,'
FAIL_SANITIZER=9 run 1
ln -sfn "$OUT/results/$today-3" "$work/results"
wrote summary.txt '^compute-sanitizer: FAILED'
