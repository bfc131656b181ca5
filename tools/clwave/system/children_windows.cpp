// CreateProcess, and threads that read from the children until each has ended or its time is up.
#include "shared/children.hpp"

#include "base/windows_api.hpp"
// after windows.h
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include <clwave/error.hpp>

#include "base/environment.hpp"
#include "base/system.hpp"
#include "shared/common.hpp"
#include "shared/output.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t noise_kept = 2000;

// Tells a child the number of the handle for its answer.
constexpr const char* answer_variable = "CLWAVE_ANSWER_HANDLE";

[[noreturn]] void fail(const char* doing) {
  throw error(failure::internal,
              std::string("could not ") + doing + ": Windows error " + std::to_string(GetLastError()));
}

struct close_handle {
  void operator()(HANDLE handle) const {
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
  }
};
using owned_handle = std::unique_ptr<void, close_handle>;

// A pipe, whose end for writing the next child inherits.
struct inherited_pipe {
  owned_handle to_read, to_write;
  inherited_pipe() {
    HANDLE from = nullptr;
    HANDLE to = nullptr;
    if (!CreatePipe(&from, &to, nullptr, 0)) fail("make a pipe");
    to_read.reset(from);
    to_write.reset(to);
    SetHandleInformation(to, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  }
};

// One argument, so that the child's C library reads it as it was: backslashes count only before a quote.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  std::size_t backslashes = 0;
  for (const char c : text) {
    if (c == '"') result.append(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    result += c;
  }
  return result.append(backslashes, '\\') + '"';
}

// This process's variables with the task's, as CreateProcess takes them: each ended by a zero, and all by
// another.
std::string environment_of(const child_task& task, HANDLE answer) {
  std::vector<std::pair<std::string, std::string>> set = task.set;
  set.emplace_back(answer_variable, std::to_string(reinterpret_cast<std::uintptr_t>(answer)));
  const auto is_replaced = [&](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('=', 1));  // "=C:=C:\dir" is one too
    return std::find(task.unset.begin(), task.unset.end(), name) != task.unset.end() ||
           std::any_of(set.begin(), set.end(), [&](const auto& pair) { return pair.first == name; });
  };
  std::string block;
  char* const entries = GetEnvironmentStringsA();
  for (const char* entry = entries; entry != nullptr && *entry != '\0';) {
    const std::string_view text = entry;
    if (!is_replaced(text)) block.append(text).push_back('\0');
    entry += text.size() + 1;
  }
  if (entries != nullptr) FreeEnvironmentStringsA(entries);
  for (const auto& [name, value] : set) block.append(name + "=" + value).push_back('\0');
  block.push_back('\0');
  return block;
}

std::string own_path() {
  std::string path(32768, '\0');
  path.resize(GetModuleFileNameA(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

// Reads until all processes that hold the other end are gone. Of `most` bytes, if not 0, the last are kept.
void drain(HANDLE from, std::string& into, std::size_t most) {
  std::array<char, 65536> bytes;
  DWORD got = 0;
  while (ReadFile(from, bytes.data(), static_cast<DWORD>(bytes.size()), &got, nullptr) && got > 0) {
    into.append(bytes.data(), got);
    if (most != 0 && into.size() > most) into.erase(0, into.size() - most);
  }
}

// A running child, with everything that it starts.
class child {
 public:
  child(const child_task& task, child_end& end) {
    inherited_pipe answer;
    inherited_pipe noise;
    std::string words = "clwave";
    for (const std::string& argument : task.arguments) words += " " + in_quotes(argument);
    std::string environment = environment_of(task, answer.to_write.get());
    STARTUPINFOA start = {};
    start.cb = sizeof start;
    start.dwFlags = STARTF_USESTDHANDLES;
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
    const owned_handle nothing(
        CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ, &inherited, OPEN_EXISTING, 0, nullptr));
    start.hStdInput = nothing.get();
    start.hStdOutput = noise.to_write.get();
    start.hStdError = noise.to_write.get();
    // What a driver starts is ended with the child; and all of it with this process, should that be ended.
    job_.reset(CreateJobObjectA(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    SetInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    PROCESS_INFORMATION made = {};
    if (!CreateProcessA(own_path().c_str(), words.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED,
                        environment.data(), nullptr, &start, &made))
      fail("start a process");
    process_.reset(made.hProcess);
    AssignProcessToJobObject(job_.get(), made.hProcess);
    ResumeThread(made.hThread);
    CloseHandle(made.hThread);
    answer_ = std::move(answer.to_read);
    noise_ = std::move(noise.to_read);
    readers_[0] = std::thread([this, &end] { drain(answer_.get(), end.answer, 0); });
    readers_[1] = std::thread([this, &end] { drain(noise_.get(), end.noise, noise_kept); });
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    end_all();
    for (std::thread& reader : readers_)
      if (reader.joinable()) reader.join();
  }

  // Waits until then at most, ends what is left of it, and says how it ended.
  void finish(clock::time_point deadline, child_end& end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
    const auto patience = static_cast<DWORD>(std::clamp<long long>(left, 0, 86'400'000));
    end.timed_out = WaitForSingleObject(process_.get(), patience) == WAIT_TIMEOUT;
    DWORD code = 0;
    if (!end.timed_out) GetExitCodeProcess(process_.get(), &code);
    end_all();
    for (std::thread& reader : readers_) reader.join();
    // Exit codes from here on are those of exceptions that nobody caught.
    constexpr DWORD first_exception = 0xC0000000;
    (code >= first_exception ? end.signal : end.status) = static_cast<int>(code);
  }

 private:
  void end_all() {
    TerminateJobObject(job_.get(), 1);
    TerminateProcess(process_.get(), 1);
  }
  owned_handle job_, process_, answer_, noise_;
  std::array<std::thread, 2> readers_;
};

}  // namespace

void answer_parent(const std::string& text) {
  static const detail::file_descriptor to = [] {
    const char* number = detail::environment(answer_variable);
    if (number == nullptr) return detail::file_descriptor(-1);
    const auto handle = static_cast<std::intptr_t>(std::strtoull(number, nullptr, 10));
    return detail::file_descriptor(_open_osfhandle(handle, _O_WRONLY | _O_BINARY));
  }();
  if (!to) {
    out() << text;
    return;
  }
  for (std::size_t done = 0; done < text.size();) {
    const std::ptrdiff_t wrote = to.write_some(text.data() + done, text.size() - done);
    if (wrote <= 0) leave(exit_internal);
    done += static_cast<std::size_t>(wrote);
  }
}

std::string signal_text(int signal) {
  char text[64] = {};
  std::snprintf(text, sizeof text, "exception 0x%08X", static_cast<unsigned>(signal));
  return text;
}

std::vector<child_end> run_children(const std::vector<child_task>& tasks, double deadline_s,
                                    const std::string& what) {
  std::vector<child_end> ends(tasks.size());
  std::vector<std::unique_ptr<child>> children;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    children.push_back(std::make_unique<child>(tasks[i], ends[i]));
  const waiting word(what);
  const auto deadline =
      clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(deadline_s));
  for (std::size_t i = 0; i < tasks.size(); ++i) children[i]->finish(deadline, ends[i]);
  return ends;
}

}  // namespace clwave::tool
