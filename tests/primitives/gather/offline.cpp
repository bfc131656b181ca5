// gather and scatter: elements held and in parts, claims, counts.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/gather.hpp>

#include "offline_parts.hpp"
#include "own_types.hpp"

namespace races::runs_of_gather {
namespace {

// Each index once, and every seventh one outside: no two work-items write one element.
template <class T, class Index, class Make>
void moves_of(std::size_t n, const Make& make) {
  machine on;
  const std::size_t offset = n % 2;  // odd ones by elements, even ones by packets
  std::vector<T> x(n + offset), out(n + offset), scattered(n + offset);
  std::vector<Index> indices(n + offset);
  std::vector<std::uint64_t> bad(1);
  for (std::size_t i = 0; i < n; ++i) {
    x[offset + i] = make(i);
    indices[offset + i] = static_cast<Index>(i % 7 == 3 ? n + i : n - 1 - i);
  }
  const cl::Buffer from = on.buffer(x), at = on.buffer(indices), to = on.buffer(out),
                   back = on.buffer(scattered), count = on.buffer(bad);
  const clwave::view<T> in{from, n, offset}, gathered{to, n, offset};
  const clwave::view<Index> where{at, n, offset};
  clwave::gather(on.queue, in, where, gathered, clwave::view<std::uint64_t>{count, 1}, {.outside = make(5)})
      .wait();
  clwave::scatter(on.queue, in, where, clwave::view<T>{back, n, offset}).wait();
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(T), out.data());
  on.queue.enqueueReadBuffer(back, CL_TRUE, 0, out.size() * sizeof(T), scattered.data());
  on.queue.enqueueReadBuffer(count, CL_TRUE, 0, 8, bad.data());
  bool right = true;
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_outside = i % 7 == 3;
    outside += is_outside ? 1 : 0;
    right &= out[offset + i] == (is_outside ? make(5) : make(n - 1 - i));
    if (!is_outside) right &= scattered[offset + n - 1 - i] == make(i);
  }
  check(right && bad[0] == outside, "gather and scatter", n);
}

struct words {
  std::uint32_t at[6];
  bool operator==(const words&) const = default;
};

}  // namespace
}  // namespace races::runs_of_gather

CLWAVE_STRUCTURE(races::runs_of_gather::words, "words_of_races",
                 "typedef struct { uint at[6]; } words_of_races;")

namespace races::runs_of_gather {
namespace {

void moves() {
  for (const std::size_t n : sizes) {
    moves_of<std::uint32_t, std::uint32_t>(n, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
    moves_of<std::uint8_t, std::uint64_t>(n, [](std::size_t i) { return static_cast<std::uint8_t>(i); });
  }
  for (const std::size_t n : few_sizes) {
    moves_of<words, std::uint32_t>(n, [](std::size_t i) {
      const auto k = static_cast<std::uint32_t>(i);
      return words{{k, k + 1, k + 2, k + 3, k + 4, k + 5}};
    });
  }
}

// The same by flags, of which two of three are set.
template <class T, class Make>
void flagged_of(std::size_t n, const Make& make) {
  machine on;
  std::vector<T> x(n), gathered(n), scattered(n);
  std::vector<std::uint32_t> indices(n);
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = make(i);
    gathered[i] = scattered[i] = make(n + i);
    indices[i] = static_cast<std::uint32_t>(n - 1 - i);
    flags[i] = static_cast<std::uint8_t>(i % 3);
  }
  const cl::Buffer from = on.buffer(x), at = on.buffer(indices), set = on.buffer(flags),
                   to = on.buffer(gathered), back = on.buffer(scattered);
  const clwave::view<T> in{from, n};
  const clwave::view<std::uint32_t> where{at, n};
  const clwave::view<std::uint8_t> flagged{set, n};
  clwave::gather_if(on.queue, in, where, flagged, clwave::view<T>{to, n}).wait();
  clwave::scatter_if(on.queue, in, where, flagged, clwave::view<T>{back, n},
                     {.name = "two", .source = "x == 2"})
      .wait();
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(T), gathered.data());
  on.queue.enqueueReadBuffer(back, CL_TRUE, 0, n * sizeof(T), scattered.data());
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) {
    right &= gathered[i] == (i % 3 != 0 ? make(n - 1 - i) : make(n + i));
    right &= scattered[n - 1 - i] == (i % 3 == 2 ? make(i) : make(n + n - 1 - i));
  }
  check(right, "gather_if and scatter_if", n);
}

template <class T, class Make>
void orders_of(std::size_t n, const Make& make) {
  machine on;
  const std::size_t offset = n % 2;
  std::vector<T> x(n + offset), reversed(n + offset), rotated(n + offset);
  for (std::size_t i = 0; i < n; ++i) x[offset + i] = make(i);
  const cl::Buffer from = on.buffer(x), to = on.buffer(reversed), other = on.buffer(rotated);
  const clwave::view<T> in{from, n, offset};
  clwave::reverse(on.queue, in, clwave::view<T>{to, n, offset}).wait();
  clwave::rotate(on.queue, in, clwave::view<T>{other, n, offset}, n / 3).wait();
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, x.size() * sizeof(T), reversed.data());
  on.queue.enqueueReadBuffer(other, CL_TRUE, 0, x.size() * sizeof(T), rotated.data());
  bool right = true;
  for (std::size_t i = 0; i < n; ++i)
    right &= reversed[offset + i] == make(n - 1 - i) && rotated[offset + i] == make((i + n / 3) % n);
  check(right, "reverse and rotate", n);
}

void flagged() {
  for (const std::size_t n : few_sizes) {
    flagged_of<std::uint32_t>(n, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
    flagged_of<words>(n, [](std::size_t i) {
      const auto k = static_cast<std::uint32_t>(i);
      return words{{k, k + 1, k + 2, k + 3, k + 4, k + 5}};
    });
  }
}

void orders() {
  for (const std::size_t n : few_sizes) {
    orders_of<std::uint32_t>(n, [](std::size_t i) { return static_cast<std::uint32_t>(i); });
    orders_of<std::uint8_t>(n, [](std::size_t i) { return static_cast<std::uint8_t>(i); });
    orders_of<words>(n, [](std::size_t i) {
      const auto k = static_cast<std::uint32_t>(i);
      return words{{k, k + 1, k + 2, k + 3, k + 4, k + 5}};
    });
  }
}

const clwave::map point_of_float{.name = "point",
                                 .source = "make_triple(x)",
                                 .declarations =
                                     "triple make_triple(float x) {\n"
                                     "  triple t = {x, x + 1, x + 2};\n  return t;\n}"};

clwave::call_plan scatter_of_structures(const clwave::plan_target& on) {
  const clwave::element& point = clwave::element_of<triple>();
  return plan(clwave::gather_problem{.in = {clwave::element_of<float>(), many_elements},
                                     .indices = {clwave::element_of<std::uint64_t>(), many_elements},
                                     .out = {point, many_elements},
                                     .scatter = true,
                                     .apply = &point_of_float},
              on);
}

const registered listed("gather", {{.parts = {{"gather", moves}, {"flagged", flagged}, {"orders", orders}},
                                    .programs = {{"gather scatter to structures of 12 bytes",
                                                  scatter_of_structures}}}});

}  // namespace
}  // namespace races::runs_of_gather
