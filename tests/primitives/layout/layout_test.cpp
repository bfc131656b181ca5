// aos_to_soa, soa_to_aos and blocks: many structures, places and lengths against plain loops on the host.
// Whole buffers are compared, so that a byte written elsewhere is seen.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::layout_test {
namespace {

struct point {
  float x, y, z;
};

struct particle {
  double mass;
  float position[3];
  std::uint8_t kind;
  std::uint16_t charge;
  u32 number;
};

}  // namespace
}  // namespace testing::layout_test

CLWAVE_LAYOUT(testing::layout_test::point, &testing::layout_test::point::x, &testing::layout_test::point::y,
              &testing::layout_test::point::z)

namespace testing::layout_test {
namespace {

using clwave::field;
using clwave::layout;
using reference::random_bytes;
using bytes = std::vector<unsigned char>;

fixture& here() { return default_fixture(); }

any_view bytes_at(const cl::Buffer& buffer, std::size_t n, std::size_t offset) {
  return {buffer(), n, offset, &element_of<std::uint8_t>()};
}

// Where value i of each field lies in `bytes`, from `starts`; blocks of 0: one for all.
std::size_t place_of(const layout& fields, const std::vector<std::size_t>& starts, std::size_t f,
                     std::size_t i, std::size_t block) {
  std::size_t packed = 0;
  for (const field& each : fields.fields) packed += each.size;
  const std::size_t in_block = block == 0 ? i : i % block;
  return starts[f] + (block == 0 ? 0 : i / block * block * packed) + in_block * fields.fields[f].size;
}

struct task {
  layout fields;
  std::size_t n;
  std::size_t block = 0;       // 0: arrays with gaps between them in one buffer
  std::size_t aos_offset = 0;  // in bytes
  std::size_t soa_offset = 0;
};

std::string words_of(const task& t) {
  std::string words = std::to_string(t.n) + " structures of " + std::to_string(t.fields.size) + " with";
  for (const field& f : t.fields.fields)
    words.append(" ").append(std::to_string(f.size)).append("@").append(std::to_string(f.offset));
  return words + ", blocks of " + std::to_string(t.block) + ", from " + std::to_string(t.aos_offset) +
         " to " + std::to_string(t.soa_offset);
}

// Both ways.
int wrong(const task& t) {
  const std::vector<field>& fields = t.fields.fields;
  std::vector<std::size_t> starts;
  std::size_t end = t.soa_offset;
  if (t.block == 0) {
    for (const field& f : fields) {
      starts.push_back(end);
      end += (t.n * f.size + 63) / 64 * 64 + 64;
    }
  } else {
    for (const field& f : fields) {
      starts.push_back(end);
      end += t.block * f.size;
    }
    end = t.soa_offset + clwave::aosoa_bytes(t.fields, t.n, t.block);
  }
  const bytes aos = random_bytes(t.aos_offset + t.n * t.fields.size);
  bytes soa = random_bytes(end + 64);
  const cl::Buffer aos_buffer = here().buffer_of(aos);
  const cl::Buffer soa_buffer = here().buffer_of(soa);
  const any_view structures = bytes_at(aos_buffer, t.n * t.fields.size, t.aos_offset);
  const auto call = [&](const any_view& on, bool to_soa) {
    if (t.block != 0)
      return clwave::move_blocks(here().queue(),
                                 {.fields = &t.fields,
                                  .to_soa = to_soa,
                                  .structures = on,
                                  .blocks = bytes_at(soa_buffer, end - t.soa_offset, t.soa_offset),
                                  .block = t.block});
    // Views of single bytes stand for those of whole elements: their sizes are checked elsewhere.
    std::vector<any_view> arrays;
    const auto add = [&]<std::size_t N>(std::integral_constant<std::size_t, N>, std::size_t f) {
      struct blob {
        unsigned char b[N];
      };
      if (fields[f].size != N) return;
      // A place that is no multiple of the element's size needs a sub-view by bytes.
      arrays.push_back(clwave::detail::erase_moved(view<blob>(soa_buffer, t.n, starts[f] / N)));
    };
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const std::size_t size = fields[f].size;
      starts[f] = (starts[f] + size - 1) / size * size;
      [&]<std::size_t... N>(std::index_sequence<N...>) {
        (add(std::integral_constant<std::size_t, N + 1>(), f), ...);
      }
      (std::make_index_sequence<16>());
    }
    return clwave::move_fields(here().queue(),
                               {.fields = &t.fields, .to_soa = to_soa, .structures = on, .arrays = arrays});
  };
  call(structures, true).wait();
  for (std::size_t i = 0; i < t.n; ++i) {
    for (std::size_t f = 0; f < fields.size(); ++f)
      std::memcpy(soa.data() + place_of(t.fields, starts, f, i, t.block),
                  aos.data() + t.aos_offset + i * t.fields.size + fields[f].offset, fields[f].size);
  }
  int bad = here().read<unsigned char>(soa_buffer, soa.size()) == soa ? 0 : 1;

