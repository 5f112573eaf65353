// The entry of every test program: runs doctest, then gives devices back.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "backplane/device.hpp"

int main(int argc, char** argv) {
  const int failed = doctest::Context(argc, argv).run();
  backplane::shutdown();
  return failed;
}
