// The entries of all contexts: made by a context's first call, dropped by release() or when nobody else holds
// the context.
#include "call/context_entry.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <unordered_map>

#include <clwave/cache.hpp>

#include "base/forked.hpp"
#include "call/planning.hpp"

namespace clwave::detail {
namespace {

std::optional<cl_uint> references_to(cl_context context) {
  cl_uint count = 0;
  if (clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr) != CL_SUCCESS)
    return std::nullopt;
  return count;
}

// By how much the count of a context's references rises with one more object that make() returns. Nothing
// where it cannot be made, or where the count did not come back to what it was.
template <class Make>
std::optional<cl_uint> rise(cl_context context, Make make) {
  const auto before = references_to(context);
  std::optional<cl_uint> during;
  {
    const auto object = make();
    if (object() == nullptr) return std::nullopt;
    during = references_to(context);
  }
  if (!before || !during || references_to(context) != before || *during < *before) return std::nullopt;
  return *during - *before;
}

struct context_entries {
  std::mutex mutex;
  std::unordered_map<cl_context, std::shared_ptr<context_entry>> all;
};

// Never destroyed: calls may still run, or begin, while the process exits, and the driver may be gone before.
context_entries& entries() {
  static context_entries& instance = *new context_entries;
  return instance;
}

// Drops the entries of contexts that only the library holds.
void sweep() {
  std::vector<std::shared_ptr<context_entry>> dropped;  // ends after the lock
  const std::lock_guard lock(entries().mutex);
  for (auto each = entries().all.begin(); each != entries().all.end();) {
    // Only the table's own pointer: no call holds the entry, and under the lock none can come to.
    if (each->second.use_count() == 1 && each->second->is_last_holder()) {
      dropped.push_back(std::move(each->second));
      each = entries().all.erase(each);
    } else {
      ++each;
    }
  }
}

}  // namespace

context_entry::context_entry(cl_context context) : context_(retained<cl::Context>(context)) {}

known_device& context_entry::device(cl_device_id device) {
  if (known_device* const first = first_.load(std::memory_order_acquire);
      first != nullptr && first->device() == device)
    return *first;
  const auto find = [&]() -> known_device* {
    const auto found =
        std::ranges::find_if(devices_, [&](const auto& each) { return each->device() == device; });
    return found != devices_.end() ? found->get() : nullptr;
  };
  {
    const std::lock_guard lock(mutex_);
    if (known_device* const found = find()) return *found;
  }
  auto fresh = known(device);
  const std::lock_guard lock(mutex_);
  if (known_device* const found = find()) return *found;
  known_device& added = *devices_.emplace_back(std::move(fresh));
  if (devices_.size() == 1) first_.store(&added, std::memory_order_release);
  return added;
}

namespace {

// What is reserved at least, and up to where sizes double, so that calls of growing sizes do not each reserve
// again; and what is kept at most, for a stream of pieces to one device (distributed/host_stream.hpp).
constexpr std::size_t least_staging = std::size_t{64} << 10;
constexpr std::size_t staging_granule = std::size_t{1} << 20;
constexpr std::size_t most_kept_staging = std::size_t{128} << 20;
constexpr std::size_t most_kept_queues = 8;

std::size_t staging_size(std::size_t n_bytes) {
  if (n_bytes <= staging_granule) return std::max(least_staging, std::bit_ceil(n_bytes));
  return static_cast<std::size_t>(round_up(n_bytes, staging_granule));
}

}  // namespace

std::unique_ptr<host_memory> context_entry::take_staging(cl_device_id device, std::size_t n_bytes) {
  {
    const std::lock_guard lock(mutex_);
    auto smallest = staging_.end();
    for (auto each = staging_.begin(); each != staging_.end(); ++each)
      if ((*each)->size() >= n_bytes && (smallest == staging_.end() || (*each)->size() < (*smallest)->size()))
        smallest = each;
    if (smallest != staging_.end()) {
      auto taken = std::move(*smallest);
      staging_.erase(smallest);
      return taken;
    }
  }
  return std::make_unique<host_memory>(context(), device, staging_size(n_bytes));
}

