# steps.sh: what `.ci/run` and `.ci/nightly` have in common: the steps, and how they are run and told. Whoever reads it in has set
# `self` (its own path), `steps` (those of its tier) and `limit` (seconds for all of them together).
step_limit=$((15 * 60)) # seconds for one: a hanging test must not cost the other steps their time
long_limit=$((30 * 60)) # for those that are known to take long: `long_steps`
long_steps=" debug tests hung threads engine readme readers explore addresses docs api package "
skipped=77             # the status of a step that does not apply here

# Debug and release builds share a folder of their own, so that a developer's .build stays as it is.
scratch=.build-ci
strict="-Xswiftc -warnings-as-errors -Xcc -Werror"
conformance='ConformanceSignalbox|MainQueueTests'

skip() {
  echo "skipped: $*"
  exit $skipped
}

# Builds packages in one configuration from nothing. The steps that run what is built come after it in the list of steps.
clean_build() { # configuration, packages, options of swift build
  rm -rf "$(built "$1")"
  packages_build "${@:2}" -c "$1"
}

packages_build() { with_ours Scripts/build "$@"; }

# Runs a command that builds into our folder, with the options that all builds there have, or each would undo the other's.
with_ours() { env SCRATCH_PATH=$scratch SIGNALBOX_BUILD_OPTIONS="$strict" "$@"; }

built() { swift build --scratch-path $scratch -c "$1" --show-bin-path; }

# Runs a test command and makes sure that it did run tests.
ran_tests() {
  local log status=0
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || status=$?
  if [ $status -eq 0 ] && ! grep -qE 'Test run with [1-9]|Executed [1-9][0-9]* test' "$log"; then
    echo "no test was run: has a test target or suite another name now?"
    status=1
  fi
  if grep -q 'signalbox: lock order:' "$log"; then
    echo "the tests take locks in orders that contradict each other: see above"
    status=1
  fi
  rm -f "$log"
  return $status
}

built_tests() { ran_tests with_ours "$@" Scripts/test --skip-build --in-turn --filter "$conformance"; }

# Some test targets alone, in a build of their own.
some_tests() { # folder of the build, test targets, filter, options of swift build; left_out: what the filter is not to take
  SIGNALBOX_TESTS=$2 SCRATCH_PATH=$1 Scripts/build . --build-tests "${@:4}"
  ran_tests "$1/debug/signalboxPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "$3" \
    ${left_out:+--skip "$left_out"}
}

# Runs a test command once for each filter that standard input has, two at a time, since each keeps one processor busy. Prints what a run
# has printed at that run's end.
by_filter() { # command
  local logs filter status=0 number=0 running=0 ended
  declare -A log_of=()
  logs=$(mktemp -d)
  await_one() {
    wait -n -p ended || status=$?
    cat "${log_of[$ended]}"
    running=$((running - 1))
  }
  while IFS= read -r filter; do
    [ $running -lt 2 ] || await_one
    number=$((number + 1)) running=$((running + 1))
    ran_tests "$@" --filter "$filter" >"$logs/$number" 2>&1 </dev/null &
    log_of[$!]=$logs/$number
  done
  while [ $running -gt 0 ]; do await_one; done
  rm -rf "$logs"
  return $status
}

# A pattern that matches the tests that need the machine for themselves.
alone() { sed 's/#.*//; s/ *$//; /^$/d' Tests/alone.txt | paste -sd '|'; }

install_missing() { Scripts/install-missing "$1" "$2"; } # command, package

step_toolchain() { # The toolchain, and what else the steps need
  command -v swift >/dev/null || { echo "no 'swift' on the PATH: install a toolchain from https://www.swift.org/install"; exit 1; }
  install_missing git git
  install_missing awk mawk
  install_missing taskset util-linux
  install_missing setpriv util-linux
  install_missing python3 python3
  swift --version
  echo "$(uname -srm), $(nproc) processors"
}

