# tools/verify-cuda on the simulated card: every step that can run there passes, and both reports say
# that it was no real one.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${SCRIPT} --quick --build ${BUILD} --out ${WORK}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "verify-cuda: exit code ${status}")
endif()

function(expect_json expected)
  string(JSON value GET "${json}" ${ARGN})
  if(NOT value STREQUAL expected)
    message(FATAL_ERROR "${ARGN}: '${value}', expected '${expected}'")
  endif()
endfunction()

file(READ ${WORK}/verify-cuda.json json)
expect_json(ON simulated)
expect_json("Backplane simulated card 0" card)
expect_json(0 failed)
string(JSON passed GET "${json}" passed)
if(passed LESS 7)
  message(FATAL_ERROR "only ${passed} steps passed")
endif()
expect_json(sim_conformance steps 0 step)
expect_json(passed steps 0 outcome)
expect_json("cuda:0" results "training, mnist_cnn" device)
expect_json(mnist results "bench mnist" benchmark)

file(READ ${WORK}/verify-cuda.md page)
foreach(part IN ITEMS "# verify-cuda: Backplane simulated card 0" "This is the simulated card"
    "| conformance, cuda:0, strict | passed |"
    "| bench mnist, PyTorch beside it | left out | 0 | torch: a Python with PyTorch must be there" "| compute-sanitizer | left out |")
  string(FIND "${page}" "${part}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "'${part}' is missing in:\n${page}")
  endif()
endforeach()
