// Which tensors go together.
#include "multi_tensor.hpp"

namespace backplane::card {

MultiTensor::MultiTensor(const Check& check, const plugin::Request& request, std::size_t count,
                         std::size_t lists, std::size_t written)
    : count_(count), lists_(lists) {
  for (std::size_t i = 0; i < count; ++i) {
    std::array<const bp_tensor_desc*, MAX_OPERANDS> operands;
    operands.fill(&request.inputs[i]);
    for (std::size_t list = 1; list < lists; ++list) {
      operands[list] = &request.inputs[list * count + i];
    }
    for (std::size_t list = 0; list < written; ++list) {
      const bp_tensor_desc& dst = request.outputs[list * count + i];
      const bp_tensor_desc& src = request.inputs[(list == 0 ? 0 : list + 1) * count + i];
      check.that(std::equal(dst.strides, dst.strides + dst.rank, src.strides),
                 "an output must be the memory of its input, with the same strides");
    }
    const Nest walk = nest({operands[0], operands[1], operands[2], operands[3], operands[4]});
    (walk.dense ? dense_ : strided_).push_back({i, walk});
  }
}

// The operands are also the outputs: the border asks for the same memory.
std::array<Memory, MAX_OPERANDS> MultiTensor::lists_of(const Call& call, std::size_t index) const {
  std::array<Memory, MAX_OPERANDS> operands;
  for (std::size_t list = 0; list < lists_; ++list) {
    operands[list] = call.input(list * count_ + index);
  }
  return operands;
}

}  // namespace backplane::card
