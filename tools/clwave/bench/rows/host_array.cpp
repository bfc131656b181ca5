// Rows of arrays that stream from the host, beside what the way to the device carries.
#include "bench/rows/host_array.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "bench/rows/reduce.hpp"

namespace clwave::tool::bench {
namespace rows_of_host_array {
namespace {

const reduction sum_of_floats{"sum", "f32"};
constexpr std::size_t piece = std::size_t{8} << 20;  // bytes that are written at once

contender streamed_sum(laboratory& lab, std::uint64_t n, host_pages pages,
                       const detail::stream_sizes& streaming) {
  const auto floats = std::make_shared<floats_of_host>(lab, n, pages);
  const auto value = std::make_shared<float>();
  contender c;
  c.bytes = static_cast<double>(floats->bytes());
  c.call = [&lab, floats, value, streaming](std::size_t) {
    const host_array array(std::span(floats->first, static_cast<std::size_t>(floats->n)), floats->pages);
    const cl_command_queue queue = lab.on.queue();
    const element& type = element_of<float>();
    detail::reduce_host_array({.queues = {&queue, 1},
                               .x = &array.erased(),
                               .y = nullptr,
                               .accumulator = &type,
                               .folded = &type,
                               .fold = &plus,
                               .apply = &identity,
                               .streaming = streaming},
                              value.get());
  };
  c.spoil = [value] { *value = 12345; };
  c.wrong = [value, n](std::size_t) {
    return compare(answer_of(sum_of_floats, n, 0, first_seed), sum_of_floats, value.get(), nullptr, true);
  };
  return c;
}

// The same bytes to the device, 8 MiB at a time into buffers in turn, and nothing done with them.
contender written(laboratory& lab, std::uint64_t n, host_pages pages) {
  const auto floats = std::make_shared<floats_of_host>(lab, n, pages);
  const std::array<cl::Buffer, 3> buffers{lab.buffer(piece), lab.buffer(piece), lab.buffer(piece)};
  contender c;
  c.bytes = static_cast<double>(floats->bytes());
  c.call = [&lab, floats, buffers](std::size_t) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(floats->first);
    for (std::size_t at = 0, k = 0; at < floats->bytes(); at += piece, ++k)
      detail::check(
          clEnqueueWriteBuffer(lab.on.queue(), buffers[k % buffers.size()](), CL_FALSE, 0,
                               std::min(piece, floats->bytes() - at), bytes + at, 0, nullptr, nullptr),
          "write");
    lab.finish();
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  const std::uint64_t n = streamed_floats(lab);
  const std::string size = "/f32/" + std::to_string(n) + "/";
  group rows;
  rows.how = clocked::blocking;
  const auto add_sum = [&](const std::string& variant, const std::string& sentence, host_pages pages,
                           const detail::stream_sizes& streaming) {
    rows.rows.push_back({"host_array/sum" + variant + size + "clwave/host", sentence,
                         [&lab, n, pages, streaming] { return streamed_sum(lab, n, pages, streaming); }});
  };
  add_sum("", "blocking clwave::reduce of a host_array in pageable memory", host_pages::pageable, {});
  add_sum("-page-locked", "blocking clwave::reduce of a host_array in page-locked memory",
          host_pages::page_locked, {});
  rows.rows.push_back({"host_array/write-page-locked" + size + "opencl/host",
                       "the same bytes by clEnqueueWriteBuffer from page-locked memory: what the way carries",
                       [&lab, n] { return written(lab, n, host_pages::page_locked); }});
  rows.rows.push_back({"host_array/write" + size + "opencl/host",
                       "the same bytes by clEnqueueWriteBuffer from pageable memory",
                       [&lab, n] { return written(lab, n, host_pages::pageable); }});
  constexpr std::uint64_t floats_of_mebibyte = (1 << 20) / sizeof(float);
  for (const unsigned mebibytes : {2u, 4u, 16u, 32u})
    add_sum("-" + std::to_string(mebibytes) + "MiB", "the same in pieces of so many MiB instead of 8",
            host_pages::pageable, {.piece = mebibytes * floats_of_mebibyte});
  for (const unsigned threads : {1u, 4u, 8u, 16u})
    add_sum("-" + std::to_string(threads) + "-threads", "the same with so many pieces at once",
            host_pages::pageable, {.at_once = threads});
  all.push_back(std::move(rows));
}

// What the rows are held against: on a GPU what its way carries.
const registered_rows listed(
    "host_array", {{.add = add_groups,
                    .goals = {{where::gpu, "host_array/sum/f32/(\\d+)/clwave/host", measure_of::speed,
                               "host_array/write-page-locked/f32/$1/opencl/host", 0.85},
                              {where::gpu, "host_array/sum-page-locked/f32/(\\d+)/clwave/host",
                               measure_of::speed, "host_array/write-page-locked/f32/$1/opencl/host", 0.9}}}});

}  // namespace
}  // namespace rows_of_host_array

std::uint64_t streamed_floats(const laboratory& lab) { return std::uint64_t{1} << (lab.is_cpu ? 24 : 28); }

floats_of_host::floats_of_host(laboratory& lab, std::uint64_t n_floats, host_pages kind)
    : n(n_floats), pages(kind) {
  pageable = lab.host_copy(*lab.data("f32", first_seed, lab.arrange(n, sizeof(float))));
  first = static_cast<const float*>(pageable.get());
  if (kind == host_pages::pageable) return;
  page_locked = std::make_unique<detail::host_memory>(lab.on.context(),
                                                      lab.on.queue.getInfo<CL_QUEUE_DEVICE>()(), bytes());
  std::memcpy(page_locked->get(), first, bytes());
  first = static_cast<const float*>(page_locked->get());
  pageable.reset();
}

}  // namespace clwave::tool::bench
