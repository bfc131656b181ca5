// fork, exec, and reading from children until each has ended or its time is up, on Linux.
#include "shared/children.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clwave/error.hpp>

#include "shared/common.hpp"
#include "shared/output.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t noise_kept = 2000;

// Where a child finds the pipe for its answer.
constexpr int answer_descriptor = 3;

struct child {
  pid_t process = -1;
  int answer = -1;
  int noise = -1;
  bool running = true;
};

[[noreturn]] void fail(const char* doing) {
  throw error(failure::internal, std::string("could not ") + doing + ": " + std::strerror(errno));
}

// Khronos's loader cuts this variable up where it stands at its first call. A child gets it as it was.
constexpr std::string_view cut_up = "OCL_ICD_FILENAMES";
const std::string uncut = [] {
  const char* value = std::getenv(cut_up.data());
  return std::string(cut_up) + "=" + (value != nullptr ? value : "");
}();

std::vector<std::string> environment_of(const child_task& task) {
  const auto is_replaced = [&](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    return std::find(task.unset.begin(), task.unset.end(), name) != task.unset.end() ||
           std::any_of(task.set.begin(), task.set.end(),
                       [&](const auto& pair) { return pair.first == name; });
  };
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!is_replaced(text)) entries.emplace_back(text.substr(0, text.find('=')) == cut_up ? uncut : text);
  }
  for (const auto& [name, value] : task.set) {
    entries.push_back(name);
    entries.back().append("=").append(value);
  }
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The descriptors that a child starts with; one of -1 is its parent's.
struct descriptors {
  int input = -1, output = -1, errors = -1, answer = -1;
};

// Between fork and exec. Only calls that are safe there.
[[noreturn]] void become(pid_t parent, descriptors given, const char* program, char* const* arguments,
                         char* const* environment) {
  setpgid(0, 0);  // a group of its own, so that what a driver starts can be killed with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent went before the line above
  // They may have the very numbers that the others must get: out of the way first.
  for (int* descriptor : {&given.input, &given.output, &given.errors, &given.answer})
    if (*descriptor >= 0) *descriptor = fcntl(*descriptor, F_DUPFD_CLOEXEC, 10);
  if (given.input >= 0) dup2(given.input, STDIN_FILENO);
  if (given.output >= 0) dup2(given.output, STDOUT_FILENO);
  if (given.errors >= 0) dup2(given.errors, STDERR_FILENO);
  if (given.answer >= 0) dup2(given.answer, answer_descriptor);
  execve(program, arguments, environment);
  _exit(127);
}

pid_t start_process(const char* program, std::vector<std::string> words, std::vector<std::string> entries,
                    const descriptors& given) {
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> environment = pointers_to(entries);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) fail("start a process");
  if (process == 0) become(parent, given, program, arguments.data(), environment.data());
  setpgid(process, process);  // in both, since either may come first
  return process;
}

child start(const child_task& task) {
  std::vector<std::string> words = {"clwave"};
  words.insert(words.end(), task.arguments.begin(), task.arguments.end());
  std::array<int, 2> answer;
  std::array<int, 2> noise;
  if (pipe2(answer.data(), O_CLOEXEC) != 0 || pipe2(noise.data(), O_CLOEXEC) != 0) fail("make a pipe");
  fcntl(answer[0], F_SETFL, O_NONBLOCK);
  fcntl(noise[0], F_SETFL, O_NONBLOCK);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t process =
      start_process("/proc/self/exe", std::move(words), environment_of(task),
                    {.input = nothing, .output = noise[1], .errors = noise[1], .answer = answer[1]});
  for (const int descriptor : {nothing, answer[1], noise[1]}) close(descriptor);
  return {process, answer[0], noise[0]};
}

// Reads what is there; closes the descriptor at its end. Not for ever: a child may write without end.
void drain(int& descriptor, std::string& into) {
  std::array<char, 65536> bytes;
  for (int reads = 0; descriptor >= 0 && reads < 16; ++reads) {
    const ssize_t got = read(descriptor, bytes.data(), bytes.size());
    if (got > 0) {
      into.append(bytes.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return;
    } else {
      close(descriptor);
      descriptor = -1;
    }
  }
}

void drain(child& from, child_end& into) {
  drain(from.answer, into.answer);
  drain(from.noise, into.noise);
  if (into.noise.size() > noise_kept) into.noise.erase(0, into.noise.size() - noise_kept);
}

void finish(child& ended, child_end& into) {
  ended.running = false;
  kill(-ended.process, SIGKILL);  // what it may have left behind, which would hold the pipes open
  drain(ended, into);
  for (int* descriptor : {&ended.answer, &ended.noise}) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
  }
}

}  // namespace

