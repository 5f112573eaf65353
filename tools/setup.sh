# Sourced by tools/compare and tools/test: installs missing packages, configures, builds.
#
# Prints to stderr only, so that the output of the command itself can be piped.
# shellcheck shell=bash

readonly exit_packages=10 exit_build=11

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root

# Debian 12's names, and what needs each.
readonly packages='
g++                 compiles everything
cmake               configures the build
ninja-build         runs the build
libdnnl-dev         oneDNN, for convolutions and products of the onednn back end
libhwy-dev          Highway, for the vector code in kernels/cpu
opencl-headers      the opencl back end
libclblast-dev      matrix products of the opencl back end on GPUs
pocl-opencl-icd     an OpenCL device on every CPU
oclgrind            the tests of OpenCL kernels for races
zlib1g-dev          reads the gzipped MNIST files
libcli11-dev        the command line of the backplane program
libfmt-dev          texts, and the tables of the backplane program
nlohmann-json3-dev  the JSON of the backplane program
doctest-dev         the tests
libonnx-testdata    the tests that the ONNX project has of its operators
libonnx-dev         reads them
libprotobuf-dev     what libonnx-dev is made of
'

say() { printf '%s\n' "$*" >&2; }

stop() {  # EXIT_CODE TEXT
  say "$(basename "$0"): $2"
  exit "$1"
}

# The lines of `packages` that dpkg doesn't know as installed.
missing_packages() {
  local names installed
  names=$(awk 'NF {print $1}' <<<"$packages")
  # dpkg-query fails when it meets a name it has never heard of, and still prints the others.
  # shellcheck disable=SC2086  # one argument a name
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $names 2>/dev/null || true)
  awk 'NR == FNR {if ($2 == "installed") installed[$1]; next} NF && !($1 in installed)' \
    <(printf '%s\n' "$installed") <(printf '%s\n' "$packages")
}

# Whether the user wants them installed: yes by --install, and where nobody can be asked.
may_install() {
  local answer
  if [[ $install == yes || ! -t 0 ]]; then return 0; fi
  read -r -p 'Install them now? [Y/n] ' answer
  [[ -z $answer || $answer == [yY]* ]]
}

require_packages() {
  local missing names as_root line
  command -v dpkg-query >/dev/null || stop "$exit_packages" "packages: this script knows Debian's \
only; install the like of $(awk 'NF {printf "%s ", $1}' <<<"$packages")then run \
cmake --preset release && cmake --build --preset release, which leaves build/release/bin/backplane"
  missing=$(missing_packages)
  if [[ -z $missing ]]; then return; fi
  say "These Debian packages are missing:"$'\n'"$missing"

  names=$(awk '{printf " %s", $1}' <<<"$missing")
  as_root=''
  if [[ $(id -u) != 0 ]]; then as_root='sudo '; fi
  line="${as_root}apt-get update && ${as_root}apt-get install --no-install-recommends -y$names"
  if ! command -v apt-get >/dev/null || { [[ -n $as_root ]] && ! command -v sudo >/dev/null; }; then
    stop "$exit_packages" "packages: only root can install them; as root, run: ${line//sudo /}"
  fi
  may_install || stop "$exit_packages" "packages: nothing was installed; run: $line"
  # Without a terminal sudo must not wait for a password.
  if [[ -n $as_root && ! -t 0 ]]; then as_root='sudo -n '; fi
  # shellcheck disable=SC2086  # one word a package, and sudo's option
  if ! { ${as_root}env DEBIAN_FRONTEND=noninteractive apt-get update &&
    ${as_root}env DEBIAN_FRONTEND=noninteractive \
      apt-get install --no-install-recommends -y $names; } >&2; then
    stop "$exit_packages" "packages: apt-get failed, its reason is above; repair it and run: $line"
  fi
}

# Ninja itself reruns CMake when a CMake file changed, so only the first start configures.
build() {  # PRESET TARGET...
  local preset=$1 quiet=() directory=$root/build/$1
  shift
  if [[ ! -f $directory/build.ninja ]]; then
    (cd "$root" && cmake --preset "$preset") >&2 ||
      stop "$exit_build" "configure: preset $preset failed, CMake's reason is above"
  fi
  # A dry run doesn't see a file that was added, so the build runs in any case.
  if ninja -C "$directory" -n "$@" | grep -q 'no work to do'; then quiet=(--quiet); fi
  cmake --build "$directory" --target "$@" -- "${quiet[@]}" >&2 ||
    stop "$exit_build" "build: preset $preset failed, the compiler's reason is above"
}

# Takes --install out of the command's arguments and leaves the others in `arguments`.
read_arguments() {
  local argument
  install=no arguments=()
  for argument in "$@"; do
    if [[ $argument == --install ]]; then install=yes; else arguments+=("$argument"); fi
  done
}
