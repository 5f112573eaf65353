#!/usr/bin/env bash
# tools/compare finds missing packages, installs them, or stops with the line to run.
#
#   setup.sh SOURCE_FOLDER WORK_FOLDER
#
# A copy of tools/ in a path with a space is run against stand-ins for Debian's programs, so that
# nothing is installed: each writes down how it was called.
# shellcheck disable=SC2016  # what stands in single quotes is for the stand-ins to expand
set -euo pipefail
source_folder=$1 work=$2

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
expect() {  # PART: the output of the last run holds it
  grep -qF -- "$1" "$work/output" || fail "'$1' is missing in:"$'\n'"$(<"$work/output")"
}
stand_in() {  # NAME SCRIPT
  printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$work" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
run() {  # EXIT_CODE COMMAND...
  local expected=$1 code=0
  shift
  : >"$work/calls"
  PATH=$work/bin "$@" >"$work/output" 2>&1 </dev/null || code=$?
  [[ $code == "$expected" ]] || fail "$*: exit code $code, expected $expected: $(<"$work/output")"
}

rm -rf "$work"
mkdir -p "$work/bin" "$work/a place/tools"
cp "$source_folder"/tools/{compare,setup.sh} "$work/a place/tools"
ln -s "$work/a place/tools/compare" "$work/compare"
for program in bash awk basename dirname readlink env grep; do
  ln -s "$(command -v "$program")" "$work/bin/$program"
done

# The build leaves a program that prints its arguments.
stand_in cmake 'if [[ $1 == --build ]]; then
  printf "#!/bin/bash\nprintf \"<%%s>\" \"\$@\"\n" >"$2/bin/backplane"; /bin/chmod +x "$2/bin/backplane"
else /bin/mkdir -p build/release/bin; : >build/release/build.ninja; fi'
stand_in ninja ''
stand_in id 'echo 0'
stand_in apt-get ''
everything='for name in g++ cmake ninja-build libdnnl-dev libhwy-dev opencl-headers libclblast-dev \
  pocl-opencl-icd oclgrind zlib1g-dev libcli11-dev libfmt-dev nlohmann-json3-dev \
  doctest-dev libonnx-testdata libonnx-dev libprotobuf-dev; do echo "$name installed"; done'

stand_in dpkg-query "$everything"
run 0 "$work/compare" --epochs 3 --install --data 'a b'
[[ $(<"$work/output") == '<compare><--epochs><3><--data><a b>' ]] || fail "$(<"$work/output")"
! grep -q apt-get "$work/calls" || fail 'nothing is missing, yet apt-get ran'

# A second start configures nothing.
run 0 "$work/compare"
! grep -q -- --preset "$work/calls" || fail 'the second start configured again'

stand_in dpkg-query "echo 'g++ installed'; echo 'cmake not-installed'; exit 1"
run 0 "$work/compare"
expect 'libdnnl-dev  '
grep -qF 'apt-get install --no-install-recommends -y cmake ninja-build libdnnl-dev' "$work/calls" ||
  fail "apt-get wasn't asked for what is missing: $(<"$work/calls")"

stand_in apt-get 'exit 100'
run 10 "$work/compare"
expect 'run: apt-get update && apt-get install --no-install-recommends -y cmake ninja-build'

stand_in id 'echo 1000'
run 10 "$work/compare"
expect 'as root, run: apt-get update'
stand_in sudo 'shift; exec "$@"'
stand_in apt-get ''
run 0 "$work/compare"
grep -qF 'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install' "$work/calls" ||
  fail "sudo wasn't used: $(<"$work/calls")"

rm "$work/bin/dpkg-query"
run 10 "$work/compare"
expect 'install the like of g++ cmake'