  // And back, over random bytes; padding becomes 0.
  bytes back = random_bytes(aos.size() + 64);
  const cl::Buffer back_buffer = here().buffer_of(back);
  call(bytes_at(back_buffer, t.n * t.fields.size, t.aos_offset), false).wait();
  for (std::size_t i = 0; i < t.n; ++i) {
    unsigned char* to = back.data() + t.aos_offset + i * t.fields.size;
    std::memset(to, 0, t.fields.size);
    for (const field& f : fields)
      std::memcpy(to + f.offset, aos.data() + t.aos_offset + i * t.fields.size + f.offset, f.size);
  }
  bad += here().read<unsigned char>(back_buffer, back.size()) == back ? 0 : 2;
  const std::string which = bad == 1 ? "apart" : bad == 2 ? "together" : "both ways";
  if (bad != 0) MESSAGE(words_of(t) << ": wrong " << which);
  return bad;
}

const layout three_floats = clwave::layout_of(&point::x, &point::y, &point::z);
const layout mixed = clwave::layout_of(&particle::mass, &particle::position, &particle::kind,
                                       &particle::charge, &particle::number);

}  // namespace

TEST_CASE("layout_of describes a type by its members") {
  REQUIRE(mixed.fields.size() == 5);
  CHECK(mixed.size == sizeof(particle));
  CHECK(mixed.fields[1].size == 12);
  CHECK(mixed.fields[1].offset == 8);
  CHECK(mixed.fields[4].offset == offsetof(particle, number));
  CHECK(clwave::layout_traits<point>::describe().fields[2].offset == 8);
}

