// CIFAR-10 in its binary form, and synthetic images of the same shape.
#pragma once

#include <filesystem>

#include "models/model.hpp"

namespace backplane::models {

// Images u8[N,3,32,32] (red, green, blue) and labels i64[N] in 0 .. 9, on the host, from the six
// files of the binary version: data_batch_1.bin to data_batch_5.bin and test_batch.bin, each of
// records of 3,073 bytes, a label before its image (Krizhevsky 2009). Error(not_found) if a file is
// missing; Error(data_corrupt) for one that isn't whole records, or for a label beyond 9.
[[nodiscard]] Data load_cifar10(const std::filesystem::path& directory);

// As many kinds of image, told apart by their colours: each class has 4 x 4 squares of colours of
// its own, and each pixel is up to 64 levels off. 4,096 images to train and 1,024 to test; all of
// it depends on the seed alone.
[[nodiscard]] Data synthetic_images(std::uint64_t seed);

}  // namespace backplane::models
