// A child process, and the lines that it writes.
#include "child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "backplane/error.hpp"

extern char** environ;

namespace conformance {

namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw backplane::Error(backplane::ErrorCode::backend_failure,
                         fmt::format("conformance: {}: {}", what, strerror(error)));
}

}  // namespace

Child::Child(std::vector<std::string> words, int descriptor) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("can't make a pipe", errno);
  read_end_ = ends[0];
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor);
  const int error =
      posix_spawn(&process_, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) return;
  close(read_end_);
  fail("can't start " + words[0], error);
}

Child::~Child() {
  if (process_ != 0) kill(process_, SIGKILL);
  end();
  close(read_end_);
}

std::optional<std::string> Child::line(double seconds) {
  for (;;) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      std::string text = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return text;
    }
    pollfd ready{.fd = read_end_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(seconds * 1000)) <= 0) {
      timed_out_ = true;
      return std::nullopt;
    }
    std::array<char, 4096> block;
    const ssize_t count = read(read_end_, block.data(), block.size());
    if (count <= 0) return std::nullopt;
    pending_.append(block.data(), static_cast<std::size_t>(count));
  }
}

std::string Child::end() {
  if (process_ == 0) return "";
  if (timed_out_) kill(process_, SIGKILL);
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = 0;
  if (timed_out_) return "took too long and was stopped";
  if (WIFSIGNALED(status)) {
    return fmt::format("died of signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace conformance
