// Reads a case from the files of the suite, by the classes that protobuf made of ONNX's schema.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <fstream>

#include "node.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

template <class Message>
Message read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Message message;
  if (!file || !message.ParseFromIstream(&file)) {
    throw Error(ErrorCode::data_corrupt,
                fmt::format("{}: must be a message of ONNX; install libonnx-testdata again",
                            path.string()));
  }
  return message;
}

template <class Values>
std::string bytes_of(const Values& values, std::size_t size) {
  std::string bytes;
  for (const auto value : values) {  // narrow types lie in the low bytes of wide ones
    bytes.append(reinterpret_cast<const char*>(&value), size);
  }
  return bytes;
}

std::string bytes_of(const onnx::TensorProto& tensor, DType type) {
  if (tensor.has_raw_data()) return tensor.raw_data();
  switch (type) {
    case DType::f32:
      return bytes_of(tensor.float_data(), sizeof(float));
    case DType::f64:
      return bytes_of(tensor.double_data(), sizeof(double));
    case DType::i64:
      return bytes_of(tensor.int64_data(), sizeof(std::int64_t));
    default:
      return bytes_of(tensor.int32_data(), size_of(type));
  }
}

// data() has no types of 16 bits.
std::byte* address_of(const Tensor& tensor) {
  return static_cast<std::byte*>(tensor.native_handle()) +
         static_cast<std::size_t>(tensor.storage_offset()) * size_of(tensor.dtype());
}

// NumPy has no bf16, so the suite's files call its bits integers; the model knows better.
Tensor tensor_of(const onnx::TensorProto& stored, std::int64_t declared) {
  const DType type = element_type(declared);
  if (const DType given = element_type(stored.data_type());
      given != type && !(given == DType::u16 && type == DType::bf16)) {
    throw Error(ErrorCode::data_corrupt,
                fmt::format("onnx: {} is declared and {} stored; install libonnx-testdata again",
                            to_string(type), to_string(given)));
  }
  const Shape shape(std::span<const std::int64_t>(stored.dims().data(),
                                                  static_cast<std::size_t>(stored.dims_size())));
  Tensor tensor = empty(shape, {.dtype = type, .device = Device::host()});
  const std::string bytes = bytes_of(stored, type);
  if (bytes.size() != static_cast<std::size_t>(shape.count()) * size_of(type)) {
    throw Error(ErrorCode::data_corrupt,
                fmt::format("onnx: {}{} can't have {} bytes; install libonnx-testdata again",
                            to_string(type), to_string(shape), bytes.size()));
  }
  if (!bytes.empty()) std::memcpy(address_of(tensor), bytes.data(), bytes.size());
  return tensor;
}

// The tensors of the graph's inputs or outputs, by name.
template <class Values>
std::map<std::string, Tensor> read_tensors(const std::filesystem::path& folder, const char* kind,
                                           const Values& values) {
  std::map<std::string, Tensor> tensors;
  int index = 0;
  for (const onnx::ValueInfoProto& value : values) {
    if (!value.type().has_tensor_type()) throw PassedOver("a value that isn't a tensor");
    const auto path = folder / fmt::format("test_data_set_0/{}_{}.pb", kind, index++);
    tensors[value.name()] =
        tensor_of(read<onnx::TensorProto>(path), value.type().tensor_type().elem_type());
  }
  return tensors;
}

template <class Names>
std::vector<Tensor> in_order(const Names& names, const std::map<std::string, Tensor>& tensors) {
  std::vector<Tensor> ordered;
  for (const std::string& name : names) {
    const auto found = tensors.find(name);
    ordered.push_back(found == tensors.end() ? Tensor() : found->second);
  }
  return ordered;
}

std::map<std::string, Attribute> attributes_of(const onnx::NodeProto& node) {
  std::map<std::string, Attribute> attributes;
  for (const onnx::AttributeProto& one : node.attribute()) {
    attributes[one.name()] = {.integer = one.i(),
                              .real = one.f(),
                              .text = one.s(),
                              .integers = {one.ints().begin(), one.ints().end()}};
  }
  return attributes;
}

}  // namespace

DType element_type(std::int64_t type) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return DType::f32;
    case onnx::TensorProto::DOUBLE:
      return DType::f64;
    case onnx::TensorProto::FLOAT16:
      return DType::f16;
    case onnx::TensorProto::BFLOAT16:
      return DType::bf16;
    case onnx::TensorProto::INT8:
      return DType::i8;
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return DType::u8;
    case onnx::TensorProto::UINT16:
      return DType::u16;
    case onnx::TensorProto::INT32:
      return DType::i32;
    case onnx::TensorProto::INT64:
      return DType::i64;
    default:
      throw PassedOver(fmt::format("the element type {} of ONNX", type));
  }
}

Case read_case(const std::filesystem::path& folder, Device device) {
  static_assert(bool_type == onnx::TensorProto::BOOL);
  const onnx::GraphProto graph = read<onnx::ModelProto>(folder / "model.onnx").graph();
  if (graph.node_size() != 1) throw PassedOver("a graph of several nodes");
  const onnx::NodeProto& node = graph.node(0);
  return {Node(node.op_type(), attributes_of(node),
               in_order(node.input(), read_tensors(folder, "input", graph.input())),
               static_cast<std::size_t>(node.output_size()), device),
          in_order(node.output(), read_tensors(folder, "output", graph.output()))};
}

}  // namespace onnx_nodes
