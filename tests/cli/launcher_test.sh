#!/usr/bin/env bash
# The launcher where things are missing: launcher_test.sh LAUNCHER PROGRAM.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
checkout="$work/a checkout"
mkdir -p -- "$checkout" "$work/bin" "$work/elsewhere"
cp -- "$1" "$checkout/lectern"
program=$2
source=$(dirname -- "$1")
dependencies=$source/engine/dependencies.txt
mkdir -- "$checkout/tests"
cp -r -- "$source"/tests/{run.sh,checkout.py,bench,bundle} "$checkout/tests"
mkdir -p -- "$checkout/engine/cli"
cp -- "$dependencies" "$checkout/engine"
cp -r -- "$source/engine/cli/commands" "$checkout/engine/cli"
ln -s "$checkout/lectern" "$work/link"
for tool in bash env readlink dirname printf mkdir flock stat; do ln -s "$(command -v "$tool")" "$work/bin/$tool"; done

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
grep -q 'apt-get install -y --no-install-recommends g++ cmake ninja-build pkg-config nodejs graphviz npm bible-kjv' "$work/said" ||
  fail 'the command to install is not printed'
grep -q 'nothing was changed' "$work/said" || fail 'it does not say that nothing was changed'
[[ ! -e $checkout/build ]] || fail 'something was changed'
if grep -q 'missing:.*fmt' "$work/said"; then fail 'a header that is there is asked for'; fi
if grep -q clang-tidy "$work/said"; then fail 'build asks for what only test needs'; fi

launch test
((status == 3)) || fail "test: exit status $status instead of 3"
grep -q 'clang-tidy' "$work/said" || fail 'test does not ask for clang-tidy'

# PyTorch is asked for where it is compared with only.
sed 's|/usr/lib/python3[^ ]*|/nowhere/torch|' "$dependencies" >"$checkout/engine/dependencies.txt"
launch bench --against torch
grep -q 'install .*python3-torch' "$work/said" || fail 'bench --against torch does not ask for PyTorch'
if grep -q clang-tidy "$work/said"; then fail 'bench asks for what only test needs'; fi
launch test
grep -q 'install .*python3-torch' "$work/said" || fail 'test does not ask for PyTorch'
for arguments in '' '--device cuda --against torch'; do
  # shellcheck disable=SC2086 # several words
  launch bench $arguments
  if grep -q python3-torch "$work/said"; then fail "bench $arguments asks for Debian's PyTorch though it is not compared with"; fi
done
cp -- "$dependencies" "$checkout/engine"

# Asking for help or a diagnosis installs nothing, whoever asks, and is answered.
ask() { # STATUS ARGUMENTS…
  local expected=$1 status=0
  shift
  (cd -- "$work/elsewhere" && PATH=$work/bin "$work/link" "$@") >"$work/said" 2>&1 || status=$?
  ((status == expected)) || fail "\`lectern $*\`: exit status $status instead of $expected"
  grep -q 'apt-get install' "$work/said" || fail "\`lectern $*\` does not say how to install what is missing"
  [[ ! -e $checkout/build ]] || fail "\`lectern $*\` changed something"
}
ask 0 --help
grep -q 'serve' "$work/said" || fail 'the commands are not listed'
ask 0 build --help
grep -q 'build \[LECTURE…\]' "$work/said" || fail 'the commands are not listed'
ask 2
grep -q 'build \[LECTURE…\]' "$work/said" || fail 'the commands are not listed'
ask 3 doctor
grep -q '^✗ g++ ' "$work/said" || fail 'g++ is not among what is missing'
grep -q '^✓ libfmt-dev ' "$work/said" || fail 'libfmt-dev is not among what was found'
grep -q '^- clang-tidy .*only for ./lectern test)' "$work/said" || fail 'what only test needs is not told apart'

