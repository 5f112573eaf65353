// PeerProcess: a child that answers one line for each line it is sent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace backplane::cli {

class PeerProcess {
 public:
  // Starts a program, found through PATH, with this process's environment and `environment` ("NAME=
  // value") on top. Its standard input and output belong to us, its errors go where ours go.
  // Error(not_found) with the system's reason if it can't be started.
  PeerProcess(const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment);
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();  // closes its input, which tells it to end, and waits for that

  void write_line(const std::string& line);
  // Without the newline. Error(backend_failure) if the child ended instead of answering.
  [[nodiscard]] std::string read_line();

 private:
  std::string name_;
  pid_t child_ = -1;
  int socket_ = -1;
  std::string received_;
};

}  // namespace backplane::cli
