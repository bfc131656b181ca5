// A call of every primitive on operands of its own, for tests of what all calls have in common: what they
// wait for, the events they give, what they refuse and how they fail.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "call/description.hpp"
#include "devices.hpp"

namespace testing {

using clwave::detail::access;

// A buffer that a call is given: n elements of 4 bytes, whole numbers from 0 to 100.
struct call_operand {
  std::size_t n = 0;
  access use = access::reads;
  bool floats = false;

  // Other contents for each seed.
  std::vector<unsigned char> bytes(unsigned seed) const {
    std::vector<unsigned char> all(n * 4);
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = static_cast<std::uint32_t>((i * 7 + seed * 13 + i / 50) % 101);
      const auto fraction = static_cast<float>(value);
      if (floats)
        std::memcpy(all.data() + 4 * i, &fraction, 4);
      else
        std::memcpy(all.data() + 4 * i, &value, 4);
    }
    return all;
  }
};

using buffers = std::vector<cl::Buffer>;
using bytes = std::vector<unsigned char>;

// A call that returns an event.
struct event_call {
  std::string name;
  std::vector<call_operand> operands;
  // `empty`: the call on no elements.
  std::function<clwave::event(const cl::CommandQueue&, const buffers&, bool empty,
                              const clwave::launch_options&)>
      start;
};

template <class T>
bytes bytes_of_value(const T& value) {
  bytes all(sizeof value);
  std::memcpy(all.data(), &value, sizeof value);
  return all;
}
template <class T>
bytes bytes_of_value(const clwave::indexed<T>& found) {
  return bytes_of_value(std::pair<std::uint64_t, std::uint64_t>(found.value, found.index));
}

// A value that comes later, here as its bytes.
class later_bytes {
 public:
  template <class T>
  explicit later_bytes(clwave::later<T> value)
      : later_bytes(std::make_shared<clwave::later<T>>(std::move(value))) {}

  bytes get() const { return get_(); }
  bool done() const { return done_(); }
  clwave::event event() const { return event_(); }

 private:
  template <class T>
  explicit later_bytes(const std::shared_ptr<clwave::later<T>>& value)
      : get_([value] { return bytes_of_value(value->get()); }),
        done_([value] { return value->done(); }),
        event_([value] { return value->event(); }) {}

  std::function<bytes()> get_;
  std::function<bool()> done_;
  std::function<clwave::event()> event_;
};

// A call that returns a value, here as its bytes, and its form whose value comes later.
struct value_call {
  std::string name;
  std::vector<call_operand> operands;
  bool takes_empty = true;
  std::function<bytes(const cl::CommandQueue&, const buffers&, bool empty, const clwave::launch_options&)>
      value;
  std::function<later_bytes(const cl::CommandQueue&, const buffers&, bool empty,
                            const clwave::launch_options&)>
      later;
};

struct pair_of_words {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

}  // namespace testing

CLWAVE_STRUCTURE(testing::pair_of_words, "pair_of_words",
                 "typedef struct { uint first, second; } pair_of_words;")

