# Writes OUTPUT, a C++ file that holds the text of each of FILES (separated by commas), under its
# path from ROOT.
string(REPLACE "," ";" files "${FILES}")
set(rows)
foreach(file IN LISTS files)
  file(READ ${file} content)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ROOT} OUTPUT_VARIABLE name)
  string(APPEND rows "    {\"${name}\", R\"text(${content})text\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"texts.hpp\"

namespace backplane::opencl {

std::span<const Text> texts() {
  static constexpr Text all[] = {
${rows}  };
  return all;
}

}  // namespace backplane::opencl
")
