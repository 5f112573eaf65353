// backplane-sim-translate IN.ptx OUT.cpp: from `nvcc -ptx` text to C++ for the simulated card.
#include <fstream>
#include <iostream>
#include <iterator>

#include "translate/source.h"

int main(int argc, char** argv) {
  using namespace backplane::sim::translate;
  if (argc != 3) {
    std::cerr << "usage: backplane-sim-translate IN.ptx OUT.cpp\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  if (!in) {
    std::cerr << argv[1] << ": cannot be read\n";
    return 2;
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string path(argv[1]);
  try {
    const std::string code = emit_module(parse(text), path.substr(path.find_last_of('/') + 1));
    std::ofstream out(argv[2]);
    out << code;
    out.close();
    if (!out) throw std::runtime_error(std::string(argv[2]) + " cannot be written");
  } catch (const std::exception& error) {
    std::cerr << path << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}
