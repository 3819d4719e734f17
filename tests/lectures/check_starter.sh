#!/usr/bin/env bash
# check_starter.sh LECTERN STARTER SOLVED WORK: programs of a starter file as it is, of which no claim holds, and with a solution,
# of which all do. Both run to their end.
set -euo pipefail

lectern=$1 starter=$2 solved=$3 work=$4
mkdir -p -- "$work" && cd -- "$work"

fail() {
  printf 'failed: %s\n' "$*" >&2
  cat report >&2
  exit 1
}

claims() { # PROGRAM STATUS: what the verdict says, in `report`
  local status=0
  "$lectern" run "$1" -o exercise.json --quiet
  "$lectern" verdict exercise.json 2>report || status=$?
  ((status == $2)) || fail "the verdict on $1 exits with $status"
  grep -q '"end":"return","status":0,.*"exercise":true' exercise.json || fail 'the run did not come to its end'
}

claims "$starter" 1
all=$(sed -n 's/^lectern: 0 of \([1-9][0-9]*\) claims hold$/\1/p' report)
[[ -n $all ]] || fail 'some claims hold of what is not written'
grep -q '^  ✗ .*(threw not written yet: ' report || fail 'it does not say what is missing'
claims "$solved" 0
grep -q "^lectern: $all of $all claims hold$" report || fail 'the solution is none'
[[ $(grep -c '^  ✓ ' report) == "$all" ]] || fail 'not each claim is told'