void context_entry::give_back_staging(std::unique_ptr<host_memory> memory) noexcept try {
  if (memory->size() > most_kept_staging) return;
  std::vector<std::unique_ptr<host_memory>> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  staging_.push_back(std::move(memory));
  std::size_t n_bytes = 0;
  auto first = staging_.end();
  while (first != staging_.begin() && n_bytes + (*std::prev(first))->size() <= most_kept_staging)
    n_bytes += (*--first)->size();
  std::move(staging_.begin(), first, std::back_inserter(dropped));
  staging_.erase(staging_.begin(), first);
} catch (...) {  // no memory to keep it: it is freed instead
}

cl::CommandQueue context_entry::take_queue(cl_device_id device) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(queues_, [&](const auto& each) { return each.first == device; });
    if (found != queues_.end()) {
      cl::CommandQueue taken = std::move(found->second);
      queues_.erase(found);
      return taken;
    }
  }
  return make_queue(context(), device);
}

void context_entry::give_back_queue(cl_device_id device, cl::CommandQueue queue) noexcept try {
  const std::lock_guard lock(mutex_);
  if (queues_.size() < most_kept_queues) queues_.emplace_back(device, std::move(queue));
} catch (...) {  // no memory to keep it: it is released instead
}

void context_entry::trim() {
  workspaces_.clear();
  results_.clear();
  std::vector<std::pair<cl_device_id, cl::CommandQueue>> queues;  // end after the lock
  std::vector<std::unique_ptr<host_memory>> dropped;              // ends after the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(staging_);
  queues.swap(queues_);
}

bool context_entry::is_last_holder() {
  if (workspaces_.in_use() || results_.in_use()) return false;
  if (references_to(context()) == 1u) return true;
  // What the driver counts besides is found out by making one more object of each kind.
  const program_cache::objects built = programs_.count();
  const auto of_program = rise(context(), [&] {
    cl_int code = CL_SUCCESS;
    const char* text = "kernel void nothing() {}";
    return cl::Program(clCreateProgramWithSource(context(), 1, &text, nullptr, &code));
  });
  const auto of_kernel = built.kernels == 0 ? 0 : rise(context(), [&] { return programs_.another_kernel(); });
  if (!of_program || !of_kernel || *of_program == 0) return false;
  // Workspace goes before the count: a buffer may hold its last command (PoCL), that its queue, and that the
  // context. A new block costs the next call little.
  trim();
  const auto count = references_to(context());
  return count && *count <= 1 + built.programs * *of_program + built.kernels * *of_kernel;
}

std::shared_ptr<context_entry> entry_of(cl_context context) {
  {
    const std::lock_guard lock(entries().mutex);
    if (const auto found = entries().all.find(context); found != entries().all.end()) return found->second;
  }
  sweep();
  const auto fresh = std::make_shared<context_entry>(context);
  const std::lock_guard lock(entries().mutex);
  return entries().all.try_emplace(context, fresh).first->second;
}

void release(cl_context context) {
  if (context == nullptr) throw error(failure::bad_call, "release: the context is null");
  if (is_forked_child()) return;           // what is kept is the parent's
  std::shared_ptr<context_entry> dropped;  // ends after the lock
  {
    const std::lock_guard lock(entries().mutex);
    if (const auto found = entries().all.find(context); found != entries().all.end()) {
      dropped = std::move(found->second);
      entries().all.erase(found);
    }
  }
  if (dropped != nullptr) dropped->mark_released();
  dropped.reset();
  forget_unused_devices();
}

void forget_programs(cl_context context) { entry_of(context)->programs().clear(); }

}  // namespace clwave::detail

namespace clwave {
using namespace detail;

void trim() {
  if (is_forked_child()) return;
  sweep();
  std::vector<std::shared_ptr<context_entry>> all;
  {
    const std::lock_guard lock(entries().mutex);
    for (const auto& [context, entry] : entries().all) all.push_back(entry);
  }
  for (const auto& entry : all) entry->trim();
  all.clear();
  forget_unused_devices();
}

}  // namespace clwave
