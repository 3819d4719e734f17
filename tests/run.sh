# shellcheck shell=bash disable=SC2154 # root, build, logs, say and step are the launcher's
# The command `test`, sourced by the launcher: read_test_options, which answers help and wrong options, before anything is
# installed or built; then run_tests, which builds what the tests need and runs ctest.

print_test_usage() {
  printf '%s\n' \
    'Builds and runs the tests.' \
    '' \
    'usage: ./lectern test [--quick | --deep] [--only NAME]' \
    '  (no option)   unit tests, fixtures, comparison with PyTorch, lectures and their accepted traces, browser' \
    '  --quick       the unit tests only' \
    '  --deep        everything else: sanitizers, the kernels on a simulated GPU, fuzzers, every choice of CPU kernels,' \
    '                compiling for GPUs and its machine code, an installed Lectern, format and lint' \
    '  --only NAME   of these, the tests whose name matches this regular expression' \
    '' \
    'The last line is the count: N passed, N failed, N skipped. Above it is, for each failed test, the command' \
    'that runs it alone.' \
    'Exit status: 0 nothing failed, 1 something did, 2 the command line is wrong, 3 something is not installed.'
}

is_configured() { # TREE NAME=VALUE…
  local tree=$1 definition
  shift
  [[ -e $tree/build.ninja && $tree/build.ninja -nt $root/CMakePresets.json ]] || return 1
  for definition in "$@"; do
    grep -qE "^${definition/=/:[A-Z]+=}$" "$tree/CMakeCache.txt" || return 1
  done
}

# build_for_tests PRESET WHAT TARGET… NAME=VALUE…: builds targets of a preset, configured with these definitions.
build_for_tests() {
  local preset=$1 what=$2 targets=() definitions=()
  shift 2
  while (($# > 0)); do
    if [[ $1 == *=* ]]; then definitions+=("$1"); else targets+=("$1"); fi
    shift
  done
  local tree=$root/build/$preset
  if ! is_configured "$tree" "${definitions[@]}"; then
    step "test-configure-$preset" "configuring ($preset)" cmake -S "$root" --preset "$preset" "${definitions[@]/#/-D}"
  fi
  # Lectures run while others compile: their threads should not spin while they wait.
  step "test-build-$preset" "$what" env OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}" ninja -C "$tree" -k 0 "${targets[@]}"
  trees+=("$tree")
}

read_test_options() { # ARGUMENTS…
  part=all only=''
  while (($# > 0)); do
    case $1 in
      --quick | --deep) part=${1#--} ;;
      --only)
        shift
        only=${1:-}
        if [[ -z $only ]]; then say "--only needs the name of a test; see \`lectern test --help\`" && exit 2; fi
        ;;
      --help | -h) print_test_usage && exit 0 ;;
      *) say "\`$1\` is not an option; see \`lectern test --help\`" && exit 2 ;;
    esac
    shift
  done
}

# build_tests: builds those of the part, and sets the trees that they are in and the labels that they bear.
build_tests() {
  trees=() labels=()
  case $part in
    quick)
      build_for_tests release 'building the unit tests' unit-tests LECTERN_TESTS=ON
      labels=(-L '^unit$')
      ;;
    all)
      build_for_tests release 'building the tests' all LECTERN_TESTS=ON
      labels=(-LE '^deep$')
      ;;
    deep)
      # Not all: with other kernels every lecture would run again.
      build_for_tests release 'building the tests' deep-tests LECTERN_TESTS=ON LECTERN_INSTRUCTION_SETS=all
      build_for_tests asan 'building for the sanitizers' unit-tests fuzzers
      build_for_tests cuda 'compiling for GPUs' unit-tests
      labels=(-L '^deep$')
      ;;
  esac
}

run_tests() {
  local jobs together
  build_tests
  # Many tests wait for a browser or a clock: one more runs than there are processors. Of the deep ones some need them all.
  jobs=$(nproc)
  if [[ $part != deep ]]; then jobs=$((jobs + 1)); fi

  # One ctest for all trees: it reads the tests of the folders that this file names. Since tests run in parallel, idle threads sleep:
  # spinning ones would take the processor from those that they wait for.
  together=$root/build/tests/$part
  mkdir -p -- "$together"
  printf 'subdirs("%s")\n' "${trees[@]}" >"$together/CTestTestfile.cmake"
  rm -f -- "$together/report.xml"
  OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} ctest --test-dir "$together" -j "$jobs" "${labels[@]}" ${only:+-R "$only"} \
    --no-tests=error --progress --output-on-failure --output-log "$logs/test.log" --output-junit "$together/report.xml" \
    </dev/null || true
  if [[ ! -s $together/report.xml ]]; then say "ctest ended early; its output: ${logs#"$PWD/"}/test.log" && exit 1; fi
  exec /usr/bin/python3 "$root/tests/summary.py" "$together/report.xml" "ctest --test-dir ${together#"$PWD/"}"
}
