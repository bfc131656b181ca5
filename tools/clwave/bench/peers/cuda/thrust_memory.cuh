// Temporary memory for Thrust's calls, which is kept between them: Thrust's own policies allocate and free it in every
// call.
#pragma once

#include <map>

#include "peers.cuh"

// Not for several threads.
class thrust_memory {
 public:
  using value_type = char;

  thrust_memory() = default;
  thrust_memory(const thrust_memory&) = delete;
  thrust_memory& operator=(const thrust_memory&) = delete;

  // Some that is free, or else new.
  char* allocate(std::ptrdiff_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    auto found = free_.find(size);
    if (found == free_.end()) found = free_.emplace(size, device_memory(std::max<std::size_t>(size, 16)));
    auto* const memory = static_cast<char*>(found->second.get());
    taken_[memory] = std::move(found->second);
    free_.erase(found);
    return memory;
  }
  void deallocate(char* memory, std::size_t bytes) {
    const auto found = taken_.find(memory);
    free_.emplace(bytes, std::move(found->second));
    taken_.erase(found);
  }

 private:
  std::multimap<std::size_t, std::shared_ptr<void>> free_;
  std::map<char*, std::shared_ptr<void>> taken_;
};
