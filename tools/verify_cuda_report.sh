# Sourced by tools/verify-cuda: runs steps, remembers how each ended, and writes the two reports.
# shellcheck shell=bash disable=SC2154  # out, program, root and quick are the caller's

passed=0 failed=0 left_out=0 count=0
step_json=() step_markdown=() result_json=()

json_text() {  # TEXT
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\t'/ }
  printf '"%s"' "${text//$'\n'/\\n}"
}

remember() {  # NAME OUTCOME SECONDS DETAIL
  step_json+=("    {\"step\": $(json_text "$1"), \"outcome\": \"$2\", \"seconds\": $3, \"detail\": $(json_text "$4")}")
  step_markdown+=("| $1 | $2 | $3 | ${4//|/\\|} |")
  printf '%-10s %s%s\n' "$2" "$1" "${4:+: $4}" >&2
}

# The last line that a step prints is its detail; all of it is kept in a log beside the report.
step() {  # NAME COMMAND...
  local name=$1 log start outcome=passed
  shift
  ((count += 1))
  log=$(last_log)
  start=$SECONDS
  if "$@" >"$log" 2>&1; then
    ((passed += 1))
  else
    outcome=failed
    ((failed += 1))
  fi
  remember "$name" "$outcome" "$((SECONDS - start))" "$(sed '/^[[:space:]]*$/d' "$log" | tail -1)"
}

last_log() { printf '%s' "$out/step-$count.log"; }

leave_out() {  # NAME REASON
  ((left_out += 1))
  remember "$1" 'left out' 0 "$2"
}

# What a step measured, as the program wrote it; nothing if it failed.
figures() {  # NAME FILE
  if [[ -s $2 ]]; then result_json+=("    $(json_text "$1"): $(cat "$2")"); fi
}

# The field of the first device of that name in the list that the program wrote.
field_of() {  # DEVICE FIELD
  sed -n "/\"device\": \"$1\"/,/}/s/^ *\"$2\": \"\(.*\)\",\{0,1\}$/\1/p" "$out/devices.json" | head -1
}

begin_report() {
  card=$(field_of cuda:0 name)
  driver=$(field_of cuda:0 driver)
  date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  version=$("$program" --version 2>/dev/null | head -1 || true)
  commit=$(git -C "$root" describe --always --abbrev=40 --dirty --match= 2>/dev/null || true)
  note="every step ran on this card" simulated=''
  if [[ $card == 'Backplane simulated card'* ]]; then
    simulated=yes
    note="this is the simulated card of tests/sim: no real one has run this"
  fi
  if [[ $quick == yes ]]; then note+="; --quick: a few cases and steps only"; fi
}

# LIST_NAME: its elements with commas between.
joined() {
  local -n list=$1
  local IFS=$'\x1f' text
  text="${list[*]}"
  printf '%s' "${text//$'\x1f'/,$'\n'}"
}

write_reports() {
  {
    printf '{\n  "card": %s,\n  "driver": %s,\n' "$(json_text "$card")" "$(json_text "$driver")"
    printf '  "date": "%s",\n  "version": %s,\n' "$date" "$(json_text "$version")"
    printf '  "commit": %s,\n  "simulated": %s,\n' "$(json_text "$commit")" "$([[ -n $simulated ]] && echo true || echo false)"
    printf '  "note": %s,\n' "$(json_text "$note")"
    printf '  "passed": %d,\n  "failed": %d,\n  "left_out": %d,\n' "$passed" "$failed" "$left_out"
    printf '  "steps": [\n%s\n  ],\n  "results": {\n%s\n  }\n}\n' "$(joined step_json)" "$(joined result_json)"
  } >"$out/verify-cuda.json"
  {
    printf '# verify-cuda: %s\n\n' "$card"
    printf '%s; backplane %s (%s); %s.\n\n' "$driver" "$version" "${commit:-no commit}" "$date"
    printf '%s. %d steps passed, %d failed, %d were left out.\n\n' "${note^}" "$passed" "$failed" "$left_out"
    printf '| step | outcome | s | last line, or the reason |\n|---|---|---|---|\n'
    printf '%s\n' "${step_markdown[@]}"
    if ((count > 0)); then printf '\nThe logs of the steps are beside this file.\n'; fi
  } >"$out/verify-cuda.md"
}