step_lint() { # Format: swift format lint --strict; a note at every unchecked place and every memory order; plain words; fields of comments; unwind tables of assembly; proven mutants
  swift format lint --strict --parallel -r Package.swift Sources Tests Plugins Benchmarks Examples
  Scripts/check-safety
  Scripts/check-words
  Scripts/check-sleeps
  Scripts/check-orders
  Scripts/check-prose
  Scripts/check-fields
  Scripts/check-unwinding
  Scripts/mutants --proofs
}

step_edges() { # Layers: who may import whom, and which room of a module mentions which
  Scripts/rooms.py --self-test
  SCRATCH_PATH=$scratch Scripts/check-edges
}

step_debug() { # Clean debug build with all tests, warnings are errors
  clean_build debug . Tests/Programs Tests/Bodies Benchmarks Examples Tests/Random --build-tests
}

step_tests() { # The tests, by the README's command; what that command prints of tests that fail, trap, exit or hang
  with_ours Scripts/check-runner
  ran_tests with_ours Scripts/test
}

step_instruments() { # Conformance, Foundation's locks among it, and our own locks with every instrument on
  local conformance="$conformance|SignalboxLocksTests"
  SIGNALBOX_INSTRUMENTS=255 built_tests
}

step_one-cpu() { # Conformance on one processor
  local first
  first=$(taskset -cp $$ | sed 's/.*: *//; s/[^0-9].*//')
  built_tests taskset -c "$first"
}

step_unprivileged() { # Conformance, and readings of other threads, as a user without rights
  [ "$(id -u)" = 0 ] || skip "not root: the other steps run without rights already"
  local nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups) from package
  "${nobody[@]}" swift --version >/dev/null 2>&1 || skip "the toolchain's folder is closed to other users"
  from=$(built debug)
  # A clone may lie where others have no access.
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # All programs, since each test names those that it starts.
  find "$from/" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so' \) -exec cp -t "$folder" {} +
  chown -R 65534:65534 "$folder"
  for package in signalbox signalbox-programs; do
    ran_tests env -C "$folder" HOME="$folder" "${nobody[@]}" \
      "./${package}PackageTests.xctest" --testing-library swift-testing --no-parallel \
      --filter "$conformance|ForeignMutexTests|ThreadStackTests|MixedWalkTests|BandTests|RaiseTests|ServedClassTests"
  done
}

step_release() { # Clean release build of the product and the bench, warnings are errors
  clean_build release . Benchmarks
}

step_packages() { # Release build of the examples and the programs, warnings are errors
  packages_build Examples Tests/Programs Tests/Random Tests/Bodies -c release
  # It runs: how fast is a matter of the machine.
  "$(built release)/ExploreRate" 500
}

step_recording() { # A recorded program, read by Perfetto's own message classes; ten million events, read back without a gap
  with_ours Scripts/check-recording "$(built debug)"
  Scripts/measure-events "$(built release)" --runs 1
}

step_c-face() { # Conformance through the C face, on the debug and the release library; what they need
  Scripts/check-edges --library "$(built debug)/libSignalboxABI.so"
  Scripts/check-edges --lean-library "$(built release)/libSignalboxABI.so"
  ran_tests with_ours Scripts/check-c-face
}

step_bench() { # The bench runs (no times are judged)
  local command
  command=$(built release)/signalbox
  "$command" bench --smoke
  "$command" bench --unmodified --smoke
  Scripts/measure-server --smoke --products "$(built release)"
}

step_lab() { # The lab: what articles claim about GCD, beside the documentation, every scenario; its deadlocks under signalbox explore
  packages_build Examples -c release
  "$(built release)/signalbox" lab --all
  Scripts/check-explored "$(built release)"
}

step_wordcount() { # An example that counts words: equal totals on both libraries
  with_ours Scripts/wordcount-compare
}

step_fetcher() { # A Foundation program with operations: equal reports on both libraries
  with_ours Scripts/fetcher-compare
}

