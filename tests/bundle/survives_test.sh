#!/usr/bin/env bash
# A test that hangs, one that crashes, one that is wrong and one that breaks the GPU's context cost only themselves:
# survives_test.sh RUN FAULTS, a program of such tests (faults.cpp).
# shellcheck disable=SC1091,SC2016,SC2034,SC2154 # the programs expand these, and made_up.sh is sourced
set -euo pipefail
RUN=$(realpath -- "$1")
source "$(dirname -- "$0")/made_up.sh"
ln -s -- "$(realpath -- "$2")" "$bundle/bin/bundle_faults"
printf 'bundle_faults\n' >"$bundle/lists/tests"
printf 'lecture-hangs\nlecture-works\n' >"$bundle/lists/lectures"
program "$bundle/bin/lectern" '[[ $2 != *hangs ]] || sleep 1000
echo "lecture"
echo "{}" >"$4"'

start=$SECONDS
run 1 --budget 60 --only tests,lectures "$work/out"
((SECONDS - start <= 60)) || fail "60 seconds were its budget, and it took $((SECONDS - start))"
results=$work/out/results/$today
for test in Hangs Crashes BreaksTheContext IsWrong; do wrote tests.txt "^FAILS alone (.*): bundle_faults Faults.$test$"; done
wrote tests.txt '^FAILS alone (hangs): bundle_faults Faults.Hangs$'
wrote tests.txt '^FAILS alone (exit status 137): bundle_faults Faults.Crashes$'
wrote tests.txt ': 4 fail alone, [1-9][0-9]* pass, 0 were not reached$'
grep -q '^FAILS alone .*Works' "$results/tests.txt" && fail 'a test that is right failed alone'
wrote lectures.txt 'lecture-hangs: not done after'
wrote lectures.txt '^lecture$'
tar -tzf "$results/traces.tar.gz" | grep '^traces/works.json$' >/dev/null || fail 'the other lecture was not kept'
