// Prints why the CUDA back end has no device here, for tests that give it different reasons.
#include <iostream>

#include "backplane/device.hpp"

int main() {
  for (const backplane::AbsentBackend& absent : backplane::absent_backends()) {
    if (absent.backend != "cuda") continue;
    std::cout << absent.reason << "; " << absent.repair << '\n';
  }
  backplane::shutdown();
}
