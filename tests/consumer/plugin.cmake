# Builds plugin/ against an installed backplane, and judges its plug-ins with the installed kit.
#   -DWORK=<folder>  -DBUILD=<build tree>  -DSOURCE=<root>  -DFLAGS=<flags of the compiler>
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
foreach(component backplane kit)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed --component ${component})
endforeach()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/plugin -B ${WORK}/build -G Ninja
  "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_PREFIX_PATH=${WORK}/installed
  -DFAULTS=${SOURCE}/tests/faults/plugins)
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
set(kit ${WORK}/installed/bin/backplane-conformance --numerics strict)

function(folders out)
  list(TRANSFORM ARGN PREPEND ${WORK}/build/)
  list(JOIN ARGN ":" path)
  set(${out} ${CMAKE_COMMAND} -E env BACKPLANE_BACKEND_PATH=${path} PARENT_SCOPE)
endfunction()

# expect(<text> <command>...): the command fails by itself, not by a signal, and says so.
function(expect text)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  string(FIND "${out}" "${text}" at)
  if(NOT status MATCHES "^[1-9][0-9]*$" OR at EQUAL -1)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nstatus ${status}, expected '${text}'\n${out}")
  endif()
endfunction()

# What it has passes the first level, and the second one for the operation that README.md shows.
folders(with_few few)
run(${with_few} ${kit} --device few:0 --level 1 --at-least 60)
run(${with_few} ${kit} --device few:0 --level 2 --at-least 40 "relu(*")
run(${WORK}/build/newer_host ${WORK}/build/few/libbackplane-few.so)
if(NOT out MATCHES "relu: a parameter is set that is newer than this back end")
  message(FATAL_ERROR "newer_host: the plug-in must say what it doesn't know, it says: ${out}")
endif()

# What is refused, and why, in the words that a user gets.
folders(with_others other_major other_size)
expect("it speaks plug-in ABI" ${with_others} ${kit} --device other_major:0)
expect("rebuild the plug-in against this version" ${with_others} ${kit} --device other_major:0)
expect("bytes, this program's" ${with_others} ${kit} --device other_size:0)
folders(with_twins twin_a twin_b)
expect("has the same name 'twin'" ${with_twins} ${kit} --device twin_b:0)
expect("no twin is plugged in; plug one in" ${with_twins} ${kit} --device twin:0)

# An exception in any slot that the kit meets is an error with its words; nothing dies of it.
folders(with_thrower thrower)
foreach(slot device_count device_open device_info buffer_wrap queue_create upload download
        plan_create plan_run queue_synchronize)
  expect("${slot} is broken" ${with_thrower} BACKPLANE_TEST_FAULTY=${slot}
    ${kit} --device thrower:0 "relu(33) exact/contiguous")
endforeach()
