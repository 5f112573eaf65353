# backplane compare: a device that computes something else gets no speed-up, and exit code 3.
#
# The device is a mutant of the reference whose gradient of relu is wrong; MUTANTS is its folder and
# TARGET the plug-in that it breaks.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

set(ENV{BACKPLANE_BACKEND_PATH} ${MUTANTS})
set(ENV{BACKPLANE_MUTANT} relu_gradient)
set(ENV{BACKPLANE_MUTANT_TARGET} ${TARGET})
set(arguments compare --images 16 --batch 8 --steps 2 --no-test --json result.json)

run(3 ${arguments} --devices reference:0,mutant:0)
expect("${out}" "mutant:0: DISAGREES" "first outside its bound: relu_backward")
file(READ ${WORK}/result.json json)
expect_json("${json}" OFF results 1 agreement agrees)
expect_json("${json}" NULL results 1 speedup)
expect_json("${json}" 1.0 results 0 speedup)

# As the baseline it would make every other device's speed-up meaningless.
run(3 ${arguments} --devices reference:0,mutant:0 --baseline mutant:0)
file(READ ${WORK}/result.json json)
expect_json("${json}" NULL results 0 speedup)
expect_json("${json}" NULL results 1 speedup)
