#!/usr/bin/env bash
# shell.sh REPOSITORY: bash can read every script, and shellcheck, where it is installed, finds nothing.
set -euo pipefail
cd -- "$1"
mapfile -t scripts < <(find tests -name '*.sh' -not -path '*/fixtures/*' | sort)
scripts+=(lectern .ci/run .ci/publish tests/bundle/run)
for script in "${scripts[@]}"; do bash -n "$script"; done
if hash shellcheck 2>/dev/null; then shellcheck "${scripts[@]}"; fi
