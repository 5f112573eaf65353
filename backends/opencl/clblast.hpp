// CLBlast's matrix products for GPUs, on machines that have its library.
#pragma once

#include "card/product.hpp"

namespace backplane::opencl {

// Whether the plug-in was built with CLBlast's header, and libclblast.so.1 can be opened.
[[nodiscard]] bool has_clblast();

// Gives back the programs that CLBlast keeps, which hold on to their contexts: left to its static
// destructors, they would go when the driver may be gone.
void release_clblast_programs();

// Only where there is CLBlast; each matrix must be row- or column-major.
[[nodiscard]] std::shared_ptr<const card::Product> make_clblast_product(const card::Check& check,
                                                                        const card::Matrix& y,
                                                                        const card::Matrix& a,
                                                                        const card::Matrix& b);

}  // namespace backplane::opencl
