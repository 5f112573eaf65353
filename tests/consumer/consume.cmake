# Builds and runs project/ in a folder of its own.
#   -DWORK=<folder>  -DMODE=installed -DBUILD=<build tree> | -DMODE=subdirectory -DSOURCE=<root>
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
if(MODE STREQUAL "installed")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --component backplane)
  # A package may be unpacked anywhere: nothing in it may know where it was made.
  file(RENAME ${WORK}/first ${WORK}/moved)
  file(GLOB_RECURSE texts ${WORK}/moved/*.cmake ${WORK}/moved/*.hpp ${WORK}/moved/*.h)
  foreach(text IN LISTS texts)
    file(READ ${text} content)
    foreach(path ${WORK}/first ${BUILD} ${SOURCE})
      string(FIND "${content}" "${path}/" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${text} names ${path}; use paths relative to the package")
      endif()
    endforeach()
  endforeach()
  set(backplane -DCMAKE_PREFIX_PATH=${WORK}/moved)
else()
  set(backplane -DBACKPLANE_SOURCE=${SOURCE} -DBACKPLANE_BACKENDS=reference)
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${WORK}/build -G Ninja
  "-DCMAKE_CXX_FLAGS=${FLAGS}" ${backplane})
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
run(${CMAKE_COMMAND} -E env BACKPLANE_BACKEND_PATH=${WORK}/build ${WORK}/build/program)
message("${out}")
