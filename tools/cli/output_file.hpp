// OutputFile: a result file that is either whole or not there.
#pragma once

#include <string>
#include <string_view>

namespace backplane::cli {

// "-" is the standard output. The constructor finds out whether the file can be written, so that a
// long run doesn't end with its result lost: Error(not_found) with the system's reason.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  // Writes beside the file under another name, then renames: a reader never sees half of it.
  void write(std::string_view text) const;
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }

 private:
  std::string path_;
};

}  // namespace backplane::cli
