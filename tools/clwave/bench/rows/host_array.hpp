// What rows of arrays that stream from the host share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <clwave/host_array.hpp>

#include "bench/bench.hpp"
#include "call/workspace_pool.hpp"

namespace clwave::tool::bench {

// How many floats the rows take.
std::uint64_t streamed_floats(const laboratory& lab);

// The pool's first n floats in the host's memory, of one kind or the other.
struct floats_of_host {
  floats_of_host(laboratory& lab, std::uint64_t n_floats, host_pages kind);
  std::size_t bytes() const { return static_cast<std::size_t>(n) * sizeof(float); }

  std::uint64_t n;
  host_pages pages;
  const float* first = nullptr;
  std::shared_ptr<void> pageable;
  std::unique_ptr<detail::host_memory> page_locked;
};

}  // namespace clwave::tool::bench
