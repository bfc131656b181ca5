// A chain of ten calls whose counts stay on the device, over random data: against loops on the host, and
// against the same chain with its counts read back. The host reads, waits for and flushes nothing on the way.
//
// CLWAVE_TEST_CHAINS: so many random chains, instead of a few.
#include <clwave/any_view.hpp>

// All of these, or none: the chain takes one after the other.
#if __has_include(<clwave/gather.hpp>) && __has_include(<clwave/scan.hpp>) && __has_include(<clwave/select.hpp>) && \
    __has_include(<clwave/sort.hpp>) && __has_include(<clwave/transform.hpp>) && __has_include(<clwave/top_k.hpp>) && \
    __has_include(<clwave/reduce_by_key.hpp>)

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/gather.hpp>
#include <clwave/reduce_by_key.hpp>
#include <clwave/scan.hpp>
#include <clwave/select.hpp>
#include <clwave/sort.hpp>
#include <clwave/top_k.hpp>
#include <clwave/transform.hpp>

#include "harness/devices.hpp"
#include "harness/recorder.hpp"

namespace testing::counted_chain_test {
namespace {

constexpr std::size_t best = 10;

// The buffers of a chain over at most n elements; where its counts lie, and what it leaves.
struct chain_buffers {
  chain_buffers(const fixture& on, const std::vector<u32>& values, const std::vector<u32>& words)
      : n(values.size()), x(on.buffer_of(values)), table(on.buffer_of(words)) {
    const std::vector<u32> poison(n, 0xdeadbeef);
    for (cl::Buffer* each : {&kept, &sorted, &once, &places, &found, &sums, &late, &runs, &totals})
      *each = on.buffer_of(poison);
    counts = on.buffer_of(std::vector<u64>(4, 1ull << 40));
    top = on.buffer_of(std::vector<u32>(best, 0xdeadbeef));
    where = on.buffer_of(std::vector<u32>(best, 0xdeadbeef));
  }