namespace testing {

// An operator with an identity that only the device can tell.
inline const clwave::op own_plus{.name = "own_plus",
                                 .source = "a + b",
                                 .identity = "nothing()",
                                 .declarations = "uint nothing(void) { return 0u; }"};

template <class T>
clwave::view<T> part(const cl::Buffer& buffer, std::size_t n, bool empty) {
  return {buffer, empty ? 0 : n};
}

inline std::vector<event_call> event_calls() {
  using u32 = std::uint32_t;
  using clwave::launch_options;
  using clwave::view;
  using queue = cl::CommandQueue;
  constexpr access in = access::reads, out = access::writes, both = access::reads_and_writes;
  std::vector<event_call> all;
  const auto add = [&](const char* name, std::vector<call_operand> operands, auto start) {
    all.push_back({name, std::move(operands), start});
  };

  const std::pair<const char*, std::size_t> reductions[] = {{"reduce, one tile", 1000},
                                                            {"reduce, many tiles", 40000}};
  for (const auto& [name, n] : reductions) {
    add(name, {{n, in}, {1, out}},
        [n = n](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::reduce(q, part<u32>(b[0], n, empty), view<u32>{b[1], 1}, clwave::plus, options);
        });
  }
  add("reduce, an operator of one's own", {{20000, in}, {1, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::reduce(q, part<u32>(b[0], 20000, empty), view<u32>{b[1], 1}, own_plus, options);
      });
  add("transform_reduce of two inputs", {{20000, in}, {20000, in}, {1, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::transform_reduce(
            q, clwave::zip(part<u32>(b[0], 20000, empty), part<u32>(b[1], 20000, empty)), view<u32>{b[2], 1},
            clwave::plus, clwave::product, options);
      });
  add("copy", {{5000, in}, {5000, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::copy(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty), options);
      });
  add("copy that converts", {{5000, in}, {5000, out, true}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::copy(q, part<u32>(b[0], 5000, empty), part<float>(b[1], 5000, empty), options);
      });
  const std::pair<const char*, clwave::box> boxes[] = {
      {"copy of two dimensions", {.width = 37, .height = 20}},
      {"copy of three dimensions", {.width = 37, .height = 5, .depth = 4}}};
  for (const auto& [name, size] : boxes) {
    add(name, {{5000, in}, {5000, out}},
        [size = size](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::copy(q, view<u32>{b[0], 5000}, view<u32>{b[1], 5000}, empty ? clwave::box{} : size,
                              {.row = 100}, {.row = 90}, options);
        });
  }
  add("fill", {{5000, out}}, [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
    return clwave::fill(q, part<u32>(b[0], 5000, empty), 42u, options);
  });
  const std::pair<const char*, clwave::matrices> transposes[] = {
      {"transpose", {.rows = 60, .columns = 50}}, {"transpose of one row", {.rows = 1, .columns = 3000}}};
  for (const auto& [name, size] : transposes) {
    add(name, {{3000, in}, {3000, out}},
        [size = size](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::transpose(q, view<u32>{b[0], 3000}, view<u32>{b[1], 3000},
                                   empty ? clwave::matrices{} : size, {}, {}, options);
        });
  }
  const std::pair<const char*, clwave::matrices> rows[] = {
      {"reduce_rows, short rows", {.rows = 90, .columns = 100}},
      {"reduce_rows, rows of two tiles", {.rows = 1, .columns = 9000}}};
  for (const auto& [name, size] : rows) {
    add(name, {{9000, in}, {90, out}},
        [size = size](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::reduce_rows(q, view<u32>{b[0], 9000}, view<u32>{b[1], 90},
                                     empty ? clwave::matrices{} : size, clwave::plus, {}, options);
        });
  }
  const std::pair<const char*, clwave::matrices> columns[] = {
      {"reduce_columns, short columns", {.rows = 30, .columns = 90}},
      {"reduce_columns, columns of two tiles", {.rows = 9000, .columns = 1}}};
  for (const auto& [name, size] : columns) {
    add(name, {{9000, in}, {90, out}},
        [size = size](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::reduce_columns(q, view<u32>{b[0], 9000}, view<u32>{b[1], 90},
                                        empty ? clwave::matrices{} : size, clwave::plus, {}, options);
        });
  }
  for (const std::size_t n : {5000, 40000}) {
    const bool small = n == 5000;
    add(small ? "inclusive_scan" : "inclusive_scan, many tiles", {{n, in}, {n, out}},
        [n](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::inclusive_scan(q, part<u32>(b[0], n, empty), part<u32>(b[1], n, empty), clwave::plus,
                                        options);
        });
    add(small ? "exclusive_scan in place" : "exclusive_scan in place, many tiles", {{n, both}},
        [n](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::exclusive_scan(q, part<u32>(b[0], n, empty), part<u32>(b[0], n, empty), clwave::plus,
                                        {.start = 7u}, options);
        });
  }
  add("transform_inclusive_scan", {{9000, in}, {9000, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::transform_inclusive_scan(q, part<u32>(b[0], 9000, empty), part<u32>(b[1], 9000, empty),
                                                clwave::max, clwave::square, options);
      });
  const clwave::map odd{.name = "odd", .source = "x & 1"};
  for (const std::size_t n : {5000, 40000}) {
    add(n == 5000 ? "copy_if" : "copy_if, many tiles", {{n, in}, {n, out}, {2, out}},
        [n, odd](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::copy_if(q, part<u32>(b[0], n, empty), view<u32>{b[1], n},
                                 view<std::uint64_t>{b[2], 1}, odd, options);
        });
  }
  add("copy_flagged", {{9000, in}, {9000, in}, {9000, out}, {2, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::copy_flagged(q, part<u32>(b[0], 9000, empty), part<u32>(b[1], 9000, empty),
                                    view<u32>{b[2], 9000}, view<std::uint64_t>{b[3], 1}, options);
      });
  add("partition", {{9000, in}, {9000, out}, {2, out}},
      [odd](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::partition(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000},
                                 view<std::uint64_t>{b[2], 1}, odd, options);
      });
  add("unique", {{9000, in}, {9000, out}, {2, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::unique(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000},
                              view<std::uint64_t>{b[2], 1}, options);
      });
  add("unique_by_key", {{9000, in}, {9000, in}, {9000, out}, {9000, out}, {2, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::unique_by_key(q, part<u32>(b[0], 9000, empty), part<u32>(b[1], 9000, empty),
                                     view<u32>{b[2], 9000}, view<u32>{b[3], 9000},
                                     view<std::uint64_t>{b[4], 1}, options);
      });
  add("run_lengths", {{9000, in}, {9000, out}, {9000, out}, {2, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::run_lengths(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], 9000},
                                   view<u32>{b[2], 9000}, view<std::uint64_t>{b[3], 1}, options);
      });
  add("reduce_by_key", {{9000, in}, {9000, in}, {9000, out}, {9000, out}, {2, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        const std::size_t n = empty ? 0 : 9000;
        return clwave::reduce_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n}, view<u32>{b[2], 9000},
                                     view<u32>{b[3], 9000}, view<std::uint64_t>{b[4], 1}, clwave::plus,
                                     options);
      });
  // By one core of a CPU, and by all.
  for (const std::size_t most : {9000, 40000}) {
    add(most == 9000 ? "sort_by_key" : "sort_by_key, many keys",
        {{most, in}, {most, in}, {most, both}, {most, both}},
        [most](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          const std::size_t n = empty ? 0 : most;
          return clwave::sort_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n}, view<u32>{b[2], most},
                                     view<u32>{b[3], most}, {}, options);
        });
  }
  add("argsort", {{9000, in}, {9000, both}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        const std::size_t n = empty ? 0 : 9000;
        return clwave::argsort(q, view<u32>{b[0], n}, view<u32>{b[1], 9000}, {}, options);
      });
  // Whatever the offsets are, of which most are bad.
  add("segmented_reduce", {{9000, in}, {91, in}, {90, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::segmented_reduce(q, view<u32>{b[0], 9000}, view<u32>{b[1], empty ? 1u : 91u},
                                        view<u32>{b[2], 90}, clwave::plus, options);
      });
  add("segmented_scan", {{40000, in}, {91, in}, {40000, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::segmented_inclusive_scan(q, view<u32>{b[0], 40000}, view<u32>{b[1], empty ? 1u : 91u},
                                                view<u32>{b[2], 40000}, clwave::plus, {}, options);
      });
  add("transpose_in_place", {{3600, both}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::transpose_in_place(
            q, view<u32>{b[0], 3600},
            empty ? clwave::matrices{} : clwave::matrices{.rows = 60, .columns = 60}, {}, options);
      });

  const clwave::layout fields = clwave::layout_of(&pair_of_words::first, &pair_of_words::second);
  add("aos_to_soa", {{4000, in}, {2000, out}, {2000, out}},
      [fields](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::aos_to_soa(q, part<pair_of_words>(b[0], 2000, empty), fields,
                                  {view<u32>{b[1], 2000}, view<u32>{b[2], 2000}}, options);
      });
  add("soa_to_aos", {{2000, in}, {2000, in}, {4000, out}},
      [fields](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::soa_to_aos(q, {view<u32>{b[0], 2000}, view<u32>{b[1], 2000}},
                                  part<pair_of_words>(b[2], 2000, empty), fields, options);
      });
  add("aos_to_aosoa", {{4000, in}, {4000, out}},
      [fields](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::aos_to_aosoa(q, part<pair_of_words>(b[0], 2000, empty), fields,
                                    view<std::uint8_t>{b[1], 16000}, 16, options);
      });
  add("aosoa_to_aos", {{4000, in}, {4000, out}},
      [fields](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::aosoa_to_aos(q, view<std::uint8_t>{b[0], 16000}, 16,
                                    part<pair_of_words>(b[1], 2000, empty), fields, options);
      });

  const std::pair<const char*, clwave::gemm_size> products[] = {{"gemm", {30, 20, 40}},
                                                                {"gemm, k in parts", {8, 9, 1024}}};
  for (const auto& [name, size] : products) {
    for (const double beta : {0.0, 1.0}) {
      const clwave::gemm_size s = size;
      add((std::string(name) + (beta != 0 ? ", C added" : "")).c_str(),
          {{s.m * s.k, in, true}, {s.k * s.n, in, true}, {s.m * s.n, beta != 0 ? both : out, true}},
          [s, beta](const queue& q, const buffers& b, bool empty, const launch_options& options) {
            return clwave::gemm(q, empty ? clwave::gemm_size{} : s, part<float>(b[0], s.m * s.k, empty),
                                part<float>(b[1], s.k * s.n, empty), part<float>(b[2], s.m * s.n, empty),
                                {.beta = beta}, options);
          });
    }
  }
  add("transform", {{5000, in}, {5000, in}, {5000, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::transform(q, part<u32>(b[0], 5000, empty), part<u32>(b[1], 5000, empty),
                                 part<u32>(b[2], 5000, empty), {.name = "mix", .source = "3 * x + y"},
                                 options);
      });
  add("transform in place", {{5000, both}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::transform(q, part<u32>(b[0], 5000, empty), part<u32>(b[0], 5000, empty),
                                 {.name = "more", .source = "3 * x + 1"}, options);
      });
  add("broadcast", {{3000, in}, {50, in}, {3000, out}},
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::broadcast(
            q, part<u32>(b[0], 3000, empty), part<u32>(b[1], 50, empty), part<u32>(b[2], 3000, empty),
            empty ? clwave::broadcast_shape{} : clwave::broadcast_shape{.rows = 60, .columns = 50},
            clwave::per::column, {.name = "bias", .source = "x + b"}, options);
      });
  return all;
}

inline std::vector<value_call> value_calls() {
  using u32 = std::uint32_t;
  using clwave::launch_options;
  using queue = cl::CommandQueue;
  constexpr access in = access::reads;
  std::vector<value_call> all;
  const auto add = [&](const char* name, std::vector<call_operand> operands, bool takes_empty, auto now,
                       auto later) {
    all.push_back({name, std::move(operands), takes_empty,
                   [now](const queue& q, const buffers& b, bool empty, const launch_options& options) {
                     return bytes_of_value(now(q, b, empty, options));
                   },
                   [later](const queue& q, const buffers& b, bool empty, const launch_options& options) {
                     return later_bytes(later(q, b, empty, options));
                   }});
  };
  const std::pair<const char*, std::size_t> reductions[] = {{"reduce, one tile", 1000},
                                                            {"reduce, many tiles", 40000}};
  for (const auto& [name, n] : reductions) {
    add(
        name, {{n, in}}, true,
        [n = n](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::reduce(q, part<u32>(b[0], n, empty), clwave::plus, options);
        },
        [n = n](const queue& q, const buffers& b, bool empty, const launch_options& options) {
          return clwave::reduce_later(q, part<u32>(b[0], n, empty), clwave::plus, options);
        });
  }
  add(
      "reduce, an operator of one's own", {{20000, in}}, true,
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::reduce(q, part<u32>(b[0], 20000, empty), own_plus, options);
      },
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::reduce_later(q, part<u32>(b[0], 20000, empty), own_plus, options);
      });
  add(
      "transform_reduce", {{20000, in}}, true,
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::transform_reduce(q, part<u32>(b[0], 20000, empty), clwave::plus, clwave::square,
                                        options);
      },
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::transform_reduce_later(q, part<u32>(b[0], 20000, empty), clwave::plus, clwave::square,
                                              options);
      });
  add(
      "dot", {{20000, in}, {20000, in}}, true,
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::dot(q, part<u32>(b[0], 20000, empty), part<u32>(b[1], 20000, empty), options);
      },
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::dot_later(q, part<u32>(b[0], 20000, empty), part<u32>(b[1], 20000, empty), options);
      });
  // The first of the least or the largest: also the seed decides where it stands.
  add(
      "argmin", {{40, in}}, false,
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::argmin(q, part<u32>(b[0], 40, empty), options);
      },
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::argmin_later(q, part<u32>(b[0], 40, empty), options);
      });
  add(
      "argmax", {{40, in}}, false,
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::argmax(q, part<u32>(b[0], 40, empty), options);
      },
      [](const queue& q, const buffers& b, bool empty, const launch_options& options) {
        return clwave::argmax_later(q, part<u32>(b[0], 40, empty), options);
      });
  return all;
}

// Buffers for a call's operands, with the contents of a seed.
inline buffers buffers_for(const fixture& on, const std::vector<call_operand>& operands, unsigned seed) {
  buffers all;
  for (const call_operand& each : operands) all.push_back(on.buffer_of(each.bytes(seed)));
  return all;
}

// What the buffers hold. Waits for the fixture's own queue only.
inline std::vector<bytes> contents(const fixture& on, const std::vector<call_operand>& operands,
                                   const buffers& of) {
  std::vector<bytes> all;
  for (std::size_t k = 0; k < of.size(); ++k) all.push_back(on.read<unsigned char>(of[k], operands[k].n * 4));
  return all;
}

// What a call leaves of operands with the contents of a seed, on a queue where nothing else happens.
inline std::vector<bytes> expected_of(const fixture& on, const event_call& call, unsigned seed) {
  const buffers fresh = buffers_for(on, call.operands, seed);
  call.start(on.queue, fresh, false, {}).wait();
  return contents(on, call.operands, fresh);
}

inline bytes expected_of(const fixture& on, const value_call& call, unsigned seed) {
  const buffers fresh = buffers_for(on, call.operands, seed);
  return call.value(on.queue, fresh, false, {});
}

}  // namespace testing
