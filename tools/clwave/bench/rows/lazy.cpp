// Rows of inputs that are no arrays: sums of them, and a transform of eight inputs.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/lazy_view.hpp>
#include <clwave/reduce.hpp>
#include <clwave/transform.hpp>

#include "bench/bench.hpp"
#include "bench/gather_indices.hpp"

namespace clwave::tool::bench::rows_of_lazy {
namespace {

// n elements. The variant says what they are: those of an "array", those that indices point to by a random
// permutation ("random") or near their place ("near"), each third of a view ("strided"), a view backwards
// ("reversed"), a function of the index ("generate"), or x * y + z * w of four views ("zip-4"). "transform-8"
// is no sum, but the transform of eight views into their sums.
struct lazy_task {
  std::string variant;
  std::uint64_t n = 0;

  bool transforms() const { return variant == "transform-8"; }
  bool gathers() const { return variant == "random" || variant == "near"; }
  std::size_t views() const {
    return transforms() ? 8 : variant == "zip-4" ? 4 : variant == "generate" ? 0 : 1;
  }
  std::uint64_t of_view() const { return variant == "strided" ? 3 * n : n; }
  // What is read and written; of a function of the index, which reads nothing, an array's.
  double bytes() const {
    const double views_bytes = 4.0 * static_cast<double>(of_view()) * static_cast<double>(views());
    if (variant == "generate") return 4.0 * static_cast<double>(n);
    return views_bytes + (gathers() || transforms() ? 4.0 * static_cast<double>(n) : 0);
  }
  // The sum of all elements, modulo 2^32. Element i of a view is i.
  std::uint32_t sum() const {
    std::uint32_t all = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      auto x = static_cast<std::uint32_t>(i);
      if (gathers()) x = index_of(x, bits_of_indices(n), variant == "near");
      all += variant == "strided" ? 3 * x : variant == "zip-4" ? 2 * x * x : transforms() ? 8 * x : x;
    }
    return all;
  }
};

constexpr const char* kernels = R"(
kernel void make(global uint* x, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = (uint)i;
}
)";

std::vector<std::uint32_t> indices_of(const lazy_task& task) {
  std::vector<std::uint32_t> indices(task.n);
  const unsigned bits = bits_of_indices(task.n);
  for (std::uint64_t i = 0; i < task.n; ++i)
    indices[i] = index_of(static_cast<std::uint32_t>(i), bits, task.variant == "near");
  return indices;
}

contender clwave_lazy(laboratory& lab, const lazy_task& task) {
  using u32 = std::uint32_t;
  std::vector<cl::Buffer> views;
  for (std::size_t k = 0; k < task.views(); ++k) {
    views.push_back(lab.buffer(task.of_view() * 4));
    cl::Kernel make = lab.kernel(kernels, "make");
    make.setArg(0, views[k]);
    make.setArg(1, cl_ulong{task.of_view()});
    lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  }
  cl::Buffer indices;
  if (task.gathers()) {
    indices = lab.buffer(task.n * 4);
    lab.on.queue.enqueueWriteBuffer(indices, CL_TRUE, 0, task.n * 4, indices_of(task).data());
  }
  lab.finish();
  const std::uint64_t n = task.n, n_out = task.transforms() ? n : 1;
  const cl::Buffer out = lab.buffer(n_out * 4);
  // Views own nothing: the buffers go with the call.
  const auto x = [&views, &task](std::size_t k) { return view<u32>{views[k], task.of_view()}; };

  contender c;
  c.bytes = task.bytes();
  c.spoil = [&lab, out, n_out] { lab.spoil(out, n_out * 4); };
  c.wrong = [&lab, out, n_out, expected = task.sum()](std::size_t /*place*/) -> std::string {
    const u32 sum = reduce(lab.on.queue, view<u32>{out, n_out});
    return sum == expected ? "" : "another sum: " + std::to_string(sum);
  };
  if (task.transforms()) {
    const zipped_sources all = zip(x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7));
    const map sum{.name = "sum", .source = "x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7"};
    c.call = [&lab, views, all, sum, out, n](std::size_t /*place*/) {
      transform(lab.on.queue, all, view<u32>{out, n}, sum, {.with_event = false});
    };
    return c;
  }
  if (task.variant == "array") {
    c.call = [&lab, views, in = x(0), out](std::size_t /*place*/) {
      reduce(lab.on.queue, in, view<u32>{out, 1}, plus, {.with_event = false});
    };
    return c;
  }
  const auto made = [&]() -> lazy_view<u32> {
    if (task.gathers()) return gather_of(x(0), view<u32>{indices, n});
    if (task.variant == "strided") return strided(x(0), 3);
    if (task.variant == "reversed") return reversed(x(0));
    if (task.variant == "generate") return generate<u32>(n, {.name = "index", .source = "i"});
    return transformed<u32>(zip(x(0), x(1), x(2), x(3)), {.name = "products", .source = "x * y + z * w"});
  };
  c.call = [&lab, views, indices, in = made(), out](std::size_t /*place*/) {
    reduce(lab.on.queue, in, view<u32>{out, 1}, plus, {.with_event = false});
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 26};
  for (const unsigned bits : sizes) {
    for (const char* variant :
         {"array", "random", "near", "strided", "reversed", "generate", "zip-4", "transform-8"}) {
      const lazy_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits(task.bytes())) continue;
      group rows;
      rows.rows.push_back(
          {"lazy/" + task.variant + "/u32/" + std::to_string(task.n) + "/clwave",
           task.transforms() ? "clwave::transform of eight zipped views" : "clwave::reduce of such elements",
           [&lab, task] { return clwave_lazy(lab, task); }});
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("lazy", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_lazy