void answer_parent(const std::string& text) {
  // Moved at once: a driver that writes to descriptors it never opened most likely takes a low number.
  static const int to = [] {
    const int moved = fcntl(answer_descriptor, F_DUPFD_CLOEXEC, 10);
    if (moved >= 0) close(answer_descriptor);
    return moved;
  }();
  if (to < 0) {
    out() << text;
    return;
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(to, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) leave(exit_internal);
    done += static_cast<std::size_t>(wrote);
  }
}

std::string signal_text(int signal) {
  return std::string(strsignal(signal)) + " (signal " + std::to_string(signal) + ")";
}

std::vector<child_end> run_children(const std::vector<child_task>& tasks, double deadline_s,
                                    const std::string& what) {
  std::vector<child_end> ends(tasks.size());
  std::vector<child> children;
  children.reserve(tasks.size());
  for (const child_task& task : tasks) children.push_back(start(task));
  const waiting word(what);  // after the forks
  const auto deadline = clock::now() + std::chrono::duration<double>(deadline_s);
  // A process stuck inside the kernel's own driver does not even die: it is left where it is.
  const auto patience = deadline + std::chrono::seconds(2);

  for (bool any_running = !children.empty(); any_running;) {
    std::vector<pollfd> waiting;
    bool quiet_one = false;  // has closed its pipes, and so is about to end
    for (const child& c : children) {
      if (!c.running) continue;
      if (c.answer >= 0) waiting.push_back({c.answer, POLLIN, 0});
      if (c.noise >= 0) waiting.push_back({c.noise, POLLIN, 0});
      quiet_one |= c.answer < 0 && c.noise < 0;
    }
    poll(waiting.data(), waiting.size(), quiet_one ? 1 : 20);

    any_running = false;
    const auto now = clock::now();
    for (std::size_t i = 0; i < children.size(); ++i) {
      child& c = children[i];
      if (!c.running) continue;
      drain(c, ends[i]);
      int status = 0;
      if (waitpid(c.process, &status, WNOHANG) == c.process) {
        if (WIFSIGNALED(status)) ends[i].signal = WTERMSIG(status);
        if (WIFEXITED(status)) ends[i].status = WEXITSTATUS(status);
        finish(c, ends[i]);
      } else if (now >= patience) {
        finish(c, ends[i]);
      } else {
        if (now >= deadline && !ends[i].timed_out) {
          ends[i].timed_out = true;
          kill(c.process, SIGKILL);  // finish() kills what it started
        }
        any_running = true;
      }
    }
  }
  return ends;
}

line_program::line_program(const std::string& path, std::vector<std::string> arguments)
    : name_(path.substr(path.rfind('/') + 1)) {
  std::array<int, 2> ends;
  // A pair of sockets, so that a program that is gone gives an error rather than a signal.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("make a pair of sockets");
  socket_ = ends[0];
  arguments.insert(arguments.begin(), path);
  try {
    process_ = start_process(path.c_str(), std::move(arguments), environment_of({}),
                             {.input = ends[1], .output = ends[1]});
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
}

line_program::~line_program() { stop(); }

void line_program::stop() {
  if (process_ < 0) return;
  close(socket_);
  for (int tries = 0; tries < 100; ++tries) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) {
      process_ = -1;
      return;
    }
    usleep(10000);
  }
  kill(-process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string line_program::ask(const std::string& problem, double patience_s) {
  const auto fail_asking = [&](const std::string& why) {
    return error(failure::driver, name_ + ": " + why + " (asked: " + problem + ")");
  };
  if (process_ < 0) throw fail_asking("is gone");
  const std::string line = problem + "\n";
  if (send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw fail_asking("is gone");
  std::size_t end = 0;
  while ((end = buffered_.find('\n')) == std::string::npos) {
    pollfd wait{socket_, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(patience_s * 1000));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      kill(-process_, SIGKILL);
      stop();
      throw fail_asking("hung");
    }
    std::array<char, 4096> bytes;
    const ssize_t got = read(socket_, bytes.data(), bytes.size());
    if (got <= 0) {
      stop();
      throw fail_asking("ended without an answer");
    }
    buffered_.append(bytes.data(), static_cast<std::size_t>(got));
  }
  std::string answer = buffered_.substr(0, end);
  buffered_.erase(0, end + 1);
  return answer;
}

}  // namespace clwave::tool
