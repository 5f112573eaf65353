# backplane bench: rows, ratios, and a peer that isn't there.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

set(row_keys name device mode precision value unit median min max)

set(ENV{BACKPLANE_PYTHON} /nonexistent)
run(0 bench mnist --device onednn:0 --quick --json mnist.json)
expect("${out}" "mnist/onednn:0/eager/f32/standard" "peer absent: torch" "/nonexistent"
  "BACKPLANE_PYTHON")
file(READ ${WORK}/mnist.json json)
expect_keys("${json}" "" benchmark rows ratios peaks)
expect_keys("${json}" "rows;0" ${row_keys})
expect_json("${json}" mnist benchmark)
expect_json("${json}" mnist/onednn:0/eager/f32/standard rows 0 name)

# A peer that is there, played by a script that speaks the protocol.
file(WRITE ${WORK}/python [[#!/bin/sh
echo 'ready 9.9 eager eager-channels-last compile'
while read -r _ mode _; do
  case $mode in
    eager) echo 1000;;
    compile) echo no compiler here;;
    *) echo 2000;;
  esac
done
]])
file(CHMOD ${WORK}/python PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{BACKPLANE_PYTHON} ${WORK}/python)
run(0 bench mnist --device onednn:0 --quick --json mnist.json)
expect("${out}" "PyTorch 9.9 of ${WORK}/python on cpu"
  "peer mode left out: torch: compile fails, no compiler here")
file(READ ${WORK}/mnist.json json)
expect_json("${json}" torch/eager/f32 rows 1 name)
expect_json("${json}" mnist/onednn:0/eager/f32/standard:torch/eager/f32 ratios 0 name)
expect_json("${json}" torch/eager-channels-last/f32 rows 2 name)
expect_json("${json}" 2000.0 rows 2 median)

# One that dies on the way.
file(WRITE ${WORK}/python "#!/bin/sh\necho ready 9.9 eager\nread -r line\n")
run(1 bench mnist --device onednn:0 --quick)
expect("${err}" "must answer with a line")

run(0 bench dispatch --device onednn:0 --quick --json -)
expect_keys("${out}" "" benchmark rows ratios peaks)
expect_keys("${out}" "rows;0" ${row_keys})
expect_keys("${out}" "ratios;0" name value)
expect_json("${out}" NUMBER ratios 0 value)
expect_files(mnist.json python)
