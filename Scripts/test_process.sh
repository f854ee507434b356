# test_process.sh: runs the tests of one program, follows their events, and starts it again behind a test that ended it.
# What is printed and counted is test_report.sh. Read in by Scripts/test.

nothing_chosen=69 # the status of Swift Testing where no test has the name
process=          # the process that runs

# What a test left behind goes with its process.
end_process_group() {
  [ -z "$process" ] || kill -KILL -- -"$process" 2>/dev/null || true
  process=
}

# Starts the command in a process group of its own; standard output and error go to $log. A shell between reports its number and
# then its status: bash would print a line on the terminal for each process that a signal ends.
start_process() {
  exec {news}< <(exec 2>/dev/null; set +e -m; "${conditions[@]}" "$@" >>"$log" 2>&1 </dev/null & echo $!; wait $!; echo $?)
  read -r -u "$news" process
}

# Waits for the end and sets `status`.
await_process() {
  read -r -u "$news" status || status=255
  exec {news}<&-
  end_process_group
}

# Reads lines as they come and hands them to the function $1. Nothing comes for long: the process hangs, and is aborted.
follow_lines() { # function
  local line result limit=$silence seconds=0
  is_hung=
  while :; do
    result=0
    IFS= read -r -t "$limit" line || result=$?
    if [ $result -gt 128 ]; then
      stop_hung
      continue
    fi
    [ $result -eq 0 ] || break
    "$1" "$line"
  done
}

# By SIGABRT first, so that the toolchain prints where the threads are. The process may go on after that.
stop_hung() {
  if [ -z "$is_hung" ]; then
    kill -ABRT "$process" 2>/dev/null || true
    is_hung=yes limit=1
  elif [ $((seconds += 1)) -ge 60 ] || tail -n 5 "$log" | grep -q '^Backtrace took '; then
    kill -KILL "$process" 2>/dev/null || true
  fi
}

# The records of Swift Testing that are of use, cut to their useful part: a record is one line, its keys are in order.
event_pattern='("displayName":"([^"\]|\\.)*",)?"id":"[^"]*",("isParameterized":[a-z]+,)?"kind":"(suite|function)".*'
event_pattern+='|"instant":\{[^}]*\},"kind":"(test(Started|Ended|Skipped)|runEnded)","messages".*|"kind":"testCaseStarted"'
event_pattern+='|"_sourceLocation":\{[^}]*\},.*"kind":"issueRecorded".*|"kind":"issueRecorded".*'