# So are wrong options.
answer() { # STATUS PATTERN ARGUMENTS…
  local expected=$1 pattern=$2 status=0
  shift 2
  (cd -- "$work/elsewhere" && PATH=$work/bin "$work/link" "$@") >"$work/said" 2>&1 || status=$?
  ((status == expected)) || fail "\`lectern $*\`: exit status $status instead of $expected"
  grep -q -e "$pattern" -- "$work/said" || fail "\`lectern $*\` does not say: $pattern"
  if grep -q '^lectern: missing' "$work/said"; then fail "\`lectern $*\` looks for what is missing"; fi
  [[ ! -e $checkout/build ]] || fail "\`lectern $*\` changed something"
}
answer 0 '^usage: ./lectern test' test --help
answer 2 '^lectern: .--bogus. is not an option; see .lectern test --help.' test --bogus
answer 2 '^lectern: --only needs the name of a test' test --only
answer 2 '^lectern: .--wacth. is not an option; see .lectern serve --help.' serve --wacth
answer 2 '^lectern: .--no-draft. is not an option; see .lectern build --help.' build averages --no-draft --out=pages
answer 2 '^lectern: .--(. is not an option' check '--(=1'
if [[ -x /usr/bin/python3 ]]; then
  for command in bench bundle; do
    answer 0 "^usage: lectern $command" "$command" --help
    answer 2 "^lectern: unrecognized arguments: --bogus; see .lectern $command --help" "$command" --bogus
  done
fi

# None that the program has is refused.
for command in $("$program" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p'); do
  # shellcheck disable=SC2046 # one word each
  launch "$command" $("$program" "$command" --help | grep -oE -- '(^| |,)--[a-z-]+' | tr -d ' ,' | grep -vx -e --help) -- --bogus
  ((status == 3)) || fail "$command: exit status $status instead of 3"
done

# With one tool there, it is not asked for.
ln -s "$(command -v cmake)" "$work/bin/cmake"
launch build
if grep -q 'missing:.* cmake' "$work/said"; then fail 'cmake is asked for though it is there'; fi

# Nothing is missing from here on. Help builds nothing then, either, and comes from the program where there is one.
: >"$checkout/engine/dependencies.txt"
answer 0 'build \[LECTURE…\]' build --help
answer 0 'build \[LECTURE…\]' --help
answer 2 'build \[LECTURE…\]'
mkdir -p -- "$checkout/build/release/bin"
printf '%s\n' '#!/usr/bin/env bash' 'printf "asked: %s\n" "$*"' >"$checkout/build/release/bin/lectern"
chmod +x -- "$checkout/build/release/bin/lectern"
launch build --help
grep -qx 'asked: build --help' "$work/said" || fail 'the help is not that of the program'
launch --help
grep -q '^asked: --help' "$work/said" || fail 'the help is not that of the program'
grep -q '  test \[--quick' "$work/said" || fail 'the commands of a checkout are not listed'
[[ ! -e $checkout/build/.lock && ! -e $checkout/build/logs ]] || fail 'help builds something'
rm -r -- "$checkout/build"

# A step that fails with much to say is shown in part, and it is not a signal that ends the launcher.
mkdir -p -- "$work/stubs" "$checkout/site_templates/node_modules"
touch -- "$checkout/site_templates/package-lock.json"
printf '%s\n' '#!/usr/bin/env bash' 'echo "FAILED: much"; seq 1000000; exit 1' >"$work/stubs/cmake"
printf '%s\n' '#!/usr/bin/env bash' >"$work/stubs/npm"
chmod +x -- "$work/stubs/cmake" "$work/stubs/npm"
status=0
(cd -- "$work/elsewhere" && PATH=$work/stubs:$PATH "$work/link" build) >"$work/said" 2>&1 || status=$?
((status == 1)) || fail "a step that fails: exit status $status instead of 1"
grep -qx 'FAILED: much' "$work/said" || fail 'what failed is not shown'
(($(wc -l <"$work/said") < 50)) || fail 'all that it said is shown'
rm -r -- "$checkout/build" "$checkout/site_templates"

# In a checkout that somebody else built: one line says so.
mkdir -p -- "$checkout/build"
chmod 755 -- "$work" "$checkout"
chmod 555 -- "$checkout/build"
somebody=()
if ((EUID == 0)); then somebody=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
status=0
"${somebody[@]}" "$checkout/lectern" build >"$work/said" 2>&1 || status=$?
((status == 1)) || fail "a foreign checkout: exit status $status instead of 1"
grep -q "^lectern: .*/a checkout/build: you cannot write there, it belongs to $(id -un)" "$work/said" ||
  fail 'it does not say whose the folder is'
(($(wc -l <"$work/said") == 1)) || fail 'it says more than one line'
chmod 755 -- "$checkout/build"
