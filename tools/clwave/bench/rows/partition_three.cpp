// Rows of partition_copy into three outputs.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <clwave/select.hpp>

#include "bench/bench.hpp"
#include "bench/hash.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench::rows_of_partition_three {
namespace {

// A third of the elements, which are random, is for each output.
constexpr std::int32_t lower = -715827883, upper = 715827882;

std::uint64_t elements_of(const arrangement& at) { return at.stride * at.places + 64; }

// All elements are read once and stored once.
double bytes_of(const arrangement& at) { return 8 * static_cast<double>(at.n); }

// Elements of a part are those of different places of the input, from `first` on, in the order of these, and
// from least to most.
const std::string check_source = std::string(place_of_hash_source) + R"(
kernel void count(const global int* restrict out, ulong n, ulong first, ulong n_in, int least, int most, uint seed,
                  global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const int x = out[first + i];
    const uint at = place_of_hash((uint)x, seed);
    if (at < first || at - first >= n_in || x < least || x > most) ++found;
    if (i > 0 && place_of_hash((uint)out[first + i - 1], seed) >= at) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

// What is wrong with the results of a place; of so many different elements, which are all there are, each is
// where it should be.
std::string wrong_parts(laboratory& lab, const std::vector<cl::Buffer>& out, const cl::Buffer& counts,
                        const arrangement& at, std::size_t place) {
  std::uint64_t found[2] = {};
  detail::check(lab.on.queue.enqueueReadBuffer(counts, CL_TRUE, 0, sizeof found, found), "read the counts");
  if (found[0] > at.n || found[1] > at.n - found[0]) return "the counts are larger than the input";
  struct part {
    std::uint64_t n;
    std::int32_t least, most;
  };
  using limits = std::numeric_limits<std::int32_t>;
  const part parts[] = {{found[0], limits::min(), lower - 1},
                        {found[1], lower, upper - 1},
                        {at.n - found[0] - found[1], upper, limits::max()}};
  for (std::size_t p = 0; p < out.size(); ++p) {
    cl::Kernel k = lab.kernel(check_source, "count");
    k.setArg(0, out[p]);
    k.setArg(1, cl_ulong{parts[p].n});
    k.setArg(2, cl_ulong{place * at.stride});
    k.setArg(3, cl_ulong{at.n});
    k.setArg(4, cl_int{parts[p].least});
    k.setArg(5, cl_int{parts[p].most});
    k.setArg(6, cl_uint{first_seed});
    if (lab.count(k, 7) != 0) return "elements of output " + std::to_string(p) + " are wrong";
  }
  return "";
}

contender clwave_three(laboratory& lab, const arrangement& at) {
  const std::shared_ptr<pool> x = lab.data("i32", first_seed, at);
  const std::uint64_t out_bytes = elements_of(at) * 4;
  std::vector<cl::Buffer> out;
  for (int part = 0; part < 3; ++part) out.push_back(lab.buffer(out_bytes));
  const cl::Buffer counts = lab.buffer(16);
  const map is_first{.name = "low", .source = "x < bound", .values = {{"bound", lower}}},
      is_second{.name = "middle", .source = "x < bound", .values = {{"bound", upper}}};
  contender c;
  c.bytes = bytes_of(at);
  c.call = [&lab, x, out, counts, at, is_first, is_second](std::size_t place) {
    const auto part = [&](const cl::Buffer& of) { return view<std::int32_t>{of, at.n, place * at.stride}; };
    partition_copy(lab.on.queue, part(x->buffer), part(out[0]), part(out[1]), part(out[2]),
                   view<std::uint64_t>{counts, 2}, is_first, is_second, no_event);
  };
  c.spoil = [&lab, out, counts, out_bytes] {
    for (const cl::Buffer& each : out) lab.spoil(each, out_bytes);
    lab.spoil(counts, 16);
  };
  c.wrong = [&lab, out, counts, at](std::size_t place) { return wrong_parts(lab, out, counts, at, place); };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 26, 28};
  for (const unsigned bits : sizes) {
    const std::uint64_t n = std::uint64_t{1} << bits;
    arrangement at = lab.arrange(n, 4);
    at.stride = (at.stride + 255) / 256 * 256;
    if (!lab.fits(16 * static_cast<double>(n))) continue;
    group rows;
    rows.places = at.places;
    const std::string base = "select/partition-three/i32/" + std::to_string(n) + "/";
    rows.rows.push_back({base + "clwave", "clwave::partition_copy into three outputs, of a third each",
                         [&lab, at] { return clwave_three(lab, at); }});
    if (lab.is_nvidia)
      rows.rows.push_back(
          {base + "cub", "cub::DevicePartition::If by two predicates",
           [&lab, at, row = base + "cub"] { return cuda_counted(lab, row, at, bytes_of(at)); }});
    all.push_back(std::move(rows));
  }
}

// What the rows are held against, on an H200.
const registered_rows listed(
    "select", {{.add = add_groups,
                .goals = {{where::gpu, "select/partition-three/i32/(67108864|268435456)/clwave",
                           measure_of::speed, "select/partition-three/i32/$1/cub", 1.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_partition_three
