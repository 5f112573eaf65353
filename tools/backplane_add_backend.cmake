# backplane_add_backend(<name> <source>... [LIBRARIES <target>...])
#
# Builds libbackplane-<name>.so, a plug-in written with plugin/backend.hpp. It exports exactly one
# symbol: visibility flags alone let templates of the standard library leak, a version script doesn't.
function(backplane_add_backend name)
  set(export_map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/backplane_backend.map)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  set(target backplane-${name})
  add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    PREFIX lib
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${export_map})
  target_link_libraries(${target} PRIVATE backplane::plugin ${arg_LIBRARIES})
  target_link_options(${target} PRIVATE "-Wl,--version-script=${export_map}" -Wl,-z,defs)
endfunction()
