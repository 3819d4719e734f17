#!/usr/bin/env bash
# Steps of the package's test: run.sh STEP BUILD_TREE WORK_FOLDER. A folder with a space in its name, on purpose.
set -euo pipefail

step=$1 tree=$2 work=$3/"a folder"
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
prefix=$work/installed
project=$work/course

fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

expect_in() { grep -q -e "$2" -- "$1" || fail "$1 does not contain: $2"; }

build_project() {
  ninja -C "$project/build" >"$work/ninja.log" 2>&1 || { cat "$work/ninja.log" >&2 && fail 'the project does not build'; }
}

prepare_project() { # where the package is
  rm -rf -- "$project"
  cp -r -- "$here/project" "$project"
  cmake -G Ninja -S "$project" -B "$project/build" -D "CMAKE_PREFIX_PATH=$1" >"$work/cmake.log" 2>&1 || {
    cat "$work/cmake.log" >&2
    fail 'the project does not configure'
  }
  build_project
}

check_pages() {
  local page
  for page in index.html first/index.html second/index.html; do
    [[ -s $project/build/site/$page ]] || fail "there is no page $page"
  done
  expect_in "$project/build/site/index.html" 'The first lecture'
  expect_in "$project/build/site/first/index.html" 'Two files, one lecture'
  expect_in "$project/build/traces/cpu/second.json" '"end":"exception"'
}

