// Kernel names as a reader knows them.
#pragma once

#include <string>

namespace backplane::sim {

// "relu_kernel(float const*, float*, int)" for "_Z11relu_kernelPKfPfi"; other names as they are.
std::string readable_name(const std::string& mangled);

}  // namespace backplane::sim
