// Rows of calls whose number of elements, or of segments, lies on the device, beside the same calls with it
// on the host; and of a chain of ten calls whose counts stay there, beside one that reads them back.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.hpp"

// All of these, or no rows.
#if __has_include(<clwave/gather.hpp>) && __has_include(<clwave/histogram.hpp>) && \
    __has_include(<clwave/reduce.hpp>) && __has_include(<clwave/reduce_by_key.hpp>) && \
    __has_include(<clwave/scan.hpp>) && __has_include(<clwave/scan_by_key.hpp>) && \
    __has_include(<clwave/segmented_reduce.hpp>) && __has_include(<clwave/segmented_sort.hpp>) && \
    __has_include(<clwave/select.hpp>) && __has_include(<clwave/sort.hpp>) && \
    __has_include(<clwave/top_k.hpp>) && __has_include(<clwave/transform.hpp>)
#define CLWAVE_BENCH_COUNTED
#include <clwave/gather.hpp>
#include <clwave/histogram.hpp>
#include <clwave/reduce.hpp>
#include <clwave/reduce_by_key.hpp>
#include <clwave/scan.hpp>
#include <clwave/scan_by_key.hpp>
#include <clwave/segmented_reduce.hpp>
#include <clwave/segmented_sort.hpp>
#include <clwave/select.hpp>
#include <clwave/sort.hpp>
#include <clwave/top_k.hpp>
#include <clwave/transform.hpp>
#endif

namespace clwave::tool::bench::rows_of_counted {
namespace {

#ifdef CLWAVE_BENCH_COUNTED
using word = std::uint32_t;

constexpr const char* kernels = R"(
// Elements of all bits, keys in runs of 16 elements on average, indices, and offsets of segments of 16.
kernel void make(global uint* x, global uint* keys, global uint* indices, global uint* offsets, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    if (i <= n / 16) offsets[i] = (uint)(16 * i);
    uint h = (uint)i * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca6bu;
    h ^= h >> 13;
    x[i] = h;
    keys[i] = (uint)(i / 16 + (h & 15) / 15);
    indices[i] = (uint)(((ulong)h * n) >> 32);
  }
}
kernel void count_wrong(const global uint* a, const global uint* b, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) found += a[i] != b[i] ? 1 : 0;
  if (found != 0) atomic_add(wrong, found);
}
)";

constexpr std::uint64_t segment = 16;  // elements

// What calls work on: inputs, outputs of as many elements, offsets of segments, and counts.
struct counted_data {
  std::uint64_t n = 0;
  cl::Buffer x = {}, keys = {}, indices = {}, offsets = {}, out = {}, second = {}, numbers = {}, found = {};

  view<word> of(const cl::Buffer& buffer) const { return {buffer, n}; }
  view<std::uint64_t> number() const { return {numbers, 1}; }
  view<std::uint64_t> kept() const { return {found, 1}; }
};

std::shared_ptr<counted_data> counted_data_of(laboratory& lab, std::uint64_t n) {
  auto all = std::make_shared<counted_data>(counted_data{.n = n});
  for (cl::Buffer* each : {&all->x, &all->keys, &all->indices, &all->out, &all->second})
    *each = lab.buffer(4 * n);
  all->offsets = lab.buffer(4 * (n / segment + 1));
  for (cl::Buffer* each : {&all->numbers, &all->found}) *each = lab.buffer(8);
  cl::Kernel make = lab.kernel(kernels, "make");
  make.setArg(0, all->x);
  make.setArg(1, all->keys);
  make.setArg(2, all->indices);
  make.setArg(3, all->offsets);
  make.setArg(4, cl_ulong{n});
  lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  return all;
}

const map odd{.name = "odd", .source = "(x & 1) != 0"};
const map twice{.name = "twice", .source = "2 * x"};
constexpr std::uint64_t bins = 256, best = 100;

// A call over the first elements, either way: `first` gives so many of a view as are asked for, `beside` a
// view that has room for as many results.
struct counted_call {
  const char* name;
  std::function<void(laboratory&, const counted_data&, bool on_device, std::uint64_t n)> run;
  std::uint64_t each = 1;  // the elements of what is counted
};

template <class Use>
counted_call counted_call_of(const char* name, Use use) {
  return {name, [use](laboratory& lab, const counted_data& d, bool on_device, std::uint64_t n) {
            if (on_device)
              use(
                  lab.on.queue, d, [&](const cl::Buffer& of) { return d.of(of).first(d.number()); }, d.n);
            else
              use(
                  lab.on.queue, d,
                  [&](const cl::Buffer& of) {
                    return view<word>{of, n};
                  },
                  n);
          }};
}

// Of segments: `use` is given the offsets, and how many results there is room for.
template <class Use>
counted_call segmented_call_of(const char* name, Use use) {
  return {name,
          [use](laboratory& lab, const counted_data& d, bool on_device, std::uint64_t n) {
            const auto segments = [&](std::uint64_t elements) {
              return view<word>{d.offsets, elements / segment + 1};
            };
            if (on_device)
              use(lab.on.queue, d, segments(d.n).first_segments(d.number()), d.n / segment);
            else
              use(lab.on.queue, d, segments(n), n / segment);
          },
          segment};
}