case $step in
  install)
    rm -rf -- "$work"
    cmake --install "$tree" --prefix "$prefix" >/dev/null
    [[ -x $prefix/bin/lectern ]] || fail 'the tool is not installed'
    if grep -rIl -e "$tree" -- "$prefix"/lib*/cmake "$prefix/include"; then fail 'the build tree is named above'; fi
    for command in bench bundle test; do
      if "$prefix/bin/lectern" --help | grep -w -e "$command"; then fail "$command is a command of a checkout"; fi
      if "$prefix/bin/lectern" "$command" >/dev/null 2>&1; then fail "$command is a command of a checkout"; fi
    done
    "$prefix/bin/lectern" doctor >"$work/doctor.log" || { cat "$work/doctor.log" >&2 && fail 'doctor misses something'; }
    expect_in "$work/doctor.log" '^✓ g++ '
    if grep -E 'clang|libgtest|npm' "$work/doctor.log"; then fail 'doctor asks for what authors do not need'; fi
    ;;
  foreign) # a project against the installed tree; an early end still gets its page
    prepare_project "$prefix"
    check_pages
    ;;
  incremental) # after `foreign`
    build_project
    expect_in "$work/ninja.log" 'no work to do'
    sed -i 's/Two files, one lecture/Two files and an edit/' "$project/first.cpp"
    build_project
    expect_in "$project/build/site/first/index.html" 'Two files and an edit'
    expect_in "$work/ninja.log" 'Rendering first'
    if grep -q second "$work/ninja.log"; then fail 'the other lecture was redone'; fi
    sed -i 's/2 \* x/x + x/' "$project/first/helper.cpp"
    build_project
    expect_in "$project/build/traces/cpu/first.json" 'x + x'
    # A header is instrumented with the file that includes it.
    printf 'inline int thrice(int x) {\n  return 3 * x;\n}\n' >>"$project/first/helper.h"
    sed -i 's/twice(2)/thrice(2) - twice(1)/' "$project/first.cpp"
    build_project
    expect_in "$project/build/traces/cpu/first.json" '"name":"thrice"'
    sed -i 's/3 \* x/x * 3/' "$project/first/helper.h"
    build_project
    expect_in "$project/build/traces/cpu/first.json" 'x \* 3'
    ;;
  errors) # a compiler's error names the author's file and line; after `foreign`
    printf 'int main() {\n  int x = 1;\n  return y;\n}\n' >"$project/second.cpp"
    if ninja -C "$project/build" >"$work/ninja.log" 2>&1; then fail 'it builds'; fi
    expect_in "$work/ninja.log" "second.cpp:3:10: error:"
    ;;
  build-tree) # the build tree is a package too
    prepare_project "$tree"
    check_pages
    ;;
  command) # the installed tool, in a folder of somebody's
    mkdir -p -- "$work/mine" && cd -- "$work/mine"
    rm -rf -- ./*
    "$prefix/bin/lectern" new demo
    "$prefix/bin/lectern" build demo.cpp >printed 2>log || { cat log >&2 && fail 'the new lecture does not build'; }
    [[ $(<printed) == site/demo/index.html ]] || fail "it printed $(<printed)"
    [[ -s site/demo/index.html ]] || fail 'there is no page'
    expect_in build/traces/cpu/demo.json '"end":"return"'
    sed -i 's/sum == 14/sum == 15/' demo.cpp
    if "$prefix/bin/lectern" build demo.cpp 2>log; then fail 'a failed claim goes unnoticed'; fi
    expect_in log 'demo ended early: claim'
    sed -i 's/sum == 15/summ == 15/' demo.cpp
    if "$prefix/bin/lectern" build demo.cpp 2>log; then fail 'a compiler error goes unnoticed'; fi
    expect_in log 'demo.cpp:[0-9]*:[0-9]*: error:'
    "$prefix/bin/lectern" new other
    rm demo.cpp
    "$prefix/bin/lectern" build other.cpp --out pages 2>log || { cat log >&2 && fail 'the other one does not build'; }
    [[ -s pages/other/index.html ]] || fail 'there is no page in the folder asked for'
    [[ ! -e site/other ]] || fail 'there is a page where none was asked for'
    [[ -s site/demo/index.html && -s build/traces/cpu/demo.json ]] || fail 'another lecture was removed'
    # Another of its name has a page elsewhere; in one site, there is one.
    mkdir namesake
    sed 's/A lecture/A namesake/; s/other/namesake/' other.cpp >namesake/other.cpp
    "$prefix/bin/lectern" build namesake/other.cpp --out pages2 2>log || { cat log >&2 && fail 'a namesake does not build'; }
    [[ -s pages2/other/index.html ]] || fail 'the namesake has no page'
    if "$prefix/bin/lectern" build other.cpp namesake/other.cpp --out pages3 2>log; then fail 'two of one name are built'; fi
    expect_in log 'other.cpp has the same name in this site; rename one'
    "$prefix/bin/lectern" build other.cpp >printed 2>log || { cat log >&2 && fail 'the other one does not build'; }
    [[ -s site/demo/index.html ]] || fail 'building one lecture removed another'
    "$prefix/bin/lectern" build >printed 2>log || { cat log >&2 && fail 'not all is built'; }
    [[ ! -e site/demo && -s site/other/index.html ]] || fail 'the page of the removed lecture is still there'
    mkdir lectures
    "$prefix/bin/lectern" new third --in lectures
    "$prefix/bin/lectern" build >printed 2>log || { cat log >&2 && fail 'not all is built'; }
    [[ -s site/third/index.html && -s site/other/index.html ]] || fail 'what stands in lectures/ is not built'
    rm -r lectures
    # What the running lecture warns of is told, and one that is killed has its page.
    printf '<svg xmlns="http://www.w3.org/2000/svg"/>' >dot.svg
    printf '%s\n' '#include <csignal>' '#include <lectern/lecture.h>' 'int main() {' \
      '  lectern::image("dot.svg");' '  std::raise(SIGKILL);' '}' >other.cpp
    rm -rf site/other
    if "$prefix/bin/lectern" build other.cpp >printed 2>log; then fail 'a killed lecture goes unnoticed'; fi
    expect_in log '^lectern: other.cpp:4: warning: image: "dot.svg" has no text'
    expect_in log '^lectern: other ended early: killed; its page shows how far it came'
    [[ $(<printed) == site/other/index.html ]] || fail 'the page of the killed lecture is not named'
    [[ -s site/other/index.html ]] || fail 'there is no page of the killed lecture'
    ;;
  check) # the accepted traces of somebody's folder
    rm -rf -- "$work/checked" && mkdir -p -- "$work/checked" && cd -- "$work/checked"
    lectern=$prefix/bin/lectern
    check() { # STATUS ARGUMENT…
      local expected=$1 status=0
      shift
      "$lectern" check "$@" >report 2>log || status=$?
      ((status == expected)) || { cat report log >&2 && fail "check $* exits with $status instead of $expected"; }
    }
    printf '%s\n' '#include <lectern/lecture.h>' '' 'int main() {' '  lectern::text("# Squares");' '  int sum = 0;' \
      '  for (int i = 1; i <= 3; ++i) {' '    sum += i * i;  // @inspect sum' '  }' '  lectern::text("The sum is {}.", sum);' \
      '  double third = sum / 3.0;  // @inspect third' '  lectern::text("A third: {:.6f}", third);' '}' >squares.cpp
    check 1 squares.cpp
    expect_in report 'it has no accepted trace in traces/cpu'
    "$lectern" accept squares.cpp >report || fail 'it cannot be accepted'
    expect_in report '^squares: traces/cpu/squares.json$'
    if grep -q '"ns"' traces/cpu/squares.json; then fail 'times are accepted'; fi
    check 0
    expect_in report '^squares  same'
    before=$(stat -c %Y.%i traces/cpu/squares.json)
    "$lectern" accept >report
    expect_in report '^squares: the same as before$'
    [[ $(stat -c %Y.%i traces/cpu/squares.json) == "$before" ]] || fail 'an accepted trace that is the same was written again'

    # A line more, a pass more, another value, another text, and one thing that is within its tolerance.
    sed -i -e 's/i <= 3/i <= 4/' -e 's/    sum += i/    lectern::note("once more");\n&/' -e 's|sum / 3.0;.*|14 / 3.0 + 1e-9;  // @inspect third|' squares.cpp
    check 1 --format json
    expect_in report '"verdict": "differs"'
    check 1 --no-run
    sed -n 's/^  #[0-9a-f]* *squares.cpp:\([0-9]*\) *\(.*\): .*/\1 \2/p' report | tr -s ' ' | sort -n >found
    printf '%s\n' '6 control flow statement' '7 added statement' '8 control flow statement' '10 rendering text' \
      '11 source only statement' >expected
    diff expected found >&2 || { cat report >&2 && fail 'other differences were expected'; }
    expect_in report 'squares.cpp:8  *control flow *statement: ran 3 times → 4 times'
    item=$(sed -n 's/^  #\([0-9a-f]*\).*rendering.*/\1/p' report)
    "$lectern" accept "squares#$item"
    check 1 --no-run
    if grep -q rendering report; then fail 'the accepted item is still reported'; fi
    expect_in report 'control flow'
    check 1 --no-run --format github
    expect_in report '^::error file=squares.cpp,line=8,title=squares%3A control flow::statement: ran 3 times → 4 times'
    "$lectern" accept
    check 0 --no-run

    LECTERN=$lectern "$here/../../.ci/publish" public squares.cpp >report 2>log || { cat log >&2 && fail 'it cannot be published'; }
    [[ -s public/index.html && -s public/squares/index.html ]] || fail 'the site is not published'
    [[ -s public/report/index.html && -s public/report/compare/squares.html ]] || fail 'the report is not published'

    # What cannot be compared is no "same", and no whole trace is not accepted.
    sed -i 's/int sum = 0;/int sum = 0; for (;;) { sum = 1 - sum; }/' squares.cpp
    check 2 --timeout 2 squares.cpp
    expect_in report 'squares  could not be compared'
    if "$lectern" accept squares 2>log; then fail 'an incomplete trace was accepted'; fi
    expect_in log 'squares: its run did not end by itself (killed)'
    if "$lectern" accept nonsense 2>log; then fail 'a lecture that is not there was accepted'; fi
    expect_in log 'there is no lecture .nonsense.; did you mean\|there is no lecture .nonsense.'
    rm squares.cpp
    check 1
    expect_in report 'missing  *lecture: there is an accepted trace, traces/cpu/squares.json, but no lecture'
    "$lectern" accept
    check 0
    ;;
  *) fail "there is no step $step" ;;
esac