  std::size_t n;
  cl::Buffer x, table, kept, sorted, once, places, found, sums, late, runs, totals, counts, top, where;
};

// The elements of a chain's buffer, as many as a count says: which the device reads, or else the host.
struct counted_by_device {
  const chain_buffers& b;
  auto operator()(const cl::Buffer& of, std::size_t count) const {
    return view<const u32>{of, b.n}.first(view<const u64>{b.counts, 1, count});
  }
};
struct counted_by_host {
  const chain_buffers& b;
  const cl::CommandQueue& queue;
  auto operator()(const cl::Buffer& of, std::size_t count) const {
    u64 number = 0;
    queue.enqueueReadBuffer(b.counts, CL_TRUE, count * sizeof number, sizeof number, &number);
    return view<const u32>{of, std::min<u64>(number, b.n)};
  }
};

std::size_t room_of(const view<const u32>& all) { return all.size(); }
std::size_t room_of(const clwave::counted_view<const u32>& all) { return all.all().size(); }

const clwave::map odd{.name = "odd", .source = "(x & 1) != 0"};
const clwave::map low{.name = "low", .source = "(x & 0x30) != 0"};
const clwave::map mixed{.name = "mixed", .source = "x * 0x9e3779b1u % 997u"};
const clwave::map coarse{.name = "coarse", .source = "x >> 7"};

template <class First>
void run_chain(const cl::CommandQueue& queue, const chain_buffers& b, const First& first) {
  const auto all = [&](const cl::Buffer& of) { return view<u32>{of, b.n}; };
  const auto count = [&](std::size_t k) { return view<u64>{b.counts, 1, k}; };
  clwave::copy_if(queue, all(b.x), all(b.kept), count(0), odd);
  clwave::sort(queue, first(b.kept, 0), all(b.sorted));
  clwave::unique(queue, first(b.sorted, 0), all(b.once), count(1));
  const auto beside = [&](const auto& in, const cl::Buffer& out) { return view<u32>{out, room_of(in)}; };
  const auto uniques = first(b.once, 1);
  clwave::transform(queue, uniques, beside(uniques, b.places), mixed);
  const auto places = first(b.places, 1);
  clwave::gather(queue, all(b.table), places, beside(places, b.found));
  const auto found = first(b.found, 1);
  clwave::inclusive_scan(queue, found, beside(found, b.sums));
  clwave::copy_if(queue, first(b.sums, 1), all(b.late), count(2), low);
  const auto late = first(b.late, 2);
  clwave::transform(queue, late, beside(late, b.places), coarse);
  clwave::reduce_by_key(queue, first(b.places, 2), beside(late, b.late), all(b.runs), all(b.totals),
                        count(3));
  const auto totals = first(b.totals, 3);
  const std::size_t k = std::min(best, room_of(totals));
  clwave::top_k(queue, totals, view<u32>{b.top, best}, view<u32>{b.where, best}, k);
}

// The same on the host: what is left, and the four counts.
struct expected {
  std::vector<u32> sums, runs, totals, top, where;
  std::vector<u64> counts;
};

expected by_loops(const std::vector<u32>& values, const std::vector<u32>& words) {
  expected e;
  std::vector<u32> kept;
  std::ranges::copy_if(values, std::back_inserter(kept), [](u32 x) { return (x & 1) != 0; });
  e.counts.push_back(kept.size());
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  e.counts.push_back(kept.size());
  u32 sum = 0;
  for (const u32 x : kept) {
    const u32 at = x * 0x9e3779b1u % 997u;
    sum += at < words.size() ? words[at] : 0;  // an index outside reads 0
    e.sums.push_back(sum);
  }
  std::vector<u32> late;
  std::ranges::copy_if(e.sums, std::back_inserter(late), [](u32 x) { return (x & 0x30) != 0; });
  e.counts.push_back(late.size());
  // Each run's keys are equal; its values are the elements themselves.
  for (std::size_t i = 0; i < late.size(); ++i) {
    if (i == 0 || late[i] >> 7 != late[i - 1] >> 7) {
      e.runs.push_back(late[i] >> 7);
      e.totals.push_back(0);
    }
    e.totals.back() += late[i];
  }
  e.counts.push_back(e.runs.size());
  e.where.resize(e.totals.size());
  std::iota(e.where.begin(), e.where.end(), 0);
  std::ranges::stable_sort(e.where, [&](u32 a, u32 b) { return e.totals[a] > e.totals[b]; });
  e.where.resize(std::min(best, e.where.size()));
  for (const u32 at : e.where) e.top.push_back(e.totals[at]);
  return e;
}

std::vector<u32> first_of(const fixture& on, const cl::Buffer& buffer, std::size_t n) {
  return n == 0 ? std::vector<u32>{} : on.read<u32>(buffer, n);
}

std::size_t chains() {
  const char* asked = std::getenv("CLWAVE_TEST_CHAINS");
  return asked != nullptr ? std::strtoul(asked, nullptr, 10) : quickest() ? 40 : 200;
}

}  // namespace

TEST_CASE_FIXTURE(
    on_device, "a chain of ten calls whose counts stay on the device leaves what loops on the host leave") {
  for (std::size_t k = 0; k < chains(); ++k) {
    CAPTURE(k);
    const std::size_t n = 1 + random.below(k % 32 == 31 ? 100'000 : 3'000);
    CAPTURE(n);
    std::vector<u32> values(n), words(n);
    const u32 most = 1 + static_cast<u32>(random.below(4) == 0 ? random.below(8) : random.below(1u << 31));
    for (u32& each : values) each = static_cast<u32>(random()) % most;
    for (u32& each : words) each = static_cast<u32>(random.below(100));
    const expected e = by_loops(values, words);
    const chain_buffers b(on, values, words), read_back(on, values, words);
    std::map<cl_command_queue, std::multiset<std::string>> used;
    // A second time what the first one left is no harm.
    for (int turn = 0; turn < 2; ++turn) {
      on.queue.finish();
      const recorder::queue_watch watch;
      run_chain(on.queue, b, counted_by_device{b});
      used = watch.used();
    }
    run_chain(on.queue, read_back, counted_by_host{read_back, on.queue});
    on.queue.finish();
    REQUIRE(used.size() == 1);
    for (const std::string& entry : used.begin()->second) CHECK(entry == "clEnqueueNDRangeKernel");
    CHECK(on.read<u64>(b.counts, 4) == e.counts);
    CHECK(first_of(on, b.sums, e.sums.size()) == e.sums);
    CHECK(first_of(on, b.runs, e.runs.size()) == e.runs);
    CHECK(first_of(on, b.totals, e.totals.size()) == e.totals);
    CHECK(first_of(on, b.top, e.top.size()) == e.top);
    CHECK(first_of(on, b.where, e.where.size()) == e.where);
    // In all bytes, behind the elements too.
    for (const auto member : {&chain_buffers::kept, &chain_buffers::sorted, &chain_buffers::once,
                              &chain_buffers::places, &chain_buffers::found, &chain_buffers::sums,
                              &chain_buffers::late, &chain_buffers::runs, &chain_buffers::totals})
      CHECK(on.read<u32>(b.*member, n) == on.read<u32>(read_back.*member, n));
    CHECK(on.read<u32>(b.top, best) == on.read<u32>(read_back.top, best));
    CHECK(on.read<u32>(b.where, best) == on.read<u32>(read_back.where, best));
  }
}

}  // namespace testing::counted_chain_test

#endif
