// What the tests of the caller's own workspace share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <clwave/plan.hpp>

#include "harness/devices.hpp"

namespace testing {

// Many tiles, several levels' results.
inline constexpr std::size_t n_summed = 300001;

// Rows whose calls take workspace in different ways; those with lanes take a compiler seconds.
inline constexpr const char* rows_with_workspace[] = {"cpu", "gpu"};

inline clwave::plan_target target_of(const fixture& on) { return on.target(); }

// Memory of which calls may use a part, full of what spoils counters and results. What they may not touch is
// watched.
class spoilt_memory {
 public:
  static constexpr std::size_t part_at = 4096;  // a multiple of what devices ask of sub-buffers

  spoilt_memory(const fixture& on, std::size_t n_bytes) : on_(on), n_bytes_(n_bytes) {
    before_.assign(part_at + n_bytes + 512, 0xa5);
    buffer_ = on.buffer_of(before_);
  }

  // The buffer up to so many bytes, and those from part_at on.
  clwave::view<unsigned char> head() const { return {buffer_, n_bytes_}; }
  clwave::view<unsigned char> part() const { return {buffer_, n_bytes_, part_at}; }
  const cl::Buffer& whole() const { return buffer_; }

  void spoil() const {
    clwave::detail::check(clEnqueueWriteBuffer(on_.queue(), buffer_(), CL_TRUE, 0, before_.size(),
                                               before_.data(), 0, nullptr, nullptr),
                          "spoil the workspace");
  }
  bool used(std::size_t first) const {
    const auto now = on_.read<unsigned char>(buffer_, n_bytes_, first);
    return std::ranges::any_of(now, [](unsigned char byte) { return byte != 0xa5; });
  }
  // Nothing outside the n bytes from `first` on was written.
  bool guards_intact(std::size_t first, std::size_t n) const {
    auto now = on_.read<unsigned char>(buffer_, before_.size());
    std::fill_n(now.begin() + static_cast<std::ptrdiff_t>(first), n, 0xa5);
    return now == before_;
  }
  bool guards_intact(std::size_t first) const { return guards_intact(first, n_bytes_); }

 private:
  const fixture& on_;
  std::size_t n_bytes_;
  std::vector<unsigned char> before_;
  cl::Buffer buffer_;
};

}  // namespace testing
