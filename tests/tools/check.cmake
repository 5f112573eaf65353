# What the tests of the backplane program share. Each is a script, run as
#   cmake -DPROGRAM=... -DWORK=... -P <test>.cmake
# so that it needs nothing but CMake, whose string(JSON) reads what the program wrote.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# run(<exit code> <argument>...): sets `out` and `err` to what the program printed.
function(run expected)
  execute_process(COMMAND ${PROGRAM} ${ARGN} WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE code OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)
  if(NOT code STREQUAL expected)
    message(FATAL_ERROR "backplane ${ARGN}: exit code ${code}, expected ${expected}\n"
      "${stdout}${stderr}")
  endif()
  set(out "${stdout}" PARENT_SCOPE)
  set(err "${stderr}" PARENT_SCOPE)
endfunction()

# expect(<text> <part>...): the text holds each part.
function(expect text)
  foreach(part IN LISTS ARGN)
    string(FIND "${text}" "${part}" position)
    if(position EQUAL -1)
      message(FATAL_ERROR "'${part}' is missing in:\n${text}")
    endif()
  endforeach()
endfunction()

# expect_keys(<json> <path> <key>...): the object at the path (a list) has these keys and no others.
function(expect_keys json path)
  string(JSON count ERROR_VARIABLE failure LENGTH "${json}" ${path})
  if(failure)
    message(FATAL_ERROR "no JSON object at '${path}': ${failure}\n${json}")
  endif()
  set(keys)
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON key MEMBER "${json}" ${path} ${i})
      list(APPEND keys ${key})
    endforeach()
  endif()
  set(wanted ${ARGN})
  list(SORT keys)
  list(SORT wanted)
  if(NOT "${keys}" STREQUAL "${wanted}")
    message(FATAL_ERROR "keys at '${path}' are\n${keys}, expected\n${wanted}")
  endif()
endfunction()

# expect_json(<json> <type or value> <key>...): the value's type, or, for other words, the value.
function(expect_json json expected)
  string(JSON type TYPE "${json}" ${ARGN})
  string(JSON value GET "${json}" ${ARGN})
  if(NOT type STREQUAL expected AND NOT value STREQUAL expected)
    message(FATAL_ERROR "${ARGN} is ${type} ${value}, expected ${expected}\n${json}")
  endif()
endfunction()

# No file but these lies in the work folder: nothing half-written stays.
function(expect_files)
  file(GLOB files RELATIVE ${WORK} ${WORK}/*)
  set(wanted ${ARGN})
  list(SORT wanted)
  if(NOT "${files}" STREQUAL "${wanted}")
    message(FATAL_ERROR "files are '${files}', expected '${wanted}'")
  endif()
endfunction()
