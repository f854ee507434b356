# test_report.sh: what Scripts/test, which reads it in, counts and prints of tests and failures. Processes are test_process.sh.

stopping='\) (ended its process|hung): ' # a test that did not end by itself
most_lines=40 # of what a failed test has written
most_again=3  # times that a test of the toolchain's own library is run once more when that library has ended the process
on_terminal=
[ ! -t 1 ] || on_terminal=yes

# For the tests of one program. Tests and suites go by their identity, such as `Module.Suite/test()/File.swift:1:2`.
begin_report() {
  declare -gA kinds=() names=() places=() outcome=() issues=() texts=() again=()
  declare -gA suite_tests=() suite_failed=() suite_time=() suite_over=()
  declare -g planned=0 planned_suites=0 ended=0 failed=0 stopped=0 moment=0
}

plan() { # identity, suite or function, name, place
  [ -z "${kinds[$1]:-}" ] || return 0
  kinds[$1]=$2 names[$1]=$3 places[$1]=$4
  if [ "$2" = suite ]; then planned_suites=$((planned_suites + 1)); else planned=$((planned + 1)); fi
}

# The suite of a test, or its module: in REPLY.
suite_of() { # identity
  REPLY=${1%/*.swift:*}
  if [[ $REPLY == */* ]]; then REPLY=${REPLY%/*}; else REPLY=${REPLY%%.*}; fi
}

test_started() { # identity
  [ "${kinds[$1]:-}" = function ] || return 0
  running=$1 started=$moment
  [ -z "$on_terminal" ] || show_progress "$label: $ended of $planned  ${names[$1]}"
}

test_ended() { # identity, passed or failed
  if [ "${kinds[$1]:-}" != function ]; then
    suite_over[$1]=yes
    print_suite "$1"
    return
  fi
  outcome[$1]=$2 ended=$((ended + 1))
  suite_of "$1"
  suite_tests[$REPLY]=$((${suite_tests[$REPLY]:-0} + 1))
  # A test that is left out because of a trait never starts.
  [ "$running" != "$1" ] || suite_time[$REPLY]=$((${suite_time[$REPLY]:-0} + moment - started))
  running=
  [ "$2" = failed ] || return 0
  failed=$((failed + 1))
  suite_failed[$REPLY]=$((${suite_failed[$REPLY]:-0} + 1))
  add_failure "Test ${names[$1]} (${issues[$1]:-${places[$1]}}) failed: ${texts[$1]:-see $log}"
  own_lines "${names[$1]}" | indent
}

note_issue() { # text, place
  if [ -z "$running" ]; then
    add_failure "An issue was recorded while no test ran ($2): $1"
  elif [ -z "${issues[$running]:-}" ]; then
    issues[$running]=$2 texts[$running]=$1
  fi
}

counted() { # number, noun
  echo "$1 $2$([ "$1" = 1 ] || echo s)"
}

print_suite() { # identity
  local count=${suite_tests[$1]:-0} sign=✔ some="" time=${suite_time[$1]:-0} name=${names[$1]:-$1, outside suites}
  [ "$count" -gt 0 ] || return 0
  name=${name#\"}
  [ -z "${suite_failed[$1]:-}" ] || sign=✘ some=", ${suite_failed[$1]} failed"
  clear_progress
  printf '%s %s: %s%s, %d.%d s (%d of %d)\n' $sign "${name%\"}" "$(counted "$count" test)" "$some" \
    $((time / 1000)) $((time % 1000 / 100)) "$ended" "$planned"
  suite_tests[$1]=0
}

# The test that was running has ended its process, or no test was. False: there is more to run.
process_ended() {
  local words one
  words=$(ending "$status")
  if [ -n "$is_over" ]; then
    if [ "$status" = $nothing_chosen ]; then
      [ ${#choice[@]} -gt 0 ] || add_failure "There are no tests of $label."
    elif [ "$status" -ne 0 ] && [ $((failed + stopped)) -eq 0 ]; then
      add_failure "The tests of $label have passed, but their process ended with $words: see $log"
    fi
    return 0
  fi
  if [ $planned -eq 0 ]; then
    add_failure "The tests of $label did not begin: $words, see $log"
    tail -n $most_lines "$log" | indent
    return 0
  fi
  if [ -z "$running" ]; then
    add_failure "The tests of $label ended between two tests, with $words: see $log"
    last_lines | indent
  elif [ "${owner:-}" = toolchain ] && [ "${again[$running]:-0}" -lt $most_again ]; then
    again[$running]=$((${again[$running]:-0} + 1))
    again_count=$((${again_count:-0} + 1))
    clear_progress
    echo "== Test ${names[$running]} ended its process: $words."
    echo "== It tests the toolchain's own library: nothing of Signalbox ran in it. Once more:"
  else
    stop_at_test "$words"
  fi
  for one in "${!kinds[@]}"; do
    [ "${kinds[$one]}" != function ] || [ -n "${outcome[$one]:-}" ] || return 1
  done
}

stop_at_test() { # how the process ended
  local place whose="" words=$1 test="Test ${names[$running]} (${places[$running]})"
  outcome[$running]=stopped stopped=$((stopped + 1)) ended=$((ended + 1))
  suite_of "$running"
  suite_failed[$REPLY]=$((${suite_failed[$REPLY]:-0} + 1)) suite_tests[$REPLY]=$((${suite_tests[$REPLY]:-0} + 1))
  place=$(last_lines | crash_place)
  [ "${owner:-}" != toolchain ] || whose=" The library is the toolchain's own."
  if [ -n "$is_hung" ]; then
    add_failure "$test hung: its process was stopped after ${given_silence:-600} silent seconds.$whose"
    words="stopped after a silence"
    last_lines | own_frames | indent
  else
    add_failure "$test ended its process: $1${place:+, in $place}.$whose"
    last_lines | crash_lines | own_frames | indent
  fi
  echo "$words" >>"$output/endings"
}

# How a process has ended, in words.
ending() { # status
  local name
  if [ "$1" -gt 128 ] && name=$(kill -l "$1" 2>/dev/null); then
    echo "SIG$name ($(($1 - 128)))"
  else
    echo "exit status $1"
  fi
}

# The first frame of the thread that crashed which is in this package's sources.
crash_place() {
  sed -n '/ crashed:$/,/^Thread /{/ at '"${root//\//\\/}"'\//{
    s/^ *[0-9]* *//; s/^\(\[[a-z]*\] *\)*0x[0-9a-f]* //; s/ + [0-9]* in [^ ]* at / at /; s/ in [^ ]* at / at /
    s/ at '"${root//\//\\/}"'\// at /; p; q
  }}'
}

