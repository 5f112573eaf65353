// MNIST, and data sets of its format such as Fashion-MNIST.
#pragma once

#include <filesystem>

#include "models/model.hpp"

namespace backplane::models {

// Images u8[N,1,28,28] and labels i64[N] in 0 .. 9, on the host, from four IDX files:
// {train,t10k}-{images-idx3,labels-idx1}-ubyte, each plain or with .gz.
//
// An empty directory means the set that comes with backplane: in the source tree, or where
// BACKPLANE_MNIST_DATA says; its files must be those published, by size and checksum.
// Error(not_found) if a file is missing; Error(data_corrupt) if one is cut short, damaged, in the
// place of another, or holds what can't be images or their labels.
[[nodiscard]] Data load_mnist(const std::filesystem::path& directory = {});

}  // namespace backplane::models