step_programs() { # Programs as they are, on both libraries: equal output
  local check=(with_ours Scripts/check-programs --skip-build) first from
  "${check[@]}" --runs 5
  echo "on one processor:"
  first=$(taskset -cp $$ | sed 's/.*: *//; s/[^0-9].*//')
  with_ours taskset -c "$first" Scripts/check-programs --skip-build --runs 2
  echo "on a heap that keeps freed memory closed:"
  "${check[@]}" --runs 1 --guarded
  [ "$(id -u)" = 0 ] || return 0
  echo "as a user without rights:"
  from=$(built release)
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # A clone may lie where others have no access.
  cp "$from"/Program* "$from"/*.so "$from/signalbox" "$from/wordcount-toolchain" Scripts/check-programs "$folder" 2>/dev/null || true
  chown -R 65534:65534 "$folder"
  env -C "$folder" HOME="$folder" setpriv --reuid 65534 --regid 65534 --clear-groups \
    ./check-programs --runs 2 --products "$folder"
}

step_frames() { # Whose functions reports name: programs as they are built, optimised, stripped, linked otherwise and static, on our library
  with_ours Scripts/check-frames
}

step_hung() { # Programs on the toolchain's libraries that hang, and some that are well, inspected from outside: built in four ways, and their core dumps
  # Other programs of tasks each night.
  with_ours Scripts/check-hung --programs 800 --first $(($(date +%s) / 86400 * 1000))
}

step_sanitizer() { # Programs built with the thread sanitizer, on our library: races are reported, clean programs are not
  with_ours Scripts/check-sanitizer --skip-build
}

step_applications() { # Foundation programs and an echo server, on both libraries: equal status and output, nothing left over
  local only=()
  for program in RunLoops Children Handles Fetch Echo; do only+=(--only $program); done
  with_ours Scripts/check-toolchain --skip-build --runs 1 "${only[@]}"
}

step_allocations() { # Calls of malloc, row by row, against the list in version control; what callers with a body retain
  Scripts/check-captures "$(built release)"
  Scripts/check-allocations "$(built release)"
}

step_parity() { # API parity with the toolchain's Dispatch and its Foundation's classes
  Scripts/check-parity "$(built release)" Tests/Parity
}

step_snippets() { # The examples that README.md and the documentation show compile and run as pasted; those in comments compile
  Scripts/check-snippets "$(built release)"
}

step_demo() { # The demo, its acts shortened: what each claims comes out
  "$(built release)/signalbox" demo --quick
}

step_readme() { # README.md's commands, pasted into a shell in a fresh clone, as root and as a user without rights (step tests: Scripts/test)
  Scripts/check-readme --except Scripts/test --except Scripts/package
}

step_differences() { # Documentation/Differences is well formed, and names tests, programs and scenarios that are there; each message has its cause and fix
  Scripts/check-differences
  Scripts/check-messages
}

step_site() { # The documentation site builds without a warning, every symbol has a page and a topic; manual pages and completions are made
  install_missing /usr/share/javascript/lunr/lunr.min.js libjs-lunr
  with_ours Scripts/docs --output "$scratch/docs"
  mkdir -p "$scratch/texts"
  python3 Scripts/command_texts.py "$(built debug)/signalbox" "$scratch/texts"
}

step_docs() { # The documentation site in a browser: every page renders, search finds, no link is dead
  step_site
  install_missing chromium chromium
  install_missing chromedriver chromium-driver
  Scripts/check-docs "$scratch/docs"
}

step_view() { # Pages of recordings and reports, read with a browser: clicks, search, every lane, how long frames take
  install_missing chromium chromium
  install_missing chromedriver chromium-driver
  Scripts/check-view "$(built debug)"
}

step_mixed() { # Two minutes of mixed load in one process: its heap, descriptors and threads stay flat
  SIGNALBOX_STRESS_MIXED=120 "$(built debug)/signalbox-randomPackageTests.xctest" --testing-library swift-testing --filter MixedLoad
}

step_imports() { # Every combination of imports: our names are meant, none is ambiguous
  Scripts/check-imports "$(built release)"
}

step_fuzz() { # Event plays: the corpus, then a minute of libFuzzer with a fixed seed
  "$(built release)/EventFuzzer" Tests/Random/Corpus/*
  journal=$(mktemp -d)
  trap 'rm -rf "$journal"' EXIT
  SCRATCH_PATH=.build-fuzz Scripts/long-run --sanitize fuzzer --minutes 1 --seed 1 --journal "$journal/journal"
}

step_readers() { # Damaged recordings, reports, tokens, cores, answers and programs, by libFuzzer: a minute for all, ten in nightly
  local minutes=1
  [ $self != .ci/nightly ] || minutes=10
  SCRATCH_PATH=.build-fuzz Scripts/fuzz-readers --minutes $minutes
}

step_schedules() { # The trait Explore: its build, and the tests that choose schedules
  explored 'ExploreTests|LastTouchTests|TrioTests|LockScheduleTests|SharedWritesTests'
}

step_explore() { # The trait Explore: the tests of the modules that are explored, but for those that need the machine for themselves
  left_out=$(alone) explored .
}

step_explore-alone() { # The trait Explore: those tests
  explored "$(alone)"
}

step_engine() { # The engine's protocols, atomic by atomic, under the trait Explore: all schedules, or many that each night draws anew
  # Optimised, with the checks of debug builds: twice as many schedules.
  SCRATCH_PATH=.build-engine Scripts/build Tests/Engine --build-tests -c release \
    -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug
  local tests=(.build-engine/release/signalbox-enginePackageTests.xctest --testing-library swift-testing --no-parallel)
  local status=0 day=$(($(date +%s) / 86400)) log
  log=$(mktemp)
  # Every night three protocols go on until they have their million, or five minutes.
  export SIGNALBOX_ENGINE_SCHEDULES=1000000 SIGNALBOX_ENGINE_SECONDS=6 SIGNALBOX_ENGINE_SEED=$day
  export SIGNALBOX_ENGINE_TURN_SECONDS=300 SIGNALBOX_ENGINE_IN_TURN
  SIGNALBOX_ENGINE_IN_TURN="$(Scripts/engine-schedules --in-turn "$day")"
  # One of those in whole.txt is searched whole.
  export SIGNALBOX_ENGINE_WHOLE
  SIGNALBOX_ENGINE_WHOLE="$(Scripts/engine-schedules --whole "$day")"
  # Each test in a process of its own, those first that take longest.
  "${tests[@]}" --list-tests | Scripts/engine-schedules --order $SIGNALBOX_ENGINE_IN_TURN $SIGNALBOX_ENGINE_WHOLE |
    by_filter "${tests[@]}" | tee "$log" || status=$?
  Scripts/engine-schedules --add "$log" && Scripts/engine-schedules
  rm -f "$log"
  return $status
}

step_bundles() { # Test bundles of both kinds under signalbox explore: no false alarm, and the flaky test is found
  Scripts/check-bundles --signalbox "$(built release)/signalbox"
}

explored() { some_tests .build-explore "SignalboxSystemTests SignalboxLocksTests SignalboxDispatchTests" "$1" --traits Explore; }

step_catalogue() { # Known bugs are found by `signalbox explore`, and their mended twins raise no alarm: two seeds each
  Scripts/check-explore --signalbox "$(built release)/signalbox" --programs $scratch/explore --jobs 2 --seeds 2 --runs 3000 --twin-runs 200
}

step_tokens() { # A hundred tokens of these bugs come out the same in another process, also where personality() is refused
  Scripts/check-replay --signalbox "$(built release)/signalbox" --programs $scratch/explore --tokens 100
}

step_stress() { # Stress and event plays, fixed seeds, under the thread sanitizer
  SCRATCH_PATH=.build-tsan Scripts/build Tests/Random --build-tests --sanitize=thread
  TSAN_OPTIONS=halt_on_error=1 ran_tests \
    .build-tsan/debug/signalbox-randomPackageTests.xctest --testing-library swift-testing --no-parallel
}

step_threads() { # Dispatch, locks, Foundation's classes, conformance, recordings, a thousand inspections, readings of tasks that come and go and explored bodies under the thread sanitizer
  local targets="SignalboxLocksTests SignalboxDispatchTests SignalboxFoundationTests ConformanceSignalbox FoundationConformanceSignalbox"
  # What measures times, memory or numbers of threads measures the sanitizer here; so do the stacks in messages. A fork of a process
  # with its threads is what the sanitizer itself cannot do.
  local left_out tests policy='^SignalboxDispatchTests[.]Policy/' dispatch='^SignalboxDispatchTests[.](?!Policy/)'
  left_out="$(alone)|EvidenceTests|ForkTests|OperationLinearTests|OperationScaleTests"
  SIGNALBOX_TESTS=$targets SCRATCH_PATH=.build-tsan Scripts/build . --build-tests --sanitize=thread
  tests=(.build-tsan/debug/signalboxPackageTests.xctest --testing-library swift-testing --no-parallel --skip "$left_out")
  # Tests whose main thread is their own run in a fork.
  printf '%s\n' "$policy" "$dispatch" '^(?!SignalboxDispatchTests[.])' |
    TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" by_filter "${tests[@]}"
  # Rings, recordings that begin, are copied and end, a thousand inspections of a process whose threads contend, and 300 readings of
  # tasks that come and go; what the sanitizer says in the recorded or inspected process fails the test.
  left_out="" SIGNALBOX_STORM_READINGS=300 TSAN_OPTIONS="halt_on_error=1" \
    some_tests .build-tsan "SignalboxTimelineTests SignalboxInspectorTests" \
    "RingTests|RecorderTests/copies|FlightReportTests/goesOn|ContendedTests|TaskStormTests" --sanitize=thread
  # Bodies that are explored: races on purpose are in processes of their own, whose reports are counted.
  SCRATCH_PATH=.build-tsan Scripts/check-sanitizer --imported
  SCRATCH_PATH=.build-tsan Scripts/build Tests/Bodies --build-tests --sanitize=thread
  ran_tests .build-tsan/debug/signalbox-bodiesPackageTests.xctest --testing-library swift-testing --no-parallel
}

step_addresses() { # Data, readings of tasks that come and go or are damaged, and C programs through the C face, under the address sanitizer
  local only=() program
  export ASAN_OPTIONS=detect_leaks=0 # what lives as long as the process is no leak
  some_tests .build-asan "SignalboxDispatchTests SignalboxInspectorTests" \
    '^SignalboxDispatchTests[.].*Data|TaskStormTests|DamagedTaskTests' --sanitize=address
  SCRATCH_PATH=.build-asan Scripts/build Tests/Programs --sanitize=address
  for program in CInterface CObjects CData CChannels CExtras CLifetimes; do only+=(--only Program$program); done
  Scripts/check-programs --runs 1 --products .build-asan/debug "${only[@]}"
}

step_api() { # The public interface, beside that of the last release: what breaks; whether that check notices
  Scripts/check-api --try
  with_ours Scripts/check-api
}

step_package() { # Packages: tried in a clean Debian root, and beside a toolchain; a dependency by its address; the example for Apple's platforms
  with_ours Scripts/check-portable
  with_ours Scripts/check-dependency "$(built debug)/signalbox"
  [ "$(id -u)" = 0 ] || skip "a clean root is made and entered by root alone"
  with_ours Scripts/check-package --cache "$scratch/package-root"
}

heading() { sed -n "s/^step_$1() { # //p" .ci/steps.sh; }

# Runs one step in a process of its own and copies what it says to the file $2; sets `status`.
run_step() {
  local left=$((limit - SECONDS)) copy
  status=0
  if [ $left -le 0 ]; then
    echo "no time is left for this step" | tee "$2"
    status=1
    return
  fi
  # In the background, so that an interrupt reaches the trap at once; `timeout` passes it to all of the step's processes.
  local most=$step_limit
  [[ $long_steps != *" $step "* ]] || most=$long_limit
  timeout --kill-after=20 $((left < most ? left : most)) $self --step "$1" > "$2" 2>&1 &
  child=$!
  # Ends with the step, whatever processes the step has left behind.
  tail --lines=+1 --follow --sleep-interval=0.2 --pid=$child "$2" &
  copy=$!
  wait $child || status=$?
  wait $copy || true
  [ $status -ne 124 ] || echo "stopped: the step took too long" | tee -a "$2"
}

# Begins a step beside another one; what it prints goes to the file. An interrupt is passed on to all of its processes.
begin_beside() { # step, file
  local left=$((limit - SECONDS)) most=$step_limit began=$SECONDS
  [[ $long_steps != *" $1 "* ]] || most=$long_limit
  (
    status=0
    if [ $left -gt 0 ]; then
      timeout --kill-after=20 $((left < most ? left : most)) $self --step "$1" >"$2" 2>&1 &
      trap "kill -TERM $! 2>/dev/null; exit 143" TERM
      wait $! || status=$?
      [ $status -ne 124 ] || echo "stopped: the step took too long" >>"$2"
    else
      echo "no time is left for this step" >"$2"
      status=1
    fi
    echo "$status $((SECONDS - began))" >"$2.end"
  ) &
  beside=$!
}
# Waits for its end, prints what it has printed, and sets `status` and `took`: a step that left no such line was ended from outside.
await_beside() { # file
  status=1 took=0
  wait $beside || true
  beside=
  [ ! -e "$1.end" ] || read -r status took <"$1.end"
  rm -f "$1.end"
  cat "$1"
}

# The lines of a failed step's output that tell why, or else its last ones.
reasons() {
  local lines
  lines=$(grep -aE 'recorded an issue|✘ Test .* (failed|ended its process|hung)|error: |ThreadSanitizer: |^signalbox: |^STUCK|^stopped: |differs' "$1" | tail -n 5 || true)
  [ -n "$lines" ] || lines=$(tail -n 5 "$1")
  cut -c1-300 <<< "$lines" | sed "s/^/  /"
}

# Counts the step that has ended, as `status` says, after `took` seconds.
count_step() { # file
  case $status in
    0) word=passed passed=$((passed + 1)) ;;
    "$skipped") word=skipped ;;
    *) word=FAILED failed=$((failed + 1)) why+=("$step:" "$(reasons "$1")") ;;
  esac
  summary+=("$(printf '%-8s %5d s  %-13s %s' $word "$took" "$step" "$(heading "$step")")")
}

# Runs steps one after another; two with a plus between them beside each other.
run_all() {
  local entry step other began took beside= passed=0 failed=0 summary=() why=() word log
  exec 2>&1 # one order for all output
  log=$(mktemp)
  trap 'kill -TERM ${child:-} ${beside:-} 2>/dev/null; exit 130' INT TERM
  trap "rm -f '$log' '$log.beside' '$log.beside.end'" EXIT
  for entry in "$@"; do
    step=${entry%+*} other=
    [ "$step" = "$entry" ] || other=${entry#*+}
    [ -z "$other" ] || begin_beside "$other" "$log.beside"
    began=$SECONDS
    printf '\n== %s: %s\n' "$step" "$(heading "$step")"
    run_step "$step" "$log"
    took=$((SECONDS - began))
    count_step "$log"
    [ -n "$other" ] || continue
    step=$other
    printf '\n== %s: %s\n' "$step" "$(heading "$step")"
    await_beside "$log.beside"
    count_step "$log.beside"
  done
  printf '\n== Summary (%d min %d s)\n' $((SECONDS / 60)) $((SECONDS % 60))
  printf '%s\n' "${summary[@]}"
  [ $failed -eq 0 ] || printf '%s\n' "" "What failed says:" "${why[@]}" ""
  echo "$passed passed, $failed failed"
  [ $failed -eq 0 ]
}

main() {
  case ${1:-} in
    --step) "step_$2" ;;
    --list) for step in ${steps[@]//+/ }; do printf '%-13s %s\n' "$step" "$(heading "$step")"; done ;;
    "") run_all "${steps[@]}" ;;
    *)
      for step in "$@"; do
        [ -n "$(heading "${step%+*}")" ] && [ -n "$(heading "${step#*+}")" ] || { echo "there is no step '$step'; '$self --list' names them" >&2; exit 2; }
      done
      run_all "$@"
      ;;
  esac
}
