// How cuDNN is found, and how its descriptors are made.
#include "dnn_library.hpp"

#ifdef BACKPLANE_CUDA_KNOWS_DNN

#include <dlfcn.h>

namespace backplane::cuda::dnn {
namespace {

constexpr const char* library_name = "libcudnn.so.9";

template <class Function>
Function find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw plugin::unsupported(std::string("cuda: ") + library_name + " has no " + name +
                              "; install a complete cuDNN 9");
  }
  return reinterpret_cast<Function>(symbol);
}

// Runs create(&made) and owns what it made.
template <class Owner, class Create>
Owner make(Create create, const char* what) {
  typename Owner::pointer made = nullptr;
  Library::open().check(create(&made), what);
  return Owner(made);
}

}  // namespace

#define BACKPLANE_DNN_ROW(name) name = find<decltype(&::name)>(library, #name);
Library::Library(void* library) {
  BACKPLANE_DNN_FUNCTIONS(BACKPLANE_DNN_ROW)
  const std::size_t major = cudnnGetVersion() / 10000;
  if (major != CUDNN_MAJOR) {
    throw plugin::unsupported(std::string("cuda: ") + library_name + " is of version " +
                              std::to_string(major) + ", this plug-in was built for " +
                              std::to_string(CUDNN_MAJOR) + "; install that one");
  }
}
#undef BACKPLANE_DNN_ROW

const Library& Library::open() {
  static const Library opened = [] {
    void* library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      throw plugin::unsupported(std::string("cuda: cuDNN can't be opened, ") + dlerror() +
                                "; install cuDNN 9, or add its folder to LD_LIBRARY_PATH");
    }
    return Library(library);
  }();
  return opened;
}

void Library::check(cudnnStatus_t status, const char* what) const {
  if (status != CUDNN_STATUS_SUCCESS) throw dnn_failure(status, cudnnGetErrorString(status), what);
}

Tensor tensor(const bp_tensor_desc& desc) {
  const Library& dnn = Library::open();
  Tensor made = make<Tensor>(dnn.cudnnCreateTensorDescriptor, "describing a tensor");
  const auto size = [&](int axis) { return static_cast<int>(desc.dims[axis]); };
  dnn.check(dnn.cudnnSetTensor4dDescriptor(made.get(), CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, size(0),
                                           size(1), size(2), size(3)),
            "describing a tensor");
  return made;
}

Filter filter(const bp_tensor_desc& desc) {
  const Library& dnn = Library::open();
  Filter made = make<Filter>(dnn.cudnnCreateFilterDescriptor, "describing a weight");
  const auto size = [&](int axis) { return static_cast<int>(desc.dims[axis]); };
  dnn.check(dnn.cudnnSetFilter4dDescriptor(made.get(), CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, size(0),
                                           size(1), size(2), size(3)),
            "describing a weight");
  return made;
}

Convolution convolution(const op::Conv2dParams& params) {
  const Library& dnn = Library::open();
  Convolution made =
      make<Convolution>(dnn.cudnnCreateConvolutionDescriptor, "describing a convolution");
  dnn.check(dnn.cudnnSetConvolution2dDescriptor(made.get(), params.padding[0], params.padding[1],
                                                params.stride[0], params.stride[1],
                                                params.dilation[0], params.dilation[1],
                                                CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
            "describing a convolution");
  dnn.check(dnn.cudnnSetConvolutionGroupCount(made.get(), params.groups),
            "describing a convolution");
  // The default would let it round float32 to TF32.
  dnn.check(dnn.cudnnSetConvolutionMathType(made.get(), CUDNN_FMA_MATH),
            "describing a convolution");
  return made;
}

Card::Card(int ordinal) : ordinal_(ordinal) {
  const CurrentDevice scope(ordinal);
  handle_ = make<Handle>(library.cudnnCreate, "creating a cuDNN handle");
}

}  // namespace backplane::cuda::dnn

#endif
