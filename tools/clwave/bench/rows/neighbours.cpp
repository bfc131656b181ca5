// Rows of generate, replace_if, transform_if and adjacent_difference.
#include <cstdint>
#include <string>
#include <vector>

#include <clwave/transform.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench::rows_of_neighbours {
namespace {

// Result i is what VALUE says, of the element `x` at i and `y`, the one before, which are numbers of their
// place.
constexpr const char* kernels = R"(
uint number(ulong i) { return (uint)i * 0x9e3779b1u ^ (uint)(i >> 7); }
kernel void make(global uint* x, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = number(i);
}
kernel void count_wrong(const global uint* out, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const uint x = number(i), y = i == 0 ? 0 : number(i - 1);
    found += out[i] != (VALUE) ? 1 : 0;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";

struct neighbours_task {
  std::string variant;
  std::uint64_t n = 0;

  // Half of the elements are set: of replace, all are counted as written.
  double bytes() const {
    return (variant == "generate" ? 4.0 : variant == "if" ? 6.0 : 8.0) * static_cast<double>(n);
  }
  // The output has the input's elements first, of which some are to stay.
  bool keeps() const { return variant == "replace" || variant == "if"; }
  // Doing it once more changes nothing and does as much, so that rows can be repeated: what has been replaced
  // is replaced again.
  std::string value() const {
    return variant == "generate"  ? "(uint)i * 3u + 1u"
           : variant == "replace" ? "x > 0x80000000u ? 0xffffffffu : x"
           : variant == "if"      ? "x > 0x80000000u ? 2u * x + 1u : x"
                                  : "x - y";
  }
};

cl::Kernel kernel_for(laboratory& lab, const std::string& value, const char* name) {
  std::string source = "#define VALUE ";
  source.append(value).append("\n").append(kernels);
  return lab.kernel(source, name);
}

contender clwave_neighbours(laboratory& lab, const neighbours_task& task) {
  const std::uint64_t n = task.n;
  const cl::Buffer x = lab.buffer(n * 4), out = task.variant == "replace" ? x : lab.buffer(n * 4);
  cl::Kernel make = kernel_for(lab, "0", "make");
  make.setArg(0, x);
  make.setArg(1, cl_ulong{n});
  lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  contender c;
  c.bytes = task.bytes();
  if (task.keeps())
    c.spoil = [&lab, make, out]() mutable {
      make.setArg(0, out);
      lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
    };
  else
    c.spoil = [&lab, out, n] { lab.spoil(out, n * 4); };
  c.wrong = [&lab, out, task](std::size_t /*place*/) -> std::string {
    cl::Kernel k = kernel_for(lab, task.value(), "count_wrong");
    k.setArg(0, out);
    k.setArg(1, cl_ulong{task.n});
    return lab.count(k, 2) == 0 ? "" : "some results are wrong";
  };
  const view<std::uint32_t> in{x, n}, to{out, n};
  if (task.variant == "generate") {
    c.call = [&lab, to](std::size_t /*place*/) { iota(lab.on.queue, to, 1u, 3u, no_event); };
  } else if (task.variant == "replace") {
    c.call = [&lab, x, in](std::size_t /*place*/) {
      replace_if(lab.on.queue, in, map{.name = "large", .source = "x > 0x80000000u"}, 0xffffffffu, no_event);
    };
  } else if (task.variant == "if") {
    c.call = [&lab, x, in, to](std::size_t /*place*/) {
      transform_if(lab.on.queue, in, to, map{.name = "turned", .source = "2u * x + 1u"},
                   map{.name = "large", .source = "x > 0x80000000u"}, no_event);
    };
  } else {
    c.call = [&lab, x, in, to](std::size_t /*place*/) {
      adjacent_difference(lab.on.queue, in, to, no_event);
    };
  }
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 28};
  for (const unsigned bits : sizes) {
    for (const char* variant : {"generate", "replace", "if", "difference"}) {
      const neighbours_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits(8.0 * static_cast<double>(task.n))) continue;
      group rows;
      const std::string base = "neighbours/" + task.variant + "/u32/" + std::to_string(task.n) + "/";
      rows.rows.push_back({base + "clwave",
                           task.variant == "generate"  ? "clwave::iota"
                           : task.variant == "replace" ? "clwave::replace_if, of half of the elements"
                           : task.variant == "if"      ? "clwave::transform_if, of half of the elements"
                                                       : "clwave::adjacent_difference",
                           [&lab, task] { return clwave_neighbours(lab, task); }});
      if (lab.is_nvidia) {
        const std::string peer = base + (task.variant == "difference" ? "cub" : "thrust");
        rows.rows.push_back({peer,
                             task.variant == "generate"  ? "thrust::tabulate"
                             : task.variant == "replace" ? "thrust::replace_if"
                             : task.variant == "if"      ? "thrust::transform_if"
                                                         : "cub::DeviceAdjacentDifference::SubtractLeftCopy",
                             [&lab, task, peer] {
                               return cuda_counted(lab, peer, {.n = task.n, .stride = task.n, .places = 1},
                                                   task.bytes());
                             }});
      }
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("transform", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_neighbours
