// Files that stream to one device or several, and the words that say to which.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave/host_array.hpp>

#include "drivers/session.hpp"
#include "files/input_file.hpp"
#include "shared/records.hpp"
#include "shared/terminal.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace clwave::tool {

// --device and --devices as given.
struct device_words {
  std::string selector, list;
};
void add_device_options(CLI::App& command, device_words& words);

// The session's device and, of a list, the others.
class chosen_devices {
 public:
  explicit chosen_devices(const device_words& words);

  const session& first() const { return first_; }
  const std::vector<cl_command_queue>& queues() const { return queues_; }
  // What a record has of them: "0:0 NVIDIA H200", of each.
  const json& names() const { return names_; }
  // For people: the same with their profiles.
  const std::string& places() const { return places_; }
  // Whether a list was given: then files stream though they fit.
  bool is_list() const { return is_list_; }

 private:
  session first_;
  std::vector<further_device> others_;
  std::vector<cl_command_queue> queues_;
  json names_;
  std::string places_;
  bool is_list_;
};

// A file as an array of the host's. While it exists, a terminal shows how far it has been read.
class file_stream {
 public:
  // `doing`: "reducing", shown before the file's name.
  file_stream(const input_file& file, const std::string& doing);
  file_stream(const file_stream&) = delete;
  file_stream& operator=(const file_stream&) = delete;

  const detail::host_elements& elements() const { return elements_; }
  // Since the first element was asked for.
  double seconds() const;

 private:
  using clock = std::chrono::steady_clock;
  void read(std::uint64_t first, std::size_t n, void* into);
  std::string how_far(const std::string& doing) const;

  const input_file& file_;
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<clock::rep> begun_;
  std::atomic_flag has_begun_ = ATOMIC_FLAG_INIT;
  detail::host_elements elements_;
  waiting word_;  // last: asks how far it is
};

}  // namespace clwave::tool
