// PeerProcess: posix_spawn and a socket pair.
//
// Not fork: a child of a process that runs OpenMP threads must not go on in its image (decision 2).
// Not two pipes: writing to a child that is gone must be an error here, not a signal to us.
#include "peer_process.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "backplane/error.hpp"

namespace backplane::cli {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  // posix_spawn takes char* const[] for historical reasons and changes nothing.
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

// Ours, less the names that `added` sets again.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> result = added;
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const std::string& a : added) replaced |= name_of(a) == name_of(*entry);
    if (!replaced) result.emplace_back(*entry);
  }
  return result;
}

int spawn(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
          int socket, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  const int failure = posix_spawnp(child, arguments[0].c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

}  // namespace

PeerProcess::PeerProcess(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment)
    : name_(arguments[0]) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(ErrorCode::backend_failure,
                fmt::format("{}: needs a socket pair, {}", name_, std::strerror(errno)));
  }
  const int failure = spawn(arguments, environment_with(environment), ends[1], &child_);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    throw Error(ErrorCode::not_found, fmt::format("{}: {}", name_, std::strerror(failure)));
  }
  socket_ = ends[0];
}

PeerProcess::~PeerProcess() {
  close(socket_);
  waitpid(child_, nullptr, 0);
}

void PeerProcess::write_line(const std::string& line) {
  const std::string text = line + '\n';
  if (send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != std::ssize(text)) {
    throw Error(ErrorCode::backend_failure,
                fmt::format("{}: must take a line, {}", name_, std::strerror(errno)));
  }
}

std::string PeerProcess::read_line() {
  std::size_t end;
  while ((end = received_.find('\n')) == std::string::npos) {
    char block[256];
    const ssize_t count = read(socket_, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error(ErrorCode::backend_failure,
                  fmt::format("{}: must answer with a line, it ended", name_));
    }
    received_.append(block, static_cast<std::size_t>(count));
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

}  // namespace backplane::cli