# What came before the toolchain's report of a crash, and the thread that crashed.
crash_lines() {
  awk '
    /^\*\*\* Signal / { inside = 1 }
    / crashed:$/ { frames = 12 }
    !inside || frames-- > 0 || /^\*\*\* (Program|Swift)/'
}

# Without the frames of the testing library, which are the same for every test.
own_frames() {
  grep -avE ' in lib(Testing|swift_Concurrency)\.so| at /tmp/swift-generated-sources' || true
}

# What the test that ended last has written, by the lines that Swift Testing prints around it.
own_lines() { # name
  name=$1 awk '
    BEGIN { name = ENVIRON["name"] }
    /^◇ Test case passing / { next }
    /^◇ Test .* started\.$/ || /^Test Case .* started at / { lines = ""; next }
    (at = index($0, "✘ Test " name)) && index($0, " failed after ") { kept = lines substr($0, 1, at - 1); lines = ""; next }
    /^Test Case .* failed \(/ { kept = lines; lines = ""; next }
    { lines = lines $0 "\n" }
    END { printf "%s", kept }' "$log"
}

# What the last test has written.
last_lines() {
  awk '
    /^◇ Test case passing / { next }
    /^◇ Test .* started\.$/ || /^Test Case .* started at / { lines = ""; next }
    { lines = lines $0 "\n" }
    END { printf "%s", lines }' "$log"
}

indent() {
  awk -v most=$most_lines -v log_file="$log" '
    /^ *$/ { next }
    ++lines <= most { print "    " substr($0, 1, 200) }
    END { if (lines > most) print "    … and " lines - most " more lines: " log_file }'
}

add_failure() { # text
  clear_progress
  echo "✘ $1" | tee -a "$output/failures"
}

# What is to be left out of a process that goes on behind the tests that have ended: a regular expression.
ended_pattern() {
  local one
  {
    for one in "${!suite_over[@]}"; do echo "$one/"; done
    for one in "${!outcome[@]}"; do
      suite_of "$one"
      [ -n "${suite_over[$REPLY]:-}" ] || echo "$one\$"
    done
  } | sed 's/[][\.^*+?(){}|]/\\&/g; s/[^$]$/&/' | paste -sd '|' | sed 's/^/^(/; s/$/)/'
}

# Counts that are added up at the end, and suites that were left open.
end_report() {
  local one
  for one in "${!suite_tests[@]}"; do print_suite "$one"; done
  clear_progress
  [ $ended -ge $planned ] || [ $((failed + stopped)) -gt 0 ] ||
    add_failure "$(counted $((planned - ended)) test) of $label did not run: see $log"
  echo "$planned $planned_suites $failed $stopped $((planned - ended))" >>"$output/counts"
}

report_lock_orders() {
  local lines
  lines=$(cat "$output"/*.log | grep -a -A 12 'signalbox: lock order:' | head -n 60 || true)
  [ -n "$lines" ] || return 0
  echo "$lines"
  add_failure "The tests take locks in orders that contradict each other: see above"
}

last_words() { # seconds
  local all failures=0 how
  all=$(awk '{ tests += $1; suites += $2; failed += $3; stopped += $4; left += $5 }
    END { print tests, suites, failed, stopped, left }' "$output/counts")
  read -r tests suites failed stopped left <<<"$all"
  [ ! -e "$output/failures" ] || failures=$(wc -l <"$output/failures")
  if [ "$failures" -eq 0 ]; then
    [ "$tests" -gt 0 ] || { echo "Scripts/test: no test has such a name" >&2; exit $nothing_chosen; }
    rm -f "$output"/*.events
    [ -z "${again_count:-}" ] || echo "The toolchain's own library ended its process $(counted "$again_count" time); its tests passed when run again."
    echo "Test run with $(counted "$tests" test) in $(counted "$suites" suite) passed after $1 seconds."
    return
  fi
  # Ten lines in all.
  echo "What tests have written: $output"
  # Those that ended a process come first.
  { grep -E "$stopping" "$output/failures"; grep -vE "$stopping" "$output/failures"; } |
    head -n $((failures > 8 ? 7 : 8)) || true
  [ "$failures" -le 8 ] || echo "and $((failures - 7)) more, listed in $output/failures"
  how=$([ ! -e "$output/endings" ] || sort "$output/endings" | sed 's/ ([0-9]*)$//' | uniq | paste -sd , | sed 's/,/, /g')
  [ "$stopped" -eq 0 ] || how=", $stopped ended $([ "$stopped" = 1 ] && echo its process || echo their processes) ($how)"
  [ "$left" -eq 0 ] || how+=", $left did not run"
  echo "Test run with $(counted "$tests" test) in $(counted "$suites" suite) FAILED after $1 seconds: $failed failed$how."
  exit 1
}

# On a terminal: one line, which the next one takes the place of.
show_progress() { printf '\r\e[K%s' "$(cut -c "1-$((${COLUMNS:-80} - 1))" <<<"$1")"; }
clear_progress() { [ -z "$on_terminal" ] || printf '\r\e[K'; }
