# test_conditions.sh: how Scripts/test, which reads it in, pretends another machine: its age, its processors, what runs beside.

# Words before a test process's command.
conditions=()
load=()

# From `given_age`, `given_processors` and `given_beside`: options of Scripts/test.
make_conditions() {
  local up shift present list number
  if [ -n "${given_age:-}" ]; then
    unshare --time true 2>/dev/null || {
      echo "Scripts/test: --age needs a time namespace, which root alone may make" >&2
      exit 1
    }
    up=$(cut -d. -f1 /proc/uptime)
    shift=$((given_age - up))
    # The kernel counts both clocks from there: for system calls, futexes and timers alike. Processors count on as they are.
    conditions+=(unshare --time --monotonic="$shift" --boottime="$shift")
  fi
  if [ -n "${given_processors:-}" ]; then
    present=$(nproc)
    if [ "$given_processors" -gt "$present" ]; then
      export SIGNALBOX_PROCESSORS=$given_processors
    else
      list=$(taskset -cp $$ | sed 's/.*: *//')
      conditions+=(taskset -c "$(first_processors "$list" "$given_processors")")
    fi
  fi
  for ((number = 0; number < ${given_beside:-0}; number++)); do
    (trap - INT TERM EXIT; while :; do :; done) &
    load+=($!)
  done
  [ -z "${given_age:-}${given_processors:-}${given_beside:-}" ] ||
    echo "== As if: age ${given_age:-its own}, processors ${given_processors:-its own}, busy processes ${given_beside:-0}"
}

end_load() {
  [ ${#load[@]} -eq 0 ] || kill "${load[@]}" 2>/dev/null || true
  load=()
}

# Of a list such as 0-3,8 the first ones.
first_processors() { # list, number
  local part from to one chosen=()
  for part in ${1//,/ }; do
    from=${part%-*} to=${part#*-}
    for ((one = from; one <= to && ${#chosen[@]} < $2; one++)); do chosen+=("$one"); done
  done
  local IFS=,
  echo "${chosen[*]}"
}