const std::vector<counted_call>& counted_calls() {
  static const std::vector<counted_call> all{
      counted_call_of(
          "reduce",
          [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t /*room*/) {
            reduce(queue, first(d.x), view<word>{d.out, 1}, no_event);
          }),
      counted_call_of("transform",
                      [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
                        transform(queue, first(d.x), view<word>{d.out, room}, twice, no_event);
                      }),
      counted_call_of(
          "gather",
          [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
            gather(queue, d.of(d.x), first(d.indices), view<word>{d.out, room}, {.with_event = false});
          }),
      counted_call_of("inclusive_scan",
                      [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
                        inclusive_scan(queue, first(d.x), view<word>{d.out, room}, {.with_event = false});
                      }),
      counted_call_of("copy_if",
                      [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
                        copy_if(queue, first(d.x), view<word>{d.out, room}, d.kept(), odd, no_event);
                      }),
      counted_call_of("partition",
                      [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
                        partition(queue, first(d.x), view<word>{d.out, room}, d.kept(), odd, no_event);
                      }),
      counted_call_of("sort",
                      [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
                        sort(queue, first(d.x), view<word>{d.out, room}, {.with_event = false});
                      }),
      counted_call_of("reduce_by_key",
                      [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
                        reduce_by_key(queue, first(d.keys), view<word>{d.x, room}, view<word>{d.second, room},
                                      view<word>{d.out, room}, d.kept(), no_event);
                      }),
      counted_call_of("scan_by_key",
                      [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t room) {
                        inclusive_scan_by_key(queue, first(d.keys), view<word>{d.x, room},
                                              view<word>{d.out, room}, {.with_event = false});
                      }),
      counted_call_of(
          "histogram",
          [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t /*room*/) {
            histogram(queue, first(d.x), view<word>{d.out, bins}, even{0, 4294967296.0});
          }),
      counted_call_of(
          "top_k",
          [](const auto& queue, const counted_data& d, const auto& first, std::uint64_t /*room*/) {
            top_k(queue, first(d.x), view<word>{d.out, best}, view<word>{d.second, best}, best);
          }),
      segmented_call_of(
          "segmented_reduce",
          [](const auto& queue, const counted_data& d, const auto& offsets, std::uint64_t room) {
            segmented_reduce(queue, d.of(d.x), offsets, view<word>{d.out, room}, plus, no_event);
          }),
      segmented_call_of("segmented_sort", [](const auto& queue, const counted_data& d, const auto& offsets,
                                             std::uint64_t /*room*/) {
        segmented_sort(queue, d.of(d.x), offsets, d.of(d.out), {.with_event = false});
      })};
  return all;
}

contender counted_contender(laboratory& lab, const counted_call& call, std::uint64_t most, std::uint64_t n,
                            bool on_device) {
  const std::shared_ptr<counted_data> data = counted_data_of(lab, most);
  const std::uint64_t number = n / call.each;
  lab.on.queue.enqueueWriteBuffer(data->numbers, CL_TRUE, 0, sizeof number, &number);
  contender c;
  c.keeps = data;
  c.spoil = [&lab, data, most] { lab.spoil(data->out, 4 * most); };
  c.call = [&lab, data, &call, on_device, n](std::size_t /*place*/) { call.run(lab, *data, on_device, n); };
  // Against the call with its count on the host, as far as that writes; the benchmark of each call checks
  // that one.
  c.wrong = [&lab, data, &call, most, n](std::size_t /*place*/) -> std::string {
    const cl::Buffer out = lab.buffer(4 * most);
    lab.on.queue.enqueueCopyBuffer(data->out, out, 0, 0, 4 * most);
    lab.spoil(data->out, 4 * most);
    call.run(lab, *data, false, n);
    cl::Kernel k = lab.kernel(kernels, "count_wrong");
    k.setArg(0, data->out);
    k.setArg(1, out);
    k.setArg(2, cl_ulong{most});
    return lab.count(k, 3) == 0 ? "" : "other results than with the count on the host";
  };
  return c;
}

