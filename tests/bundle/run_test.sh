#!/usr/bin/env bash
# The script of a bundle, with programs and a GPU that are made up: run_test.sh RUN.
# shellcheck disable=SC1091,SC2016,SC2034,SC2154 # the programs expand these, and made_up.sh is sourced
set -euo pipefail
RUN=$(realpath -- "$1")
source "$(dirname -- "$0")/made_up.sh"

# A program of tests as GoogleTest runs them, 90 of them; FAIL_TESTS names some that fail, wherever they run.
for name in test_good test_other; do
  program "$bundle/bin/$name" 'if [[ $* == *list_tests* ]]; then
  echo "Some."
  for i in {1..90}; do echo "  Case$i  # comment"; done
  echo "  DISABLED_Case"
  exit
fi
status=0
for test in $(tr : " " <<<"${1#*=}"); do
  if [[ " ${FAIL_TESTS:-} " == *" $test "* ]]; then
    echo "[  FAILED  ] $test (0 ms)"
    status=1
  else
    echo "[       OK ] $test (0 ms)"
  fi
done
echo "'$name' on $LECTERN_TEST_DEVICE${LECTERN_CUDA_SYNC:+, synchronously}"
cat
exit "$status"'
done
printf 'test_good\ntest_other\n' >"$bundle/lists/tests"
printf 'lecture-one\nlecture-two\n' >"$bundle/lists/lectures"
printf 'memcheck test_good Some.*\nracecheck test_other Other.*:More.*\n' >"$bundle/lists/sanitizer"
printf 'softmax\n' >"$bundle/lists/profile"
program "$bundle/bin/tensor_bench" 'echo "tensor_bench: $*"'
program "$bundle/bin/lectern" 'echo "in $(basename "$PWD") with $(basename "$LECTERN_DATA"): $(basename "$2")"; echo "{}" >"$4"'
program "$work/tools/python3" 'echo "a table: $*"; exit "${FAIL_BENCH:-0}"'
program "$work/tools/compute-sanitizer" 'echo "sanitizer: $*"; exit "${FAIL_SANITIZER:-0}"'
program "$work/tools/ncu" 'echo "ncu: $*"'

program "$work/tools/nvidia-smi" 'exit 9'
run 3
said 'there is no GPU here'
[[ ! -e $bundle/results ]] || fail 'there are results without a GPU'
program "$work/tools/nvidia-smi" 'echo "Made Up 9000, 580.1, 1 MiB"'

run 0 --help
said '^usage: ./run'
run 2 --nonsense
run 2 one two
run 2 --budget
run 2 --budget soon
run 2 --only tests,everything
said 'there is no part `everything`'

# All of it, in the folder that is named.
run 0 --budget 540 "$work/out"
[[ $(ls "$work/out/results") == "$today" ]] || fail "results are in $(ls "$work/out/results")"
results=$work/out/results/$today
wrote summary.txt 'Made Up 9000, 580.1, 1 MiB'
wrote summary.txt 'commit abc1234, architectures 90'
wrote summary.txt 'everything passed'
[[ $(sed -nE 's/^([a-z]+): passed.*/\1/p' "$results/summary.txt" | xargs) == 'ceilings benchmarks tests sanitizer profile lectures' ]] ||
  fail 'the parts are not in their order'
wrote bench.txt 'a table: -B tests/bench/bench.py --device cuda --program bin/tensor_bench .* ceiling_$'
wrote bench.txt 'a table: .* --device cuda .* --limit [1-9][0-9]* --against torch$'
wrote tests.txt '^test_good.1of3 begins'
wrote tests.txt '^test_other.3of3: 30 passed'
wrote tools.txt '^sanitizer: --tool memcheck .* bin/test_good .*=Some\.\*'
wrote tools.txt '^sanitizer: --tool racecheck .* bin/test_other .*=Other\.\*:More\.\*'
wrote tools.txt '^ncu: --clock-control none .* softmax'
wrote lectures.txt '^in lectures with data: lecture-two'
tar -tzf "$results/traces.tar.gz" | grep '^traces/one.json$' >/dev/null || fail 'the trace was not kept'
(($(find "$results" -type f | wc -l) <= 8)) || fail "there are more than 8 files: $(ls "$results")"

# To $OUT, and again on the same day; what fails stops nothing else.
export OUT=$work/again
run 0 --only lectures
FAIL_TESTS='Some.Case7 Some.Case80' FAIL_BENCH=1 FAIL_SANITIZER=9 run 1
results=$OUT/results/$today-2
for part in ceilings benchmarks tests sanitizer; do wrote summary.txt "^$part: FAILED"; done
for part in profile lectures; do wrote summary.txt "^$part: passed"; done
wrote tests.txt '^FAILS alone (exit status 1): test_good Some.Case80$'
wrote tests.txt '^test_other on cuda, synchronously$'
wrote tests.txt '^those that did not pass, once more: 4 fail alone, 0 pass, 0 were not reached$'

# Packed as it is carried, it unpacks itself.
mkdir "$work/packed"
tar -C "$bundle" -czf "$work/packed/files.tar.gz" --exclude=./run --exclude=./results .
mv -- "$bundle/run" "$work/packed"
bundle=$work/packed
run 0 --only lectures
run 0 --only lectures # unpacked already
results=$OUT/results/$today-4
wrote lectures.txt '^in lectures with data: lecture-one'
printf 'nonsense' >"$bundle/files.tar.gz" && rm -r -- "$bundle/unpacked"
run 1
said 'files.tar.gz cannot be unpacked'
