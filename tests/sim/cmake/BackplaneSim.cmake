# How to run CUDA code on the simulated card: kernel libraries, tests, and the symbol guard.
# Elsewhere, ask if(COMMAND backplane_sim_kernels): without nvcc none of this is defined.
include_guard(GLOBAL)
include(CheckCXXCompilerFlag)

# The card that the translated code is for; nvcc must be able to compile for it.
set(BACKPLANE_SIM_ARCHITECTURE 86 CACHE STRING "Compute capability of the simulated card's kernels")
set(BACKPLANE_SIM_ORDERS eager lazy 7 CACHE STRING "Stream orders in which sim tests run")
# Kernels are built and run on the same machine, and fused multiply-adds are slow without this.
check_cxx_compiler_flag(-march=native BACKPLANE_SIM_HAS_MARCH_NATIVE)

# backplane_sim_kernels(<name> SOURCES a.cu ... [INCLUDES dir ...] [OPTIONS nvcc-option ...])
#
# Device code for the simulated card: each source goes through `nvcc -ptx` and the translator. Makes
# the libraries <name> (bounds are checked) and <name>_checked (races within a launch as well).
# INCLUDES and OPTIONS should be those with which the plug-in itself is compiled.
function(backplane_sim_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;INCLUDES;OPTIONS")
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  set(generated)
  set(declarations)
  set(entries)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source STEM stem)
    set(base ${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem})
    add_custom_command(OUTPUT ${base}.ptx.cpp
      COMMAND ${BACKPLANE_SIM_NVCC} -ptx -std=c++20 -arch=compute_${BACKPLANE_SIM_ARCHITECTURE}
              ${arg_INCLUDES} ${arg_OPTIONS} -MD -MF ${base}.d -MT ${base}.ptx.cpp -o ${base}.ptx
              ${source}
      COMMAND backplane_sim_translate ${base}.ptx ${base}.ptx.cpp
      DEPENDS ${source} backplane_sim_translate DEPFILE ${base}.d
      COMMENT "Translating device code of ${stem}" VERBATIM)
    string(MAKE_C_IDENTIFIER "backplane_sim_module_${name}_${stem}" module)
    set_source_files_properties(${base}.ptx.cpp PROPERTIES
      COMPILE_DEFINITIONS BACKPLANE_SIM_MODULE=${module})
    list(APPEND generated ${base}.ptx.cpp)
    string(APPEND declarations "extern const backplane::sim::KernelModule ${module};\n")
    string(APPEND entries "    &${module},\n")
  endforeach()
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}.modules.cpp)
  configure_file(${BACKPLANE_SIM_SOURCE_DIR}/cmake/modules.cpp.in ${list} @ONLY)
  add_custom_target(${name}_translation DEPENDS ${generated})
  foreach(variant IN ITEMS "" _checked)
    set(target ${name}${variant})
    add_library(${target} MODULE ${generated} ${list})
    add_dependencies(${target} ${name}_translation)
    target_include_directories(${target} PRIVATE ${BACKPLANE_SIM_SOURCE_DIR})
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_definitions(${target} PRIVATE
      BACKPLANE_SIM_CHECKED=$<IF:$<STREQUAL:${variant},_checked>,1,0>)
    # One rounding for each PTX instruction: no contraction, and nothing that assumes it. Few tests
    # run on checked kernels, so those are not worth optimising.
    target_compile_options(${target} PRIVATE $<IF:$<STREQUAL:${variant},_checked>,-O0,-O1>
      -ffp-contract=off -w
      $<$<BOOL:${BACKPLANE_SIM_HAS_MARCH_NATIVE}>:-march=native>)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  endforeach()
endfunction()

# The environment in which a program meets the simulated card, as a list of NAME=value.
function(backplane_sim_environment out order kernels)
  set(paths)
  foreach(library IN LISTS kernels)
    list(APPEND paths $<TARGET_FILE:${library}>)
  endforeach()
  list(JOIN paths ":" paths)
  set(${out} LD_LIBRARY_PATH=${BACKPLANE_SIM_LIBRARY_DIR} BACKPLANE_SIM_ORDER=${order}
    BACKPLANE_SIM_STRICT=1 BACKPLANE_SIM_KERNELS=${paths} PARENT_SCOPE)
