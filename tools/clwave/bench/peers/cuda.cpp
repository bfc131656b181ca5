// Starts the helper program with CUDA's libraries and lets it measure, by the same rule and in turn.
#include "bench/peers/cuda.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace clwave::tool::bench {
namespace {

constexpr int patience_ms = 120000;

// "0000:41:00.0" of what the facts know; empty if they do not.
std::string pci_of(const laboratory& lab) { return lab.on.facts->pci.value_or(""); }

}  // namespace

cuda_peers::cuda_peers(const laboratory& lab) {
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::filesystem::path program = self.parent_path() / "clwave_cuda_peers";
  if (!std::filesystem::exists(program, code)) {
    skip_ = "nvcc was not found when clwave was configured: there is no clwave_cuda_peers beside clwave";
    return;
  }
  try {
    start(program.string(), pci_of(lab));
    const json hello = ask("hello");
    if (hello.contains("skip")) skip_ = hello["skip"].get<std::string>();
  } catch (const error& e) {
    skip_ = e.what();
    stop();
  }
}

cuda_peers::~cuda_peers() { stop(); }

void cuda_peers::start(const std::string& program, const std::string& place) {
  std::array<int, 2> ends;
  // A pair of sockets, so that a helper that is gone gives an error rather than a signal.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw error(failure::internal, std::string("could not make a pair of sockets: ") + std::strerror(errno));
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) {
    close(ends[0]);
    close(ends[1]);
    throw error(failure::internal, std::string("could not start a process: ") + std::strerror(errno));
  }
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    execl(program.c_str(), "clwave_cuda_peers", place.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  to_ = from_ = ends[0];
}

void cuda_peers::stop() {
  if (to_ >= 0) close(to_);
  to_ = from_ = -1;
  if (process_ > 0) {
    // It ends by itself when its input does; a second later it is ended.
    for (int tries = 0; tries < 100; ++tries) {
      if (waitpid(process_, nullptr, WNOHANG) != 0) {
        process_ = -1;
        return;
      }
      usleep(10000);
    }
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  process_ = -1;
}

json cuda_peers::ask(const std::string& request) {
  const auto fail = [&](const std::string& why) {
    return error(failure::driver, "clwave_cuda_peers: " + why + " (asked: " + request + ")");
  };
  if (to_ < 0) throw fail(skip_.empty() ? "is gone" : skip_);
  const std::string line = request + "\n";
  if (send(to_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw fail("is gone");
  std::size_t end = 0;
  while ((end = buffered_.find('\n')) == std::string::npos) {
    pollfd wait{from_, POLLIN, 0};
    const int ready = poll(&wait, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      kill(process_, SIGKILL);
      stop();
      throw fail("hung");
    }
    std::array<char, 4096> bytes;
    const ssize_t got = read(from_, bytes.data(), bytes.size());
    if (got <= 0) {
      stop();
      throw fail("ended without an answer");
    }
    buffered_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  json answer = json::parse(buffered_.substr(0, end), nullptr, false);
  buffered_.erase(0, end + 1);
  if (!answer.is_object()) throw fail("answered something that is no JSON");
  if (answer.contains("error")) throw fail(answer["error"].get<std::string>());
  return answer;
}

contender cuda_contender(laboratory& lab, const std::string& row, const arrangement& at,
                         std::function<std::string(std::size_t place, const json& answer)> wrong) {
  cuda_peers& peers = lab.cuda();
  if (!peers.skip().empty()) return skipped(peers.skip());
  static unsigned count = 0;
  const std::string id = std::to_string(++count);
  const json made = peers.ask("prepare " + id + " " + row + " " + std::to_string(at.n) + " " +
                              std::to_string(at.stride) + " " + std::to_string(at.places));
  if (made.contains("skip")) return skipped(made["skip"].get<std::string>());
  contender c;
  c.keeps = std::shared_ptr<void>(nullptr, [&peers, id](void*) {
    try {
      peers.ask("release " + id);
    } catch (const std::exception&) {  // it is gone, and its memory with it
    }
  });
  c.remote = [&peers, id](clocked how, unsigned calls, std::size_t first) {
    const char* word = how == clocked::device ? "device" : how == clocked::enqueue ? "enqueue" : "blocking";
    const json taken =
        peers.ask("sample " + id + " " + word + " " + std::to_string(calls) + " " + std::to_string(first));
    return sample{.seconds = taken["seconds"], .lead_s = taken["lead"], .enqueue_s = taken["enqueue"]};
  };
  c.spoil = [&peers, id] { peers.ask("spoil " + id); };
  c.wrong = [&peers, id, wrong = std::move(wrong)](std::size_t place) {
    return wrong(place, peers.ask("result " + id + " " + std::to_string(place)));
  };
  return c;
}

contender cuda_counted(laboratory& lab, const std::string& row, const arrangement& at, double bytes) {
  contender c = cuda_contender(lab, row, at, [](std::size_t, const json& answer) -> std::string {
    const std::uint64_t wrong = answer["wrong"];
    return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
  });
  c.bytes = bytes;
  return c;
}

}  // namespace clwave::tool::bench
