// How the differential fuzzer's cases make calls, and what they find in buffers afterwards.
#include "session.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include <CL/opencl.hpp>

#include "distributed/cut_arrays.hpp"

namespace differential {
namespace {

bytes noise_of(random_engine& random, std::size_t n) {
  bytes all((n + 7) / 8 * 8);
  for (std::size_t k = 0; k < all.size(); k += 8) {
    const std::uint64_t word = random();
    std::memcpy(all.data() + k, &word, 8);
  }
  all.resize(n);
  return all;
}

bool is_out_of_order(const cl::CommandQueue& queue) {
  return (queue.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

}  // namespace

// ------------------------------------------------------------------------------------------ operands

held::held(const fixture& on, random_engine& random, std::size_t element_bytes, std::size_t n, bool input)
    : on_(on), element_bytes_(element_bytes), n_(n), input_(input) {
  // The host may be forbidden to touch what kernels may.
  constexpr std::array<cl_mem_flags, 8> access = {0,
                                                  0,
                                                  0,
                                                  0,
                                                  CL_MEM_HOST_NO_ACCESS,
                                                  CL_MEM_HOST_WRITE_ONLY,
                                                  CL_MEM_HOST_READ_ONLY,
                                                  CL_MEM_ALLOC_HOST_PTR};
  const cl_mem_flags flags = CL_MEM_READ_WRITE | access[random.below(access.size())];
  const std::size_t align = std::max<std::size_t>(on.facts.base_address_align.value_or(512), 128);
  const bool in_part = random.below(4) == 0;
  if (in_part) part_at_ = align * (1 + random.below(3));
  constexpr std::array<std::size_t, 6> firsts = {0, 0, 16, 1, 3, 64};
  first_ = random.below(4) == 0 ? random.below(100) : firsts[random.below(firsts.size())];
  const std::size_t part_bytes = (first_ + n) * element_bytes + random.below(3) * element_bytes;
  const std::size_t whole_bytes = part_at_ + part_bytes + 64 + random.below(100);
  before_ = noise_of(random, whole_bytes);
  right_ = before_;
  cl_int code = CL_SUCCESS;
  whole_ = cl::Buffer(clCreateBuffer(on.context(), flags, whole_bytes, nullptr, &code));
  clwave::detail::check(code, "make an operand's buffer");
  part_ = whole_;
  if (in_part) {
    const cl_buffer_region region{part_at_, std::max<std::size_t>(part_bytes, 1)};
    part_ = cl::Buffer(clCreateSubBuffer(whole_(), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    clwave::detail::check(code, "make an operand's sub-buffer");
  }
}

// The device copies, for the host may not touch all buffers.
void held::write_before(random_engine& random, bool noise) const {
  bytes all = before_;
  if (noise && n_ > 0) {
    const bytes other = noise_of(random, n_ * element_bytes_);
    std::copy(other.begin(), other.end(), all.begin() + static_cast<std::ptrdiff_t>(elements_at()));
  }
  const cl::Buffer from = on_.buffer_of(all);
  clwave::detail::check(on_.queue.enqueueCopyBuffer(from, whole_, 0, 0, all.size()), "write an operand");
  clwave::detail::check(on_.queue.finish(), "write an operand");
}

cl::Event held::write_future(const cl::CommandQueue& queue, const cl::Event& after) {
  const std::size_t n_bytes = n_ * element_bytes_;
  const cl::Buffer from = on_.buffer_of_bytes(before_.data() + elements_at(), n_bytes);
  written_from_.push_back(from);
  const std::vector<cl::Event> first{after};
  cl::Event done;
  clwave::detail::check(n_bytes == 0
                            ? queue.enqueueMarkerWithWaitList(&first, &done)
                            : queue.enqueueCopyBuffer(from, whole_, 0, elements_at(), n_bytes, &first, &done),
                        "write an operand later");
  return done;
}

bytes held::read() const {
  const cl::Buffer to = on_.buffer_of(bytes(right_.size()));
  clwave::detail::check(on_.queue.enqueueCopyBuffer(whole_, to, 0, 0, right_.size()), "read an operand");
  return on_.read<unsigned char>(to, right_.size());
}

void held::check(const std::string& what) {
  written_from_.clear();
  const bytes now = read();
  const std::size_t begin = elements_at(), end = begin + n_ * element_bytes_;
  const std::string wrong = judged(now);
  if (!wrong.empty()) throw finding(what + wrong);
  if (now == right_) return;
  std::size_t differ = 0;
  std::string first;
  for (std::size_t k = 0; k < n_ && !is_judged(); ++k) {
    const unsigned char* got = now.data() + begin + k * element_bytes_;
    const unsigned char* right = right_.data() + begin + k * element_bytes_;
    if (std::memcmp(got, right, element_bytes_) == 0) continue;
    const std::string how = difference(got, right);
    if (!how.empty() && differ++ == 0) first = "element " + std::to_string(k) + " is " + how;
  }
  if (differ != 0)
    throw finding(what + std::to_string(differ) + " of " + std::to_string(n_) + " elements are wrong, " +
                  first);
  for (std::size_t k = 0; k < now.size(); ++k) {
    if ((k >= begin && k < end) || now[k] == right_[k]) continue;
    throw finding(what + "byte " + std::to_string(k < begin ? begin - k : k - end + 1) +
                  (k < begin ? " before" : " behind") + " the elements was written");
  }
}

// --------------------------------------------------------------------------------------------- calls

const std::vector<std::unique_ptr<fixture>>& session::contexts() { return testing::places(); }

std::size_t session::size(std::size_t most) {
  constexpr std::array<std::size_t, 14> marks = {1,   2,    16,   32,   64,   128,   256,
                                                 512, 1024, 2048, 4096, 8192, 16384, 32768};
  std::size_t n = 0;
  switch (below(16)) {
    case 0:
      n = below(2);
      break;
    case 1:
    case 2:
    case 3:
      n = below(40);
      break;
    case 4:
    case 5:
    case 6:
      n = below(600);
      break;
    case 7:
    case 8:
      n = below(5000);
      break;
    case 9:
      n = below(most + 1);
      break;
    default:
      n = marks[below(marks.size())] + below(3);
      n -= n > 0 ? 1 : 0;
  }
  // Now and then far more, in one of 300.
  if (most >= 20000 && one_in(300)) n = below(20 * most);
  return most >= 20000 ? n : std::min(n, most);
}

cl::CommandQueue session::queue_of(const fixture& on) {
  const auto kinds = testing::kinds_of_queue(on);
  // Never the context's own, behind which operands are written and read.
  return on.new_queue(kinds[below(kinds.size())]);
}

void session::check_all(const std::vector<held*>& operands, const std::string& how) {
  ++calls;
  std::size_t k = 0;
  for (held* each : operands) each->check(what + how + ", operand " + std::to_string(++k) + ": ");
}

void session::make(const std::vector<held*>& operands, const event_call& call) {
  for (const bool gated : {false, true}) {
    if (gated && !one_in(3)) return;
    for (const held* each : operands) each->write_before(random, gated && each->is_input());
    const cl::CommandQueue queue = queue_of(on());
    const bool unordered = is_out_of_order(queue);
    testing::gate shut(on());
    clwave::launch_options options;
    if (gated) {
      const cl::CommandQueue writer = flip() ? queue : on().new_queue();
      const bool told = unordered || writer() != queue() || flip();
      for (held* each : operands) {
        if (!each->is_input()) continue;
        const cl::Event written = each->write_future(writer, shut.event());
        if (told) options.after.add(written());
      }
      clwave::detail::check(writer.flush(), "flush");
    }
    options.with_event = !one_in(4);
    const clwave::event done = call(queue, options);
    shut.open();
    if (behind) std::exchange(behind, nullptr)();
    if (options.with_event) done.wait();
    clwave::detail::check(queue.finish(), "finish");
    check_all(operands, std::string(gated ? ", behind a write" : "") + (unordered ? ", out of order" : ""));
  }
}

// Opens gates a while after a call has begun that blocks. They are open when it goes.
struct session::opener {
  explicit opener(std::vector<testing::gate*> gates, unsigned after_ms)
      : thread([gates = std::move(gates), after_ms] {
          std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
          for (testing::gate* each : gates) each->open();
        }) {}
  std::jthread thread;
};

void session::make_blocking(const std::vector<held*>& operands, const blocking_call& call) {
  for (const bool gated : {false, true}) {
    if (gated && !one_in(3)) return;
    for (const held* each : operands) each->write_before(random, gated && each->is_input());
    const cl::CommandQueue queue = queue_of(on());
    testing::gate shut(on());
    clwave::launch_options options;
    if (gated) {
      const bool elsewhere = flip();
      const cl::CommandQueue writer = elsewhere ? on().new_queue() : queue;
      const bool told = elsewhere || flip();
      for (held* each : operands) {
        if (!each->is_input()) continue;
        const cl::Event written = each->write_future(writer, shut.event());
        if (told) options.after.add(written());
      }
      clwave::detail::check(writer.flush(), "flush");
    }
    {
      const opener later({&shut}, gated ? 4 : 0);
      call(queue, options);
    }
    clwave::detail::check(queue.finish(), "finish");
    check_all(operands, std::string(gated ? ", behind a write" : "") +
                            (is_out_of_order(queue) ? ", out of order" : "") + ", blocking");
  }
}

void session::make_distributed(const std::vector<held*>& operands,
                               const std::vector<cl::CommandQueue>& queues,
                               const std::function<void(waits&)>& call) {
  for (const bool gated : {false, true}) {
    if (gated && !one_in(2)) return;
    for (const held* each : operands) each->write_before(random, gated && each->is_input());
    waits after;
    std::map<const fixture*, std::unique_ptr<testing::gate>> gates;
    const bool told = one_in(3);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      held* each = operands[k];
      if (!gated || !each->is_input()) continue;
      auto& shut = gates[&each->on()];
      if (!shut) shut = std::make_unique<testing::gate>(each->on());
      const cl::Event written = each->write_future(queues[k], shut->event());
      if (told) after[each].add(written());
      clwave::detail::check(queues[k].flush(), "flush");
    }
    std::vector<testing::gate*> shut;
    for (const auto& each : gates) shut.push_back(each.second.get());
    {
      const opener later(shut, gated ? 6 : 0);
      call(after);
    }
    for (const cl::CommandQueue& each : queues) clwave::detail::check(each.finish(), "finish");
    check_all(operands, gated ? ", behind a write" : "");
  }
}

}  // namespace differential