TEST_CASE("structures of many kinds go apart and come together, at every length") {
  const std::vector<layout> kinds = {
      three_floats,
      mixed,
      {28, {{4, 0}, {4, 4}, {4, 8}, {4, 12}, {4, 16}, {4, 20}, {4, 24}}},
      {32, {{4, 0}, {4, 4}, {8, 8}, {16, 16}}},
      {5, {{1, 0}, {4, 1}}},                         // packed: nothing is aligned
      {16, {{2, 14}, {1, 3}, {8, 4}}},               // out of order, with padding before, between and behind
      {100, {{16, 0}, {13, 16}, {7, 40}, {1, 99}}},  // large, of odd sizes
      {4, {{1, 0}, {1, 1}, {1, 2}, {1, 3}}},
      {3, {{3, 0}}},
      {64,
       {{1, 0},
        {1, 2},
        {2, 4},
        {2, 6},
        {3, 8},
        {4, 12},
        {5, 16},
        {6, 22},
        {4, 28},
        {4, 32},
        {4, 36},
        {4, 40},
        {4, 44},
        {4, 48},
        {4, 52},
        {8, 56}}},
  };
  for (const std::string way : forced_rows(some_of({"gpu", "cpu"}))) {
    int bad = 0;
    sample some(4);
    for (const layout& kind : kinds) {
      if (!some.takes_next()) continue;
      for (const std::size_t n : {1, 15, 16, 17, 255, 1000, 1024, 4099}) bad += wrong({kind, n});
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("structures and arrays may start anywhere") {
  for (const std::string way : forced_rows(some_of({"gpu", "cpu"}))) {
    int bad = 0;
    sample some(2);
    for (const std::size_t offset : {1, 2, 4, 8}) {
      if (!some.takes_next()) continue;
      bad += wrong({three_floats, 1030, 0, offset, 0}) + wrong({three_floats, 1030, 0, 0, offset});
      bad += wrong({mixed, 700, 32, 0, offset});
    }
    CHECK(bad == 0);
  }
}

TEST_CASE("blocks of any length") {
  for (const std::string way : forced_rows(some_of({"gpu", "cpu"}))) {
    int bad = 0;
    sample some(3);
    for (const std::size_t block : {1, 3, 8, 32, 1000}) {
      if (!some.takes_next()) continue;
      bad += wrong({three_floats, 3000, block});
      bad += wrong({mixed, 1025, block, 0, 3});
    }
    bad += wrong({three_floats, 100, 4096});
    CHECK(bad == 0);
  }
}

TEST_CASE("layouts give the same on every profile") {
  int bad = 0;
  for_each_profile([&](const clwave::profile& /*row*/) { bad += wrong({three_floats, 3001}); });
  CHECK(bad == 0);
}

TEST_CASE("layouts through their public face") {
  const std::vector<point> source = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const cl::Buffer points = here().buffer_of(source);
  const cl::Buffer x = here().buffer_of(std::vector<float>(3));
  const cl::Buffer yz = here().buffer_of(std::vector<float>(6));
  const view<point> all(points, 3);
  const view<float> xs(x, 3);
  const view<float> ys(yz, 3);
  const view<float> zs(yz, 3, 3);
  const clwave::event apart = clwave::aos_to_soa(here().queue, all, {xs, ys, zs});
  apart.wait();
  CHECK(here().read<float>(x, 3) == std::vector<float>{1, 4, 7});
  CHECK(here().read<float>(yz, 6) == std::vector<float>{2, 5, 8, 3, 6, 9});
  clwave::soa_to_aos(here().queue, {zs, ys, xs}, all, three_floats, {.after = {apart}}).wait();
  CHECK(here().read<float>(points, 9) == std::vector<float>{3, 2, 1, 6, 5, 4, 9, 8, 7});

  const cl::Buffer blocks = here().buffer_of(bytes(48));
  CHECK(clwave::aosoa_bytes(three_floats, 3, 2) == 48);
  clwave::aos_to_aosoa(here().queue, all, three_floats, view<std::uint8_t>(blocks, 48), 2).wait();
  CHECK(here().read<float>(blocks, 6) == std::vector<float>{3, 6, 2, 5, 1, 4});
  const cl::Buffer again = here().buffer_of(std::vector<point>(3));
  clwave::aosoa_to_aos(here().queue, view<std::uint8_t>(blocks, 48), 2, view<point>(again, 3), three_floats)
      .wait();
  CHECK(here().read<float>(again, 9) == here().read<float>(points, 9));
}

TEST_CASE("layouts with nothing to do still wait for what they were told to") {
  const cl::Buffer points = here().buffer_of(std::vector<point>(3));
  const cl::Buffer x = here().buffer_of(std::vector<float>(9));
  const view<point> none(points, 0);
  const view<float> xs(x, 0);
  clwave::aos_to_soa(here().queue, none, {xs, xs, xs}).wait();
  cl::UserEvent gate(here().context);
  const clwave::event e = clwave::soa_to_aos(here().queue, {xs, xs, xs}, none, {.after = {gate}});
  CHECK(!e.done());
  gate.setStatus(CL_COMPLETE);
  e.wait();
}

TEST_CASE("layouts refuse what cannot be right, before anything is enqueued") {
  const cl::Buffer points = here().buffer_of(std::vector<point>(8));
  const cl::Buffer x = here().buffer_of(std::vector<float>(24));
  const view<point> all(points, 8);
  const view<float> xs(x, 8);
  const view<float> ys(x, 8, 8);
  const view<float> zs(x, 8, 16);
  const auto& q = here().queue;
  CHECK_FALSE(refused([&] { clwave::aos_to_soa(q, all, {xs, ys, zs}).wait(); }));
  CHECK(refused([&] { clwave::aos_to_soa(q, all, {xs, ys}); }));
  CHECK(refused([&] { clwave::aos_to_soa(q, all, {xs, ys, ys}); }));
  CHECK(refused([&] { clwave::aos_to_soa(q, all, {xs, ys, view<float>(x, 7, 16)}); }));
  CHECK(refused([&] { clwave::aos_to_soa(q, all, {xs, ys, view<u16>(x, 8, 32)}); }));
  CHECK(refused([&] { clwave::aos_to_soa(q, all, {xs, ys, view<float>(points, 8)}); }));
  CHECK(refused([&] { clwave::aos_to_soa(q, all, layout{16, {{4, 0}, {4, 4}, {4, 8}}}, {xs, ys, zs}); }));
  for (const layout& bad : std::vector<layout>{{12, {}},
                                               {12, {{17, 0}}},
                                               {12, {{0, 4}}},
                                               {12, {{4, 9}}},
                                               {12, {{4, 0}, {4, 3}}},
                                               {12, std::vector<field>(17, field{1, 0})}})
    CHECK(refused(
        [&] { clwave::aos_to_soa(q, all, bad, std::vector<clwave::soa_field>(bad.fields.size(), xs)); }));
  const view<std::uint8_t> blocks(x, 96);
  CHECK(refused([&] { clwave::aos_to_aosoa(q, all, three_floats, blocks, 0); }));
  CHECK(refused([&] { clwave::aos_to_aosoa(q, all, three_floats, blocks, 9); }));
  CHECK(refused([&] { clwave::aos_to_aosoa(q, all, three_floats, blocks, ~std::size_t{0}); }));
}

TEST_CASE("the plan of a layout names what a call would launch") {
  const clwave::plan_target hopper{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};
  const element& byte = element_of<std::uint8_t>();
  const call_plan apart = plan(
      clwave::layout_problem{.fields = &three_floats, .structures = {byte, sizeof(point) << 20}}, hopper);
  REQUIRE(apart.kernels.size() == 1);
  CHECK(apart.kernels[0].name == "aos_to_soa");
  CHECK(apart.options.find("-Dclwave_PACKET_BYTES=16") != std::string::npos);
  CHECK(plan(clwave::layout_blocks_problem{.fields = &mixed,
                                           .to_soa = false,
                                           .structures = {byte, mixed.size << 20},
                                           .blocks = {byte, clwave::aosoa_bytes(mixed, 1 << 20, 32)},
                                           .block = 32},
             hopper)
            .options.find("-Dclwave_BLOCK=32") != std::string::npos);
  CHECK(plan(clwave::layout_problem{.fields = &mixed, .structures = byte}, hopper).kernels.empty());
  // Arrays that are not the fields', of other elements than these, or too short; and blocks with too few
  // bytes.
  const any_view structures(byte, 8 * sizeof(point)), array(element_of<float>(), 8);
  const auto plan_of = [&](std::vector<any_view> arrays) {
    plan(
        clwave::layout_problem{
            .fields = &three_floats, .structures = structures, .arrays = std::move(arrays)},
        hopper);
  };
  plan_of({array, array, array});
  CHECK(refused([&] { plan_of({array}); }));
  CHECK(refused([&] { plan_of({array, array, array, array}); }));
  CHECK(refused([&] { plan_of({array, any_view(element_of<double>(), 8), array}); }));
  CHECK(refused([&] { plan_of({array, array, any_view(element_of<float>(), 7)}); }));
  CHECK(refused([&] {
    plan(
        clwave::layout_blocks_problem{
            .fields = &three_floats, .structures = structures, .blocks = {byte, 95}, .block = 4},
        hopper);
  }));
}

}  // namespace testing::layout_test
