# Whether backends/types.md is what the rows and the manifests say.
#   -DPROGRAM=<backplane-conformance>  -DROOT=<root>  [-DRENEW=1: writes it]
set(page ${ROOT}/backends/types.md)
set(manifests ${ROOT}/tests/conformance/manifests)
execute_process(COMMAND ${PROGRAM} --support-page ${manifests}
  OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
set(text "# Operations and types

What each back end computes; `all` of the types in the second column, which is what conformance tests.
The type is that of the first operand, or of the output where there is none. Made from the rows of
`tests/conformance/ops` and the manifests beside them: don't edit it.

${table}")
if(RENEW)
  file(WRITE ${page} "${text}")
  return()
endif()
file(READ ${page} found)
if(NOT found STREQUAL text)
  message(FATAL_ERROR "backends/types.md: it must say what the manifests do, and is stale; renew it: "
    "cmake -DRENEW=1 -DPROGRAM=${PROGRAM} -DROOT=${ROOT} -P ${CMAKE_CURRENT_LIST_FILE}")
endif()
