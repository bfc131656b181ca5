// Sorts by keys as calls: counts of 64 bits, what is refused and what does not compile, workspaces of the
// caller's.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "families/selections.hpp"
#include "families/sorts.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "key_sorts.hpp"
#include "primitives/key_sort.hpp"

namespace testing::key_sort_calls_test {
namespace {

using clwave::by;
using clwave::key_list;
using keys::places_of;
using namespace keys;

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "what sorts by keys refuse, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256));
  const view<float> x{a, 100}, y{b, 100};
  const auto& q = on.queue;
  const auto self = by<float>({.name = "self", .source = "x"});
  refuses("overlap", [&] { clwave::sort(q, x, view<float>{a, 100, 50}, {.keys = self}); });
  refuses("which has 99", [&] { clwave::sort(q, x, view<float>{b, 99}, {.keys = self}); });
  refuses("100 keys and 90 values",
          [&] { clwave::sort_by_key(q, x, view<float>(b, 90), x, y, {.keys = self}); });
  refuses("overlap", [&] { clwave::sort_by_key(q, x, y, y, x, {.keys = self}); });
  refuses("overlap", [&] { clwave::argsort(q, x, view<u32>{a, 100}, {.keys = self}); });
  refuses("ends past its buffer", [&] { clwave::sort(q, view<float>{a, 300}, y, {.keys = self}); });
  refuses("with a name and a source", [&] { clwave::sort(q, x, y, {.keys = by<float>(clwave::identity)}); });
  refuses("with a name and a source",
          [&] { clwave::sort(q, x, y, {.keys = by<float>({.name = "empty", .source = {}})}); });
  refuses("has no type",
          [&] { clwave::sort(q, x, y, {.keys = clwave::sort_key{.of = {.name = "self", .source = "x"}}}); });
  refuses("1 to 8 keys", [&] { clwave::sort(q, x, y, {.keys = key_list(std::vector<clwave::sort_key>())}); });
  refuses("1 to 8 keys", [&] { clwave::sort(q, x, y, {.keys = key_list(std::vector(9, self))}); });
  refuses("vectors are no keys",
          [&] { clwave::sort(q, x, y, {.keys = by<cl_float2>({.name = "x", .source = "x"})}); });
  refuses("structures are no keys",
          [&] { clwave::sort(q, x, y, {.keys = by<person>({.name = "x", .source = "x"})}); });
  refuses("std::byte is no key",
          [&] { clwave::sort(q, x, y, {.keys = by<std::byte>({.name = "x", .source = "x"})}); });
  refuses("of a key of 16 bits", [&] {
    clwave::sort(q, x, y, {.keys = {self, by<half>({.name = "half", .source = "x"}, {.last_bit = 17})}});
  });
  refuses("of a key of 8 bits", [&] {
    clwave::sort(q, x, y, {.keys = by<bool>({.name = "x", .source = "x"}, {.first_bit = 5, .last_bit = 3})});
  });
  refuses("the workspace has",
          [&] { clwave::sort(q, x, y, {.keys = self, .workspace = view<float>(b, 20, 200)}); });
  refuses("of a key of 128 bits",
          [&] { clwave::sort(q, view<clwave::u128>(a, 9), view<clwave::u128>(b, 9), {.first_bit = 129}); });
  refuses("of a key of 128 bits", [&] {
    clwave::argsort(q, view<clwave::i128>(a, 9), view<u32>(b, 9), {.first_bit = 8, .last_bit = 7});
  });
  // Texts that could change the kernels, or are none.
  const auto refuses_text = [&](const char* why, const std::string& source,
                                const std::string& declarations = {}) {
    CAPTURE(source);
    refuses(why, [&] {
      clwave::sort(q, x, y,
                   {.keys = by<float>({.name = "bad", .source = source, .declarations = declarations})});
    });
  };
  refuses_text("map bad", "x)");
  refuses_text("map bad", "(x");
  refuses_text("map bad", "x // y");
  refuses_text("map bad", "x /* y");
  refuses_text("map bad", "x", "#define clwave_KEY float");
  refuses_text("map bad", "x", "#include \"other.cl\"");
  const auto refuses_value = [&](const char* why, const std::string& name) {
    refuses(why, [&] {
      clwave::sort(q, x, y, {.keys = by<float>({.name = "bad", .source = "x", .values = {{name, 1.0f}}})});
    });
  };
  refuses_value("an element or an index", "x");
  refuses_value("an element or an index", "i");
  refuses_value("reserved", "clwave_key_0_a");
  refuses_value("a word of OpenCL C", "while");
  CHECK(on.read<float>(b, 256) == std::vector<float>(256));

