// A batch in blocks of a few images: what the steps of a plan leave for each other stays in a
// cache, and each thread takes blocks of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backplane/plugin/backend.hpp"

namespace backplane::onednn {

class ImageBlocks {
 public:
  // Of a batch, input 0's first axis, whose steps leave so many bytes for each other. Nothing where
  // it is one block.
  [[nodiscard]] static std::optional<ImageBlocks> of(const plugin::Request& request,
                                                     std::uint64_t bytes);

  // Bit i: argument i has the batch as its first axis. The others are the same for all images, and
  // are prepared once a run where the caller doesn't keep them.
  struct Batched {
    std::uint32_t inputs, outputs;
  };
  // make(Request&) gives the plan of a block, for one thread. It must not care whether an image is
  // computed twice.
  [[nodiscard]] std::unique_ptr<plugin::Plan> plan(
      plugin::Request& request, Batched batched,
      const std::function<std::unique_ptr<plugin::Plan>(plugin::Request&)>& make) const;

 private:
  ImageBlocks(std::int64_t images, std::int64_t at_once, unsigned parts)
      : images_(images), at_once_(at_once), parts_(parts) {}

  std::int64_t images_, at_once_;
  unsigned parts_;
};

}  // namespace backplane::onednn
