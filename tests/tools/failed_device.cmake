# backplane compare: a device that can't do its work is listed with the reason, the others are
# compared all the same, and the exit code is 1.
#
# The device is the thrower of tests/faults, which has two operations; PLUGINS is its folder.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

set(ENV{BACKPLANE_BACKEND_PATH} ${PLUGINS})
run(1 compare --model linear --devices reference:0,thrower:0 --images 32 --batch 16
  --json result.json)
expect("${out}" "thrower:0 failed: " "reference:0")
file(READ ${WORK}/result.json json)
expect_json("${json}" reference:0 results 0 device)
string(JSON count LENGTH "${json}" absent)
math(EXPR last "${count} - 1")
expect_json("${json}" thrower:0 absent ${last} device)
expect_json("${json}" thrower absent ${last} backend)
expect_json("${json}" unsupported absent ${last} code)

# backplane devices: what a device measures of itself, and one that can't.
run(0 devices --json devices.json)
expect("${out}" "thrower:0 now: utilization 25 %, temperature 60 C, clock 1410 MHz")
file(READ ${WORK}/devices.json json)
string(JSON count LENGTH "${json}" devices)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${json}" devices ${i} device)
  if(name STREQUAL "thrower:0")
    expect_json("${json}" 1410.0 devices ${i} monitor clock)
    expect_json("${json}" NULL devices ${i} monitor power)
  elseif(name STREQUAL "reference:0")
    expect_json("${json}" NULL devices ${i} monitor)
  endif()
endforeach()
set(ENV{BACKPLANE_TEST_FAULTY} device_monitor)
run(0 devices)
expect("${out}" "thrower:0 can't be measured: thrower:0: device_monitor is broken" "reference:0")