swift_event() { # record
  local record=$1 id rest
  case $record in
    *'"kind":"testCaseStarted"'*) ;; # a sign of life
    *'"kind":"issueRecorded"'*)
      [[ $record == *'"messages":[{"symbol":"fail"'* ]] || return 0
      issue_text "$record"
      place_of "$record"
      note_issue "$text" "$REPLY"
      ;;
    *'"kind":"runEnded"'*) is_over=yes ;;
    *'"kind":"test'*'"messages"'*)
      id=${record##*\"testID\":\"}
      id=${id%%\"*}
      rest=${record#*\"absolute\":}
      rest=${rest%%,*}000
      moment=${rest%%.*}
      [[ $rest == *.* ]] && rest=${rest#*.} || rest=000
      moment=$((10#$moment${rest:0:3})) # milliseconds
      if [[ $record == *'"kind":"testStarted"'* ]]; then
        test_started "${id//\\\//\/}"
      else
        [[ $record == *'"messages":[{"symbol":"fail"'* ]] && rest=failed || rest=passed
        test_ended "${id//\\\//\/}" $rest
      fi
      ;;
    *) plan_record "$record" ;;
  esac
}

# Text of a JSON string, without its quotes: in `text`.
unescape() { # string
  text=${1//\\\//\/}
  text=${text//\\\"/\"}
  text=${text//\\n/ }
  text=${text//\\\\/\\}
}

# What an issue says: its title, and the first detail, which is all that an exit test's issue has to say.
issue_text() { # record
  local rest=${1#*\"messages\":\[} part all=""
  for part in title detail; do
    [[ $rest == *'"text":'* ]] || break
    rest=${rest#*\"text\":}
    [[ $rest =~ ^\"(([^\"\\]|\\.)*)\" ]] || break
    unescape "${BASH_REMATCH[1]}"
    all+=${all:+: }$text
    rest=${rest:${#BASH_REMATCH[0]}}
  done
  text=$all
}

# Where a test or an issue is, from the root of the package: in REPLY.
place_of() { # record
  REPLY=${1#*\"_filePath\":\"}
  local line=${REPLY#*\"line\":}
  REPLY=${REPLY%%\"*}
  REPLY=${REPLY//\\\//\/}
  REPLY=${REPLY#"$root"/}:${line%%\}*}
}

# A test or a suite that is to run: they all come before the first event.
plan_record() { # record
  local record=$1 id name kind=function
  id=${record#*\"id\":\"}
  id=${id%%\"*}
  id=${id//\\\//\/}
  [[ $record != *'"kind":"suite"'* ]] || kind=suite
  name=${id%/*.swift:*}
  name=${name##*[/.]}
  if [[ $record == '"displayName":"'* ]]; then
    name=${record#*:\"}
    unescape "${name%%\",\"id\":*}"
    name="\"$text\""
  fi
  place_of "$record"
  plan "$id" $kind "$name" "$REPLY"
}

may_start_again() {
  [ $((restarts += 1)) -gt "$most_restarts" ] || return 0
  add_failure "The tests of $label were started again $most_restarts times: no more."
  return 1
}

# Runs the tests of a program that the options choose, to the last one.
swift_tests() { # name of its files, program, options of Swift Testing
  local label=$1 program=$2 log=$output/$1.log events=$output/$1.events
  shift 2
  local restarts=0 is_over is_hung status news patterns=("$@")
  begin_report
  while :; do
    is_over= running=
    : >"$events"
    start_process "$program" --testing-library swift-testing --no-parallel --event-stream-output-path "$events" \
      --event-stream-version 0 "${patterns[@]}"
    follow_lines swift_event < <(tail -n +1 -f -s 0.2 --pid="$process" "$events" 2>/dev/null |
      LC_ALL=C grep -oE --line-buffered "$event_pattern")
    await_process
    process_ended && break
    may_start_again || break
    patterns=("$@")
    # While none has ended, the pattern of none would leave all out.
    [ ${#outcome[@]} -eq 0 ] || patterns+=(--skip "$(ended_pattern)")
  done
  end_report
}

# The names of the program's XCTest cases that are chosen.
cases() { # program, options
  local names word
  names=$("$1" --list-tests 2>/dev/null | grep / || true)
  shift
  while [ $# -gt 0 ]; do
    word=-E
    [ "$1" = --filter ] || word=-vE
    names=$(grep $word -- "$2" <<<"$names" || true)
    shift 2
  done
  echo "$names"
}

xctest_line() { # line of standard output
  local line=$1 id
  if [[ $line =~ ^Test\ Case\ \'([^\']*)\'\ (started|passed|failed|skipped)\ (.*) ]]; then
    id=${BASH_REMATCH[1]/.//}
    moment=${EPOCHREALTIME/[.,]/}
    moment=${moment:0:-3}
    case ${BASH_REMATCH[2]} in
      started) test_started "$id" ;;
      failed) test_ended "$id" failed ;;
      *) test_ended "$id" passed ;;
    esac
  elif [[ $line =~ ^(/.*:[0-9]+):\ error:\ [^:]*:\ (.*) ]]; then
    note_issue "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]#"$root"/}"
  fi
}

# Runs those written for XCTest, the same way.
xctest_cases() { # name of its files, program, options
  local label=$1 program=$2 log=$output/$1.log chosen one from restarts=0 is_over is_hung status news
  shift
  chosen=$(cases "$@")
  [ -n "$chosen" ] || return 0
  : >"$log"
  begin_report
  for one in $chosen; do
    plan "${one#*.}" function "${one##*/}" "${one%%.*}"
    one=${one#*.}
    plan "${one%/*}" suite "${one%/*}" ""
  done
  while :; do
    is_over= running=
    from=$(wc -l <"$log")
    start_process "$program" "$(paste -sd , <<<"$chosen")"
    follow_lines xctest_line < <(tail -n +$((from + 1)) -f -s 0.2 --pid="$process" "$log" 2>/dev/null |
      grep -E --line-buffered "^Test Case '|: error: |^Executed")
    await_process
    [ $status -gt 1 ] || is_over=yes
    process_ended && break
    may_start_again || break
    chosen=$(for one in $chosen; do [ -n "${outcome[${one#*.}]:-}" ] || echo "$one"; done)
    [ -n "$chosen" ] || break
  done
  end_report
}
