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

build_project() { # its second lecture throws, which fails the build; all else is made
  if ninja -k 0 -C "$project/build" >"$work/ninja.log" 2>&1; then fail 'a lecture that throws goes unnoticed'; fi
  [[ $(grep '^FAILED' "$work/ninja.log") == "FAILED: second.verdict "* ]] || { cat "$work/ninja.log" >&2 && fail 'the project does not build'; }
  expect_in "$work/ninja.log" '^lectern: .*/course/second.cpp:[0-9]*:[0-9]*: uncaught exception'
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
  expect_in "$project/build/site/first/index.html" '>\[Knuth 1984\]</a>'
  expect_in "$project/build/site/bibliography.html" 'Literate Programming'
  expect_in "$project/build/traces/cpu/second.json" '"end":"exception"'
  expect_in "$project/build/site/second/index.html" 'second.cpp:[0-9]*:[0-9]*: The run ended with an exception'
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
    expect_in "$work/doctor.log" '^[✓-] nodejs '
    if grep -E 'clang-tidy|libgtest|npm' "$work/doctor.log"; then fail 'doctor asks for what authors do not need'; fi
    ;;
  foreign) # a project against the installed tree; an early end still gets its page
    prepare_project "$prefix"
    if grep 'warning:' "$work/ninja.log"; then fail 'the compiler warns of a lecture that gives no cause'; fi
    check_pages
    ;;
  incremental) # after `foreign`
    build_project
    [[ $(grep -c '^\[[1-9]' "$work/ninja.log") == 1 ]] || { cat "$work/ninja.log" >&2 && fail 'more was done than to tell of the failure'; }
    sed -i 's/Two files, one lecture/Two files and an edit/' "$project/first.cpp"
    build_project
    expect_in "$project/build/site/first/index.html" 'Two files and an edit'
    expect_in "$work/ninja.log" 'Rendering first'
    if grep -e 'Running second' -e 'Rendering second' "$work/ninja.log"; then fail 'the other lecture was redone'; fi
    sed -i 's/2 \* x/x + x/' "$project/first/helper.cpp"
    build_project
    expect_in "$project/build/traces/cpu/first.json" 'x + x'
    sed -i 's/Literate Programming/Programs as Literature/' "$project/references.bib"
    build_project
    expect_in "$project/build/site/first/index.html" 'Programs as Literature'
    if grep -e 'Running second' "$work/ninja.log"; then fail 'a lecture that cites nothing ran again'; fi
    sed -i 's/knuth1984,/knuth84,/' "$project/references.bib"
    if ninja -k 0 -C "$project/build" >"$work/ninja.log" 2>&1; then fail 'an unknown key goes unnoticed'; fi
    expect_in "$work/ninja.log" '^lectern: .*/course/first.cpp:[0-9]*:.*cite: references.bib has no entry "knuth1984"; did you mean "knuth84"?'
    sed -i 's/knuth84,/knuth1984,/' "$project/references.bib"
    build_project
    expect_runs() { # WORDS LECTURE…: only these run, and the first one has the words
      local words=$1
      shift
      build_project
      expect_in "$project/build/site/first/index.html" "$words"
      [[ $(sed -n 's/^\[.*\] Running //p' "$work/ninja.log") == "$*" ]] || { cat "$work/ninja.log" >&2 && fail "other lectures ran than: $*"; }
    }
    # Settings that appear, or disappear.
    printf 'title = "Programs to read"\n' >"$project/site.toml"
    touch -d 2020-01-01 -- "$project/site.toml"
    expect_runs 'Programs as Literature'
    expect_in "$project/build/site/index.html" 'Programs to read'
    rm -- "$project/site.toml"
    expect_runs 'Programs as Literature'
    if grep 'Programs to read' "$project/build/site/index.html"; then fail 'settings that are gone still show'; fi
    # The references that site.toml names.
    references() { sed "s/Programs as Literature/$1/" "$work/references.bib"; }
    mv "$project/references.bib" "$work/references.bib"
    references 'From the Course' >"$project/course.bib"
    references 'From Elsewhere' >"$project/elsewhere.bib"
    printf 'references = "course.bib"\n' >"$project/site.toml"
    expect_runs 'From the Course' first
    expect_runs 'From the Course'
    sed -i 's/From the Course/Of the Course/' "$project/course.bib"
    expect_runs 'Of the Course' first
    printf 'references = "elsewhere.bib"\n' >"$project/site.toml"
    expect_runs 'From Elsewhere' first
    references 'From Beside' >"$project/references.bib"
    expect_runs 'From Beside' first
    printf 'title = "Of no concern"\n' >"$project/site.toml"
    expect_runs 'From Beside'
    # Without any the lecture fails, and is whole once there are some.
    rm "$project/references.bib"
    if ninja -k 0 -C "$project/build" >"$work/ninja.log" 2>&1; then fail 'missing references go unnoticed'; fi
    expect_in "$work/ninja.log" '^lectern: .*/course/first.cpp:[0-9]*:.*cite: there is no references.bib beside the lecture'
    printf 'references = "course.bib"\n' >"$project/site.toml"
    expect_runs 'Of the Course' first
    # A header is instrumented with the file that includes it.
    printf 'inline int thrice(int x) {\n  return 3 * x;\n}\n' >>"$project/first/helper.h"
    sed -i 's/twice(Circle().center.x)/thrice(2) - twice(1)/' "$project/first.cpp"
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
  syntax) # after `errors`: a missing semicolon is told by the compiler alone, what only our grammar refuses by us
    printf '%s\n' '#include <lectern/lecture.h>' 'int main() {' '  int x = 1' '  int y = x + 1;' '  return y;' '}' >"$project/second.cpp"
    if ninja -C "$project/build" page-second >"$work/ninja.log" 2>&1; then fail 'it builds'; fi
    expect_in "$work/ninja.log" "$project/second.cpp:4:3: error: expected"
    if grep '^lectern:' "$work/ninja.log"; then fail 'the instrumenter speaks too'; fi
    sed -i 's/int x = 1$/&;\n#define BEGIN {/; s/int y = x + 1;/if (x) BEGIN int y = x; return y; }/; s/  return y;$/  return 0;/' "$project/second.cpp"
    if ninja -C "$project/build" page-second >"$work/ninja.log" 2>&1; then fail 'it builds'; fi
    expect_in "$work/ninja.log" '^lectern: .*second.cpp:5:10: error: BEGIN stands for a bracket'
    ;;
  build-tree) # the build tree is a package too
    prepare_project "$tree"
    check_pages
    ;;
  command) # the installed tool, in a folder of somebody's
    mkdir -p -- "$work/mine" && cd -- "$work/mine"
    rm -rf -- ./*
    [[ $("$prefix/bin/lectern" new demo) == *'next: lectern build demo.cpp' ]] || fail 'new tells a command that is not there'
    "$prefix/bin/lectern" build demo.cpp >printed 2>log || { cat log >&2 && fail 'the new lecture does not build'; }
    [[ $(<printed) == site/demo/index.html ]] || fail "it printed $(<printed)"
    [[ -s site/demo/index.html ]] || fail 'there is no page'
    expect_in build/traces/cpu/demo.json '"end":"return"'
    cp build/traces/cpu/demo.json as_written.json
    "$prefix/bin/lectern" build demo.cpp --inspect-all >printed 2>log || { cat log >&2 && fail '--inspect-all does not build'; }
    [[ $(<printed) == build/inspected/demo/index.html ]] || fail "it printed $(<printed)"
    [[ $(grep -c '"vars"' as_written.json) -lt $(grep -c '"vars"' build/outside/*/traces/cpu/demo.json) ]] || fail 'not all is inspected'
    cmp as_written.json build/traces/cpu/demo.json || fail '--inspect-all changed the trace of the lecture as it is written'
    sed -i 's/sum == 14/sum == 15/' demo.cpp
    if "$prefix/bin/lectern" build demo.cpp 2>log; then fail 'a failed claim goes unnoticed'; fi
    expect_in log '^lectern: demo.cpp:[0-9]*:[0-9]*: claim failed: sum == 15  (left 14, right 15)'
    expect_in log 'demo ended early: claim'
    "$prefix/bin/lectern" build demo.cpp 2>again || true
    expect_in again '^lectern: demo.cpp:[0-9]*:[0-9]*: claim failed'
    expect_in site/demo/index.html 'demo.cpp:[0-9]*:[0-9]*: The run ended here because a claim does not hold'
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
    mkdir -p lectures/shared # where several lectures have sources in common
    printf 'int six() {\n  return 6;\n}\n' >lectures/shared/six.cpp
    "$prefix/bin/lectern" new third --in lectures
    sed -i 's/^int main/int six();\nint shared = six();\n&/' lectures/third.cpp
    "$prefix/bin/lectern" build >printed 2>log || { cat log >&2 && fail 'not all is built'; }
    expect_in build/traces/cpu/third.json '"name":"six"'
    [[ -s site/third/index.html && -s site/other/index.html ]] || fail 'what stands in lectures/ is not built'
    rm -r lectures
    # What the running lecture warns of is told, and one that is killed has its page.
    printf '<svg xmlns="http://www.w3.org/2000/svg"/>' >dot.svg
    printf '%s\n' '#include <csignal>' '#include <lectern/lecture.h>' 'int main() {' \
      '  lectern::image("dot.svg");' '  std::raise(SIGKILL);' '}' >other.cpp
    rm -rf site/other
    if "$prefix/bin/lectern" build other.cpp >printed 2>log; then fail 'a killed lecture goes unnoticed'; fi
    expect_in log '^lectern: other.cpp:4:3: warning: image: "dot.svg" has no text'
    expect_in log '^lectern: other ended early: killed; its page shows how far it came'
    [[ $(<printed) == site/other/index.html ]] || fail 'the page of the killed lecture is not named'
    [[ -s site/other/index.html ]] || fail 'there is no page of the killed lecture'
    # A page with a wrong plot is made, and named, however often; one that is of an older program is not.
    printf '%s\n' '#include <lectern/lecture.h>' 'int main() {' '  lectern::plot(R"({"mark": "lines"})");' '}' >other.cpp
    for time in first second; do
      if "$prefix/bin/lectern" build other.cpp >printed 2>log; then fail 'a wrong plot goes unnoticed'; fi
      expect_in log '^lectern: other.cpp:3:'
      [[ $(<printed) == site/other/index.html ]] || fail "the page with the wrong plot is not named the $time time"
    done
    printf 'int main() { wrong; }\n' >other.cpp
    if "$prefix/bin/lectern" build other.cpp >printed 2>log; then fail 'what does not compile goes unnoticed'; fi
    [[ ! -s printed ]] || fail 'a page of an older program is named'
    ;;
  exercise) # a starter file fails its claims until the student has written what is missing
    rm -rf -- "$work/exercise" && mkdir -p -- "$work/exercise" && cd -- "$work/exercise"
    lectern=$prefix/bin/lectern
    "$lectern" new --exercise | grep -qx merge || fail 'no starter files are installed'
    [[ $("$lectern" new --exercise merge) == $'merge.cpp\nnext: lectern build merge.cpp' ]] || fail 'new does not copy a starter'
    build() { # STATUS ARGUMENT…
      local expected=$1 status=0
      shift
      "$lectern" build "$@" >printed 2>log || status=$?
      ((status == expected)) || { cat log >&2 && fail "build $* exits with $status instead of $expected"; }
    }
    build 1 merge.cpp
    [[ $(<printed) == site/merge/index.html ]] || fail "it printed $(<printed)"
    all=$(sed -n 's/^lectern: merge: 0 of \([1-9][0-9]*\) claims hold$/\1/p' log)
    [[ -n $all ]] || { cat log >&2 && fail 'some claims hold of what is not written'; }
    expect_in log '^  ✗ merge.cpp:[0-9]*  joins_each_occurrence();  (threw not written yet: '
    expect_in site/merge/index.html "&#10007; 0 of $all claims hold"
    build 1 merge.cpp # says it again, without running it
    expect_in log "^lectern: merge: 0 of $all claims hold"
    sed -i '/^  not_written(/s/.*/  return tokens;/' merge.cpp
    build 1 merge.cpp
    expect_in log '^  ✓ merge.cpp:[0-9]*  merge({1}, {1, 1}, 256) == std::vector<int>({1})$'
    expect_in log '^  ✗ merge.cpp:[0-9]*  tokens.size() == 11  (left 20, right 11)'
    sed -i -e "/^  return tokens;/{r $here/../lectures/solutions/merge.txt" -e 'd}' merge.cpp
    build 0 merge.cpp
    expect_in log "^lectern: merge: $all of $all claims hold"
    expect_in site/merge/index.html "&#10003; $all of $all claims hold"
    # A course with exercises of its own: its pages say how to get them, and lead to them.
    mkdir -p lectures/starters
    printf '%s\n' '#include <lectern/exercise.h>' 'int twice(int) {' '  lectern::not_written("a product");' '}' 'int main() {' \
      '  assert(twice(2) == 4);' '  int six = twice(3);' '  assert(six == 6);' '}' >lectures/starters/twice.cpp
    printf '%s\n' '#include <lectern/lecture.h>' 'int main() {' '  lectern::lecture({.title = "Products", .date = "2026-01-02"});' \
      '  lectern::exercise("Double it.", {.starter = "twice"});' '}' >lectures/products.cpp
    build 0 products
    cmp lectures/starters/twice.cpp site/products/assets/twice.cpp || fail 'the starter file is not on the site'
    expect_in site/products/index.html 'href="assets/twice.cpp" download'
    expect_in site/products/index.html 'lectern new --exercise twice'
    "$lectern" new --exercise twice mine >/dev/null
    build 1 mine.cpp
    expect_in log '^lectern: mine.cpp:3:[0-9]*: not written yet: a product'
    expect_in log '^  – mine.cpp:8  six == 6  (not reached)'
    expect_in log '^  ✗ mine.cpp:6  twice(2) == 4  (threw not written yet: a product)'
    sed -i 's/"twice"/"thrice"/' lectures/products.cpp
    build 1 products
    expect_in log '^lectern: lectures/products.cpp:4:[0-9]*: .*exercise: "starters/thrice.cpp" does not exist beside the lecture'
    ;;
  sanitize) # what the sanitizers find is the last step; a normal build is not touched
    rm -rf -- "$work/sanitized" && mkdir -p -- "$work/sanitized" && cd -- "$work/sanitized"
    sanitized() { # STATEMENT PATTERN
      printf '%s\n' '#include <lectern/lecture.h>' '#include <climits>' '#include <vector>' 'using namespace lectern;' \
        'int deep(int n) {' '  return n < 0 ? 0 : deep(n + 1) + 1;' '}' 'int main() {' \
        '  lecture({.title = "Mistakes", .date = "2026-01-02"});' '  text("Before.");' '  int zero = std::vector<int>(1)[0];' \
        '  auto* three = new int[3]{};' "  $1" '  delete[] three;' '  text("After {}.", zero);' '}' >mistakes.cpp
      local status=0
      "$prefix/bin/lectern" build --sanitize mistakes.cpp >printed 2>log || status=$?
      ((status == ${3:-1})) || { cat log >&2 && fail "it exits with $status: $1"; }
      expect_in log "$2"
      [[ $(<printed) == build/sanitized/mistakes/index.html ]] || fail "it printed $(<printed)"
    }
    sanitized 'text("All is well.");' '' 0
    sanitized 'text("{}", three[3 + zero]);' '^lectern: mistakes.cpp:13:*[0-9]*: AddressSanitizer: heap-buffer-overflow: READ of size 4'
    expect_in build/sanitized/mistakes/index.html 'mistakes.cpp:13:*[0-9]*: AddressSanitizer ended the run: heap-buffer-overflow'
    if grep -e '0x[0-9a-f]' -e "$work" build/sanitized/mistakes/index.html; then fail 'addresses are shown'; fi
    sanitized 'delete[] three; text("{}", three[zero]);' '^lectern: mistakes.cpp:13:*[0-9]*: AddressSanitizer: heap-use-after-free'
    sanitized 'text("{}", INT_MAX - zero + 1 + zero + three[0]);' '^lectern: mistakes.cpp:13:[0-9]*: UndefinedBehaviorSanitizer: signed integer overflow'
    sanitized 'int* none = zero == 0 ? nullptr : three; text("{}", *none);' '^lectern: mistakes.cpp:13:[0-9]*: UndefinedBehaviorSanitizer: .*null pointer'
    sanitized 'text("{}", deep(zero));' '^lectern: mistakes.cpp:6:3: AddressSanitizer: stack-overflow'
    sanitized 'std::vector<int> v(3); v.reserve(9); text("{}", v[3 + static_cast<std::size_t>(zero)]);' "^lectern: mistakes.cpp:13:[0-9]*: Assertion '__n < this->size()' failed"
    [[ ! -e site && ! -e build/traces ]] || fail 'the normal build is touched'
    ;;
  audience) # nothing of a note or an answer is in the files for students
    rm -rf -- "$work/audience" && mkdir -p -- "$work/audience" && cd -- "$work/audience"
    printf '%s\n' '#include <string>' '#include <lectern/lecture.h>' 'using namespace lectern;' \
      'const std::string words = "Begin with the secret joke.";' 'int main() {' \
      '  lecture({.title = "Secrets", .date = "2026-01-02"});' '  note(words);' \
      '  text("Open."), note("A secret aside.");' '  exercise("Is 4 even?", "The secret: it is.");' \
      '  exercise("Is 6 even?", {.answer = "A dated answer.", .answer_from = "2026-12-01"});' '}' >secrets.cpp
    build() { # OUT WANTED UNWANTED OPTION…
      local out=$1 wanted=$2 unwanted=$3
      shift 3
      "$prefix/bin/lectern" build secrets.cpp --out "$out" "$@" >printed 2>log || { cat log >&2 && fail "it does not build: $*"; }
      [[ -z $wanted ]] || grep -rqi -e "$wanted" -- "$out" || fail "$out has no $wanted"
      if [[ -n $unwanted ]] && grep -rli -e "$unwanted" -- "$out"; then fail "the files above have $unwanted"; fi
    }
    build teachers 'secret joke' ''
    build students 'Is 6 even' 'secret [jati:]\|secret:\|dated answer' --audience students --date 2026-11-30
    build students 'dated answer' 'secret [jati:]\|secret:' --audience students --date 2026-12-01
    SOURCE_DATE_EPOCH=1795996800 build students 'Is 6 even' 'dated answer' --audience students # 2026-11-30
    "$prefix/bin/lectern" build --audience students secrets.cpp >printed 2>log || fail 'it does not build'
    [[ $(<printed) == build/students/secrets/index.html && ! -e site ]] || fail "it printed $(<printed)"
    traces=(build/outside/*/build/traces/cpu/secrets.json build/traces/cpu/secrets.json)
    for trace in "${traces[@]}"; do [[ ! -e $trace ]] || newest=$trace; done
    "$prefix/bin/lectern" export "$newest" --to edtrace -o exported.json --audience students --date 2026-01-01
    if grep -i -e 'secret [jati]' -e 'dated answer' exported.json; then fail 'the export has secrets'; fi
    fetch='fetch(process.argv[1]).then((page) => page.ok ? page.text() : Promise.reject(page.status)).then(console.log)'
    served() { # OPTION…: the page of secrets.cpp, as serve makes and serves it
      "$prefix/bin/lectern" serve --port 0 "$@" secrets.cpp >address 2>log &
      local server=$! second page=
      for ((second = 0; second < 60; ++second)); do
        [[ -s address ]] && page=$(node -e "$fetch" "$(<address)" 2>/dev/null) && break
        sleep 1
      done
      kill "$server" && wait "$server"
      [[ -n $page ]] || { cat log >&2 && fail "no page is served: $*"; }
      printf '%s\n' "$page" >served.html
    }
    rm -r build/students
    for watch in '' --watch; do
      served --audience students --date 2026-11-30 $watch
      expect_in served.html 'Is 6 even'
      if grep -i -e 'secret [jati]' -e 'secret:' -e 'dated answer' served.html; then fail "serve $watch shows secrets"; fi
      [[ ! -e site ]] || fail 'pages for teachers were made'
    done
    served --audience students --date 2026-12-01
    expect_in served.html 'A dated answer'
    for wrong in '--audience pupils' '--audience students --date 2026-02-30' '--date tomorrow'; do
      read -ra options <<<"$wrong"
      status=0
      "$prefix/bin/lectern" build secrets.cpp "${options[@]}" 2>log || status=$?
      ((status == 2)) || fail "$wrong: exit status $status"
    done
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

    for wrong in '' --help; do
      status=0
      # shellcheck disable=SC2086 # none, or one
      PATH=$prefix/bin:$PATH "$here/../../.ci/publish" $wrong >report 2>log || status=$?
      ((status == 2)) || fail "publish '$wrong' exits with $status"
      expect_in log '^publish: the first argument names no folder; call it as'
    done
    status=0
    PATH=/usr/bin:/bin "$here/../../.ci/publish" public >report 2>log || status=$?
    ((status == 3)) || fail "without Lectern, publish exits with $status"
    [[ ! -e public ]] || fail 'a folder is made without Lectern'
    PATH=$prefix/bin:$PATH "$here/../../.ci/publish" public >report 2>log || { cat log >&2 && fail 'it cannot be published'; }
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
    check 2 # nothing is left that could differ
    expect_in log 'there is neither a lecture'
    ;;
  processes) # a lecture of several of them, from its build to its accepted traces, and what goes wrong in it
    rm -rf -- "$work/processes" && mkdir -p -- "$work/processes" && cd -- "$work/processes"
    lectern=$prefix/bin/lectern
    printf '%s\n' '#include <lectern/lecture.h>' '#include <unistd.h>' 'using namespace lectern;' 'int main() {' \
      '  lecture({.title = "Two", .date = "2026-01-02", .processes = 2});' '  distributed::init_process_group();' \
      '  const int rank = distributed::get_rank();  // @inspect rank' '  const Tensor x = full({3}, rank + 1.);' \
      '  distributed::all_reduce(x);  // @inspect x' '  assert(x[0].item<float>() == 3);' \
      '  distributed::destroy_process_group();' '}' >two.cpp
    call() { # STATUS COMMAND…
      local expected=$1 status=0
      shift
      "$lectern" "$@" >printed 2>log || status=$?
      ((status == expected)) || { cat printed log >&2 && fail "$* exits with $status instead of $expected"; }
    }
    nothing_runs() {
      for ((attempt = 0; attempt < 100; ++attempt)); do
        [[ -n $(processes_of '') ]] || return 0
        sleep 0.1
      done
      fail 'a process stayed behind'
    }
    processes_of() { # RANK, or none for all
      local process program
      for process in /proc/[0-9]*; do
        program=$(readlink "$process/exe") || continue
        [[ $program == "$PWD"/*/lecture-two ]] || continue
        [[ -z $1 ]] || tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qx "RANK=$1" || continue
        printf '%s\n' "${process#/proc/}"
      done
    }
    call 0 build two.cpp
    expect_in site/two/index.html 'id="ranks-at-end"'
    [[ -s build/traces/cpu/two.json && -s build/traces/cpu/two.rank1.json ]] || fail 'a rank has no trace'
    call 1 check two.cpp
    call 0 accept two.cpp
    [[ -s traces/cpu/two.rank1.json ]] || fail 'the trace of rank 1 is not accepted'
    call 0 check
    expect_in printed '^two rank 0  same'
    expect_in printed '^two rank 1  same'
    call 0 diff traces/cpu/two.json build/traces/cpu/two.json
    sed -i 's/rank + 1\.)/2. - rank)/' two.cpp
    call 1 check two.cpp
    expect_in printed '^two rank 0  [1-9]'
    expect_in printed '^two rank 1  [1-9]'
    # One that hangs is named by the other, in half of the time limit.
    sed -i 's/^  const Tensor/  if (rank == 1) pause();\n&/' two.cpp
    call 2 check --timeout 8 two.cpp
    expect_in printed 'two.cpp:[0-9]*:3: .*all_reduce: rank 1 did not take part within 4 s'
    nothing_runs
    # One that is killed ends the other.
    sed -i -e '/pause/d' -e 's/^  distributed::all_reduce/  for (int i = 0; i < 100000000; ++i) distributed::all_reduce(x, distributed::ReduceOp::max);  \/\/ @stepover\n&/' two.cpp
    call 1 build --timeout 3 two.cpp
    program=$(printf '%s\n' "$PWD"/build/outside/*/build/lecture-two)
    for victim in 0 1 1 0; do
      "$lectern" run "$program" -o run.json >printed 2>log &
      running=$!
      for ((attempt = 0; attempt < 100; ++attempt)); do
        [[ -n $(processes_of 0) && -n $(processes_of 1) ]] && break
        sleep 0.05
      done
      sleep "0.$((RANDOM % 10))"
      processes_of "$victim" | xargs -r kill -KILL
      status=0
      wait "$running" || status=$?
      ((status != 0)) || fail "nobody misses rank $victim"
      expect_in log "rank $victim: SIGKILL"
      expect_in run.json '"end":"'
      expect_in run.rank1.json '"end":"'
      nothing_runs
    done
    ;;
  *) fail "there is no step $step" ;;
esac
