// A child process, and the lines that it writes.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace conformance {

class Child {
 public:
  // Starts words[0] (posix_spawn, never fork: libraries may have threads). What it writes to file
  // descriptor `descriptor` comes here; its output and errors stay as they are. Throws Error.
  Child(std::vector<std::string> words, int descriptor);
  ~Child();  // stops it if it still runs
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next line; nothing once the child has ended, or if none comes in that time.
  [[nodiscard]] std::optional<std::string> line(double seconds);

  // Waits for it, after a time-out stops it. How it ended, in words; empty: as it should.
  std::string end();

 private:
  pid_t process_ = 0;
  int read_end_ = -1;
  bool timed_out_ = false;
  std::string pending_;
};

}  // namespace conformance
