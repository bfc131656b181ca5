// Rows of generate, replace_if and adjacent_difference.
#include <cstdint>
#include <string>
#include <vector>

#include <clwave/transform.hpp>

#include "bench/bench.hpp"

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

  bool reads() const { return variant != "generate"; }
  double bytes() const { return (reads() ? 8.0 : 4.0) * static_cast<double>(n); }
  // Doing it once more changes nothing, so that rows can be repeated: what is replaced stays as it is.
  std::string value() const {
    return variant == "generate"  ? "(uint)i * 3u + 1u"
           : variant == "replace" ? "x > 0x80000000u ? 7u : x"
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
  if (task.variant == "replace")
    c.spoil = [&lab, make] { lab.launch(make, 1024, lab.is_cpu ? 1 : 256); };
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
      replace_if(lab.on.queue, in, map{.name = "large", .source = "x > 0x80000000u"}, 7u, no_event);
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
    for (const char* variant : {"generate", "replace", "difference"}) {
      const neighbours_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits(8.0 * static_cast<double>(task.n))) continue;
      group rows;
      rows.rows.push_back({"neighbours/" + task.variant + "/u32/" + std::to_string(task.n) + "/clwave",
                           task.variant == "generate"  ? "clwave::iota"
                           : task.variant == "replace" ? "clwave::replace_if"
                                                       : "clwave::adjacent_difference",
                           [&lab, task] { return clwave_neighbours(lab, task); }});
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("transform", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_neighbours