// The chain's elements, as many as a count says: which the device reads, or else the host, which waits for
// it.
template <class Count>
void run_chain(laboratory& lab, const counted_data& d, const std::vector<cl::Buffer>& counts,
               const Count& first) {
  static const map low{.name = "low", .source = "(x & 48) != 0"}, place{.name = "place", .source = "x >> 9"},
      coarse{.name = "coarse", .source = "x >> 22"};
  const auto all = [&](const cl::Buffer& of) { return d.of(of); };
  const auto count = [&](std::size_t k) { return view<std::uint64_t>{counts[k], 1}; };
  const auto beside = [](const auto& in, const cl::Buffer& out) {
    if constexpr (requires { in.all(); })
      return view<word>{out, in.all().size()};
    else
      return view<word>{out, in.size()};
  };
  const cl::CommandQueue& queue = lab.on.queue;
  copy_if(queue, all(d.x), all(d.out), count(0), odd, no_event);
  sort(queue, first(d.out, 0), all(d.second));
  unique(queue, first(d.second, 0), all(d.out), count(1), no_event);
  const auto once = first(d.out, 1);
  transform(queue, once, beside(once, d.indices), place, no_event);
  const auto places = first(d.indices, 1);
  gather(queue, all(d.x), places, beside(places, d.second), {.with_event = false});
  const auto found = first(d.second, 1);
  inclusive_scan(queue, found, beside(found, d.out));
  copy_if(queue, first(d.out, 1), all(d.second), count(2), low, no_event);
  const auto late = first(d.second, 2);
  transform(queue, late, beside(late, d.indices), coarse, no_event);
  reduce_by_key(queue, first(d.indices, 2), beside(late, d.second), all(d.keys), all(d.out), count(3),
                no_event);
  const auto totals = first(d.out, 3);
  top_k(queue, totals, view<word>{d.second, best}, view<word>{d.keys, best}, best);
}

contender chain(laboratory& lab, std::uint64_t n, bool on_device) {
  const std::shared_ptr<counted_data> data = counted_data_of(lab, n);
  std::vector<cl::Buffer> counts;
  for (int k = 0; k < 4; ++k) counts.push_back(lab.buffer(8));
  const auto run = [&lab, data, counts, n](bool reads_on_device) {
    if (reads_on_device)
      run_chain(lab, *data, counts, [&](const cl::Buffer& of, std::size_t k) {
        return view<word>{of, n}.first(view<std::uint64_t>{counts[k], 1});
      });
    else
      run_chain(lab, *data, counts, [&](const cl::Buffer& of, std::size_t k) {
        std::uint64_t number = 0;
        lab.on.queue.enqueueReadBuffer(counts[k], CL_TRUE, 0, sizeof number, &number);
        return view<word>{of, std::min(number, n)};
      });
    lab.finish();
  };
  contender c;
  c.keeps = data;
  c.spoil = [&lab, data] { lab.spoil(data->second, 4 * best); };
  c.call = [run, on_device](std::size_t /*place*/) { run(on_device); };
  c.wrong = [&lab, data, run](std::size_t /*place*/) -> std::string {
    std::vector<word> of_call(best), of_other(best);
    lab.on.queue.enqueueReadBuffer(data->second, CL_TRUE, 0, 4 * best, of_call.data());
    lab.spoil(data->second, 4 * best);
    run(false);
    lab.on.queue.enqueueReadBuffer(data->second, CL_TRUE, 0, 4 * best, of_other.data());
    return of_call == of_other ? "" : "other results than with counts read back";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  const std::uint64_t most = std::uint64_t{1} << (lab.is_cpu ? 22 : 26);
  for (const counted_call& call : counted_calls()) {
    for (const std::uint64_t n : {most / 16, most}) {
      if (!lab.fits(24.0 * static_cast<double>(most))) continue;
      const std::string base = "counted/" + std::string(call.name) + "-" + std::to_string(n) + "/u32/" +
                               std::to_string(most) + "/clwave";
      const std::string sentence =
          "clwave::" + std::string(call.name) + " of " + std::to_string(n / call.each) +
          (call.each == 1 ? "" : " segments of " + std::to_string(call.each)) + " elements, which ";
      group rows;
      rows.rows.push_back({base, sentence + "the device counts",
                           [&lab, &call, most, n] { return counted_contender(lab, call, most, n, true); }});
      rows.rows.push_back({base + "-host", sentence + "the host has counted",
                           [&lab, &call, most, n] { return counted_contender(lab, call, most, n, false); }});
      all.push_back(std::move(rows));
    }
  }
  for (const unsigned bits : {16u, 20u, 24u}) {
    const std::uint64_t n = std::uint64_t{1} << bits;
    group rows;
    rows.how = clocked::blocking;
    const std::string base = "counted/chain/u32/" + std::to_string(n) + "/clwave";
    rows.rows.push_back({base, "ten calls behind one another, whose counts stay on the device",
                         [&lab, n] { return chain(lab, n, true); }});
    rows.rows.push_back({base + "-read-back", "the same, each count read back before the next call",
                         [&lab, n] { return chain(lab, n, false); }});
    all.push_back(std::move(rows));
  }
}
#else
void add_groups(laboratory& /*lab*/, std::vector<group>& /*all*/) {}
#endif

const registered_rows listed(
    "counted", {{.add = add_groups,
                 .goals = {{where::gpu, R"(counted/(\w+)-67108864/u32/67108864/clwave)", measure_of::time,
                            "counted/$1-67108864/u32/67108864/clwave-host", 1.03},
                           {where::gpu, R"(counted/(\w+)-4194304/u32/67108864/clwave)", measure_of::time,
                            "counted/$1-4194304/u32/67108864/clwave-host", 1.15},
                           {where::gpu, R"(counted/chain/u32/1048576/clwave)", measure_of::time,
                            "counted/chain/u32/1048576/clwave-read-back", 0.7}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_counted
