#!/bin/sh
# accepted_trace.sh LECTERN PROGRAM ACCEPTED FOLDER
# A lecture, run in its folder, does what its accepted trace says.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$4"
"$1" run "$2" -o "$work/$(basename "$3")" --profile cpu --quiet
"$1" diff "$3" "$work/$(basename "$3")"