  const clwave::plan_target target = on.target();
  const element& f32 = element_of<float>();
  const std::array<clwave::sort_key, 1> keys{self};
  const clwave::op less{.name = "less", .source = "a < b"};
  refuses("keys and another order are given", [&] {
    plan(clwave::sort_problem{.keys = {f32, 9}, .keys_out = f32, .less = &less, .by = keys}, target);
  });
  refuses("32 bits do not hold", [&] {
    plan(clwave::sort_problem{.keys = {f32, (u64{1} << 32) + 1}, .values_out = element_of<u32>(), .by = keys},
         target);
  });
  refuses("more than", [&] {
    plan(clwave::sort_problem{.keys = {f32, u64{1} << 48}, .keys_out = f32, .by = keys}, target);
  });
}

TEST_CASE_FIXTURE(
    on_device,
    "a key that a compiler does not take is told with its name, and a text that calls no function") {
  const cl::Buffer a = on.buffer_of(std::vector<person>(9)), b = on.buffer_of(std::vector<person>(9));
  const auto nowhere = by<float>({.name = "nowhere", .source = "x.nowhere"});
  try {
    clwave::sort(on.queue, view<person>{a, 9}, view<person>{b, 9}, {.keys = nowhere});
    CHECK(false);
  } catch (const clwave::error& trouble) {
    CHECK(trouble.kind() == clwave::failure::build);
    CHECK(std::string(trouble.what()).find("nowhere") != std::string::npos);
  }
}

TEST_CASE_FIXTURE(on_device, "a sort by keys with a workspace of the caller's, behind an event") {
  const std::size_t n = 50000 + random.below(20000);
  const auto elements = elements_of<person>(random, n, 999);
  const auto right =
      bytes_of(taken(elements, places_of({numbers_of(elements, word_of), numbers_of(elements, key_of)})));
  const std::array<clwave::sort_key, 2> keys{by<u32>({.name = "word", .source = "x.words[0]"}), by_cell};
  const clwave::plan_target target = on.target();
  const element& type = element_of<person>();
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    for (const bool in_place : {false, true}) {
      const u64 bytes = plan(
                            clwave::sort_problem{
                                .keys = {type, n}, .keys_out = type, .by = keys, .keys_in_place = in_place},
                            target)
                            .workspace_bytes;
      CHECK(bytes > n * (in_place ? 28 : 16));
      const cl::CommandQueue queue = on.new_queue(kind);
      const guarded_buffer<person> in(on, n), apart(on, n);
      const guarded_buffer<u32> room(on, (bytes + 3) / 4);
      const view<person> out = in_place ? in.view() : apart.view();
      gate held(on);
      cl_event ready = nullptr;
      const cl_event opened = held.event()();
      REQUIRE(clEnqueueWriteBuffer(queue(), in.buffer()(), CL_FALSE,
                                   guarded_buffer<person>::guard * sizeof(person), n * sizeof(person),
                                   elements.data(), 1, &opened, &ready) == CL_SUCCESS);
      const cl::Event written(ready);
      const clwave::event end = clwave::sort(
          queue, in.view(), out, {.keys = {keys[0], keys[1]}, .after = {written}, .workspace = room.view()});
      held.open();
      end.wait();
      CHECK(bytes_of((in_place ? in : apart).read()) == right);
      CHECK(in.guards_intact());
      CHECK(apart.guards_intact());
      CHECK(room.guards_intact());
    }
  }
  const clwave::event nothing =
      clwave::sort(on.queue, view<person>{cl::Buffer(), 0}, view<person>{cl::Buffer(), 0}, {.keys = by_cell});
  nothing.wait();
  CHECK(nothing.done());
}

// Counts of 64 bits, as from 2^32 elements on.
TEST_CASE_FIXTURE(on_device, "a sort by keys whose counts have 64 bits" * lanes) {
  for (const std::string name : forced_rows({"cpu", "sm_90"})) {
    const own_site site(on.queue(), "key_sort");
    const std::size_t n = tile_of(on) + 1 + random.below(3000);
    const auto elements = elements_of<person>(random, n, 99);
    const cl::Buffer in = on.buffer_of(elements);
    const guarded_buffer<person> out(on, n);
    const element& type = element_of<person>();
    const std::array<clwave::sort_key, 2> keys{by<u32>({.name = "word", .source = "x.words[0] & 3"}),
                                               by_cell};
    const clwave::sort_problem problem{.keys = {type, n},
                                       .keys_out = any_view(type, 0, guarded_buffer<person>::guard),
                                       .by = keys,
                                       .wide_counts = true};
    site.run(clwave::detail::key_sort{problem}, {in(), out.buffer()()});
    const auto low = [](const person& each) { return each.words[0] & 3; };
    CHECK(out.read_guarded() ==
          taken(elements, places_of({numbers_of(elements, low), numbers_of(elements, key_of)})));
  }
}

}  // namespace testing::key_sort_calls_test
