// Stands in for clblast.cpp where CLBlast's header wasn't there to build with.
#include "clblast.hpp"

namespace backplane::opencl {

bool has_clblast() {
  return false;
}

void release_clblast_programs() {}

std::shared_ptr<const card::Product> make_clblast_product(const card::Check& check,
                                                          const card::Matrix&, const card::Matrix&,
                                                          const card::Matrix&) {
  throw check.unsupported("this plug-in was built without CLBlast");
}

}  // namespace backplane::opencl
