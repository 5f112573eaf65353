# Headers that nearly every file of a target reads are read once for all of them: in a small file they
# are half of what the compiler does.
#
# ccache keeps nothing that was compiled with a precompiled header (unless it is told to be sloppy), so
# who builds through such a launcher goes without.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(BACKPLANE_PRECOMPILE "Read common headers once for each target" ${precompile})

# backplane_precompile(<target> [<header>...]): the usual ones of the standard library, and these.
function(backplane_precompile target)
  if(BACKPLANE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <functional>
      <map> <memory> <mutex> <optional> <span> <string> <vector> ${ARGN})
    # GCC forgets of a precompiled header that it is the system's: false alarms over std::string
    # (GCC bug 105651 and its kind), which are silent else, would be errors.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
  endif()
endfunction()
