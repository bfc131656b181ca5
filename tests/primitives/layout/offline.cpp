// layout: arrays of structures to structures of arrays and back, and blocks.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <clwave/layout.hpp>

#include "offline_parts.hpp"

namespace races::runs_of_layout {
namespace {

struct point {
  float x, y, z;
};

// Apart, then together again; from element 1, and in blocks.
void fields() {
  machine on;
  const clwave::layout three = clwave::layout_of(&point::x, &point::y, &point::z);
  for (const std::size_t n : {1, 33, 511, 1030}) {
    std::vector<point> in(n + 1), back(n + 1);
    for (std::size_t i = 0; i <= n; ++i) in[i] = {float(i), float(i) + 0.25f, float(i) + 0.5f};
    std::vector<float> x(n), y(n), z(n);
    const cl::Buffer from = on.buffer(in), to = on.buffer(back), xs = on.buffer(x), ys = on.buffer(y),
                     zs = on.buffer(z);
    const std::vector<clwave::soa_field> arrays = {clwave::view<float>{xs, n}, clwave::view<float>{ys, n},
                                                   clwave::view<float>{zs, n}};
    const std::size_t offset = n % 2;
    clwave::aos_to_soa(on.queue, clwave::view<point>{from, n, offset}, three, arrays).wait();
    clwave::soa_to_aos(on.queue, arrays, clwave::view<point>{to, n, offset}, three).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, back.size() * sizeof(point), back.data());
    check(std::memcmp(&back[offset], &in[offset], n * sizeof(point)) == 0, "3 floats apart and together", n);
  }
}

struct short_fields {
  std::uint16_t a;
  std::uint8_t b, c;
};

// Fields that words of several structures are made of; the arrays end with the last one's.
void shorts() {
  machine on;
  const clwave::layout three = clwave::layout_of(&short_fields::a, &short_fields::b, &short_fields::c);
  for (const std::size_t n : {1, 33, 511}) {
    std::vector<short_fields> in(n), back(n);
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = {static_cast<std::uint16_t>(i * 77), static_cast<std::uint8_t>(i * 5),
               static_cast<std::uint8_t>(i * 3)};
    }
    std::vector<std::uint16_t> a(n);
    std::vector<std::uint8_t> b(n), c(n);
    const cl::Buffer from = on.buffer(in), to = on.buffer(back), as = on.buffer(a), bs = on.buffer(b),
                     cs = on.buffer(c);
    const std::vector<clwave::soa_field> arrays = {clwave::view<clwave::u16>{as, n},
                                                   clwave::view<std::uint8_t>{bs, n},
                                                   clwave::view<std::uint8_t>{cs, n}};
    clwave::aos_to_soa(on.queue, clwave::view<short_fields>{from, n}, three, arrays).wait();
    clwave::soa_to_aos(on.queue, arrays, clwave::view<short_fields>{to, n}, three).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(short_fields), back.data());
    check(std::memcmp(back.data(), in.data(), n * sizeof(short_fields)) == 0, "short fields", n);
  }
}

// Fields of several sizes with padding, in blocks that do not divide a group's share.
void blocks() {
  machine on;
  const clwave::layout mixed{16, {{8, 0}, {2, 8}, {1, 10}, {4, 12}}};
  struct record {
    unsigned char bytes[16];
  };
  for (const std::size_t n : {1, 33, 517}) {
    std::vector<record> in(n), back(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < 16; ++b)
        in[i].bytes[b] = static_cast<unsigned char>(b == 11 ? 0 : i * 5 + b);
    }
    std::vector<std::uint8_t> apart(clwave::aosoa_bytes(mixed, n, 12));
    const cl::Buffer from = on.buffer(in), to = on.buffer(back), middle = on.buffer(apart);
    const clwave::view<std::uint8_t> bytes{middle, apart.size()};
    clwave::aos_to_aosoa(on.queue, clwave::view<record>{from, n}, mixed, bytes, 12).wait();
    clwave::aosoa_to_aos(on.queue, bytes, 12, clwave::view<record>{to, n}, mixed).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(record), back.data());
    check(std::memcmp(back.data(), in.data(), n * sizeof(record)) == 0, "mixed fields in blocks", n);
  }
}

const registered listed("layout", {{.parts = {
                                        {"layout", fields},
                                        {"layout-shorts", shorts},
                                        {"layout-blocks", blocks},
                                    }}});

}  // namespace
}  // namespace races::runs_of_layout
