// OutputFile: writes to a temporary name in the same folder, then renames it.
#include "output_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "backplane/error.hpp"

namespace backplane::cli {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error(ErrorCode::not_found, fmt::format("{}: the file must be writable, {}; name another",
                                                path, std::strerror(errno)));
}

void write_to(std::FILE* file, std::string_view text, const std::string& path) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) {
    refuse(path);
  }
}

// A temporary file that is removed again unless it took its final name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path)
      : path_(path),
        name_(fmt::format("{}.{}.tmp", path, getpid())),
        file_(std::fopen(name_.c_str(), "wb")) {
    if (file_ == nullptr) refuse(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ != nullptr) std::fclose(file_);
    std::remove(name_.c_str());  // fails, as it should, once the file was renamed
  }

  void write(std::string_view text) { write_to(file_, text, path_); }
  void take_final_name() {
    const bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (!closed || std::rename(name_.c_str(), path_.c_str()) != 0) refuse(path_);
  }

 private:
  std::string path_, name_;
  std::FILE* file_;
};

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (!is_standard_output()) TemporaryFile{path_};
}

void OutputFile::write(std::string_view text) const {
  if (is_standard_output()) return write_to(stdout, text, path_);
  TemporaryFile file(path_);
  file.write(text);
  file.take_final_name();
}

}  // namespace backplane::cli