endfunction()

# backplane_sim_test(<name> COMMAND program argument ...
#                    [KERNELS library ...] [ORDERS order ...] [ENVIRONMENT NAME=value ...]
#                    [LABEL label] [SECONDS limit])
#
# Registers <name>.<order> for each stream order (eager, lazy and one seed by default): the command
# on the simulated card, in strict mode (leaks and races end in status 99). COMMAND may name a
# target. By default the label is sim, and a test takes 60 seconds at most.
function(backplane_sim_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;SECONDS" "COMMAND;KERNELS;ORDERS;ENVIRONMENT")
  if(NOT arg_LABEL)
    set(arg_LABEL sim)
  endif()
  if(NOT arg_SECONDS)
    set(arg_SECONDS 60)
  endif()
  if(NOT arg_ORDERS)
    set(arg_ORDERS ${BACKPLANE_SIM_ORDERS})
  endif()
  foreach(order IN LISTS arg_ORDERS)
    backplane_sim_environment(environment ${order} "${arg_KERNELS}")
    add_test(NAME ${name}.${order} COMMAND ${arg_COMMAND})
    set_tests_properties(${name}.${order} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_SECONDS}
      ENVIRONMENT "${environment};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# backplane_sim_must_fail(<name> COMMAND ... TEXT regex [STATUS n] [KERNELS ...] [ORDERS ...] [ENVIRONMENT ...])
#
# The other way round: passes only if the command ends with STATUS (99 by default) and its output
# matches TEXT, that is, if the simulated card catches the mistake.
function(backplane_sim_must_fail name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TEXT;STATUS" "COMMAND;KERNELS;ORDERS;ENVIRONMENT")
  if(NOT arg_ORDERS)
    set(arg_ORDERS ${BACKPLANE_SIM_ORDERS})
  endif()
  if(NOT DEFINED arg_STATUS)
    set(arg_STATUS 99)
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  foreach(order IN LISTS arg_ORDERS)
    backplane_sim_environment(environment ${order} "${arg_KERNELS}")
    add_test(NAME ${name}.${order} COMMAND ${CMAKE_COMMAND} -DSTATUS=${arg_STATUS} -DTEXT=${arg_TEXT}
      -P ${BACKPLANE_SIM_SOURCE_DIR}/cmake/expect_failure.cmake -- ${program} ${arg_COMMAND})
    set_tests_properties(${name}.${order} PROPERTIES LABELS sim TIMEOUT 60
      ENVIRONMENT "${environment};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# backplane_sim_guard(<target>): a test that every cuda* and cublas* symbol which the target imports
# is one that the simulated card provides. A plug-in must be linked with the shared cudart.
function(backplane_sim_guard target)
  add_test(NAME sim_symbols.${target} COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM}
    -DBINARY=$<TARGET_FILE:${target}>
    "-DCARD=$<TARGET_FILE:backplane_sim_cudart>;$<TARGET_FILE:backplane_sim_cublas>;$<TARGET_FILE:backplane_sim_cublaslt>"
    -P ${BACKPLANE_SIM_SOURCE_DIR}/cmake/check_symbols.cmake)
  set_tests_properties(sim_symbols.${target} PROPERTIES LABELS sim TIMEOUT 60)
endfunction()

# backplane_sim_cuda_objects(<out> SOURCES a.cu ... [INCLUDES ...] [OPTIONS ...])
#
# Host objects of .cu files, for the tests of the card itself: their device code stays PTX, which
# nothing reads. A plug-in may as well use CMake's own
# CUDA language, with CUDA_RUNTIME_LIBRARY Shared.
function(backplane_sim_cuda_objects out)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;INCLUDES;OPTIONS")
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source STEM stem)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cu.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${BACKPLANE_SIM_NVCC} -c -std=c++20 -arch=compute_${BACKPLANE_SIM_ARCHITECTURE}
              -Xcompiler -fPIC ${arg_INCLUDES} ${arg_OPTIONS} -MD -MF ${object}.d -MT ${object}
              -o ${object} ${source}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${stem}.cu" VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND objects ${object})
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
