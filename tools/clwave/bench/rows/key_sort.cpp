// Rows of sorts by keys of texts.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/segmented_sort.hpp>
#include <clwave/sort.hpp>

#include "bench/bench.hpp"
#include "bench/hash.hpp"
#include "bench/segments.hpp"

namespace clwave::tool::bench::rows_of_key_sort {
namespace {

// Structures of 16 bytes, of which the first word is the key.
using structure = cl_int4;
constexpr std::uint64_t words = sizeof(structure) / 4;

struct sort_task {
  arrangement at;  // of words
  std::uint64_t n() const { return at.n / words; }
};

std::uint64_t words_of(const sort_task& task) { return task.at.stride * task.at.places + 64; }
// Each structure is read and stored once.
double bytes_of(const sort_task& task) { return 8.0 * static_cast<double>(task.at.n); }

// Keys rise, and all words have the sum of hashes that the input has.
const std::string check_source = std::string(hash_of_key_source) + R"(
kernel void count_keys(const global int4* in, const global int4* out, ulong first, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = first + get_global_id(0); i < first + n; i += get_global_size(0)) {
    const int4 a = in[i], b = out[i];
    found += mixed(b.x + 3 * b.y + 5 * b.z + 7 * b.w) - mixed(a.x + 3 * a.y + 5 * a.z + 7 * a.w);
    if (i > first && out[i - 1].x > b.x) ++found;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";

contender clwave_sort(laboratory& lab, const sort_task& task) {
  const std::shared_ptr<pool> in = lab.data("i32", first_seed, task.at);
  const cl::Buffer out = lab.buffer(words_of(task) * 4);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, in, out, task,
            key = by<std::int32_t>({.name = "first", .source = "x.x"})](std::size_t place) {
    const std::uint64_t first = place * task.at.stride / words, n = task.n();
    clwave::sort(lab.on.queue, view<structure>{in->buffer, n, first}, view<structure>{out, n, first},
                 {.keys = key, .with_event = false});
  };
  c.spoil = [&lab, out, task] { lab.spoil(out, words_of(task) * 4); };
  c.wrong = [&lab, in, out, task](std::size_t place) -> std::string {
    cl::Kernel k = lab.kernel(check_source, "count_keys");
    k.setArg(0, in->buffer);
    k.setArg(1, out);
    k.setArg(2, cl_ulong{place * task.at.stride / words});
    k.setArg(3, cl_ulong{task.n()});
    return lab.count(k, 4) == 0 ? "" : "the structures are not sorted, or not those of the input";
  };
  return c;
}

contender clwave_segments(laboratory& lab, const segments_task& task) {
  return sorted_segments(lab, task,
                         [&lab, key = by<std::int32_t>({.name = "itself", .source = "x"})](
                             const auto& in, const auto& offsets, const auto& out) {
                           clwave::segmented_sort(lab.on.queue, in, offsets, out,
                                                  {.keys = key, .with_event = false});
                         });
}

contender std_sort(laboratory& lab, const sort_task& task) {
  using each = std::array<std::int32_t, words>;
  const std::shared_ptr<void> in = lab.host_copy(*lab.data("i32", first_seed, task.at));
  const auto out = std::make_shared<std::vector<each>>(task.n());
  contender c = host_contender(bytes_of(task));
  const auto less = [](const each& a, const each& b) { return a[0] < b[0]; };
  c.call = [in, out, task, less](std::size_t place) {
    std::copy_n(static_cast<const each*>(in.get()) + place * task.at.stride / words, task.n(), out->begin());
    std::stable_sort(out->begin(), out->end(), less);
  };
  c.spoil = [out] { std::fill(out->begin(), out->end(), each{1}); };
  c.wrong = [out, less](std::size_t /*place*/) -> std::string {
    return std::is_sorted(out->begin(), out->end(), less) ? "" : "the structures are not sorted";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000};
  if (!lab.is_cpu) sizes = {1u << 10, 1u << 16, 1u << 20, 1u << 24};
  for (const std::uint64_t n : sizes) {
    sort_task task{.at = lab.arrange(n * words, 4)};
    task.at.stride = (task.at.stride + 255) / 256 * 256;
    if (!lab.fits(static_cast<double>(n) * 64)) continue;
    group rows;
    rows.places = task.at.places;
    const std::string base = "key_sort/structures/i32x4/" + std::to_string(n) + "/";
    const auto add = [&](const char* name, const std::string& sentence, std::function<contender()> make) {
      rows.rows.push_back({base + name, sentence, std::move(make)});
    };
    add("clwave", "clwave::sort of structures of 16 bytes by a key of 4",
        [&lab, task] { return clwave_sort(lab, task); });
    if (lab.is_cpu)
      add("std", "std::stable_sort on one core, with a copy of its input before",
          [&lab, task] { return std_sort(lab, task); });
    all.push_back(std::move(rows));
  }
  for (const char* shape : {"1048576x16", "65536x256", "power-law-262144"}) {
    const segments_task task = segments_of(shape, lab);
    if (!lab.fits(bytes_of_sorted(task) * 4)) continue;
    group rows;
    rows.places = task.at.places;
    rows.rows.push_back({std::string("key_sort/segments/i32/") + shape + "/clwave",
                         "clwave::segmented_sort by a key of 4 bytes, which is the element",
                         [&lab, task] { return clwave_segments(lab, task); }});
    all.push_back(std::move(rows));
  }
}

const registered_rows listed("key_sort", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_key_sort
