// Rows of gather and scatter.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/gather.hpp>

#include "bench/bench.hpp"
#include "bench/gather_indices.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench::rows_of_gather {
namespace {

// As many indices as elements, a power of two. The variant says where indices point: "random" is a gather by
// a random permutation, "near" one whose neighbouring indices are neighbours, "scatter" a scatter by a random
// permutation, and "scatter-16" one of elements of 16 bytes, which finds out first which element stands. "if"
// is a gather_if by a random permutation with flags of a byte, of which half are set.
// "reverse" and "rotate" read no indices.
struct gather_task {
  std::string variant;
  std::uint64_t n = 0;

  bool scatters() const { return variant.starts_with("scatter"); }
  std::uint64_t words() const { return variant == "scatter-16" ? 4 : 1; }  // of an element, of 32 bits
  bool reorders() const { return variant == "reverse" || variant == "rotate"; }
  std::uint64_t first() const { return n / 3 + 1; }  // of a rotate
  bool has_flags() const { return variant == "if"; }
  // The indices, the elements and the results; what is read of claims is not counted. With flags these and
  // the indices as a whole, and half of the rest.
  double bytes() const {
    if (has_flags()) return static_cast<double>(n) * (1 + 4 + 4);
    return static_cast<double>(n) * static_cast<double>((reorders() ? 0 : 4) + 8 * words());
  }
};

constexpr const char* kernels = R"(
uint index_of(uint i, uint bits, uint near) {
  const uint mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
  if (near != 0) return i ^ ((i * 0x9e3779b1u) >> 29 & mask);
  uint x = i;
  for (uint round = 0; round < 3; ++round) {
    x = (x * 0x9e3779b1u + round) & mask;
    x ^= x >> (bits + 1) / 2;
  }
  return x;
}
uint word_of(uint element, uint word) { return element * 0x85ebca6bu + word; }

kernel void make(global uint* x, global uint* indices, ulong n, uint words, uint bits, uint near) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    indices[i] = index_of((uint)i, bits, near);
    for (uint w = 0; w < words; ++w) x[i * words + w] = word_of((uint)i, w);
  }
}
kernel void make_order(global uint* x, global uint* indices, ulong n, ulong first) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    indices[i] = (uint)(first == 0 ? n - 1 - i : (i + first) % n);
    x[i] = word_of((uint)i, 0);
  }
}
kernel void make_flags(global uchar* flags, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) flags[i] = (uchar)((uint)i * 0x9e3779b1u >> 31);
}
kernel void count_wrong_flagged(const global uint* indices, const global uint* out, ulong n, const global uchar* flags,
                                global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
    found += flags[i] != 0 && out[i] != word_of(indices[i], 0) ? 1 : 0;
  if (found != 0) atomic_add(wrong, found);
}
kernel void count_wrong(const global uint* indices, const global uint* out, ulong n, uint words, uint scatters,
                        global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const ulong at = scatters != 0 ? indices[i] : i;
    const uint from = scatters != 0 ? (uint)i : indices[i];
    for (uint w = 0; w < words; ++w) found += out[at * words + w] != word_of(from, w) ? 1 : 0;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";

contender clwave_gather(laboratory& lab, const gather_task& task) {
  const std::uint64_t n = task.n, words = task.words();
  const cl::Buffer x = lab.buffer(n * words * 4), indices = lab.buffer(n * 4),
                   out = lab.buffer(n * words * 4);
  cl::Kernel make = lab.kernel(kernels, task.reorders() ? "make_order" : "make");
  make.setArg(0, x);
  make.setArg(1, indices);
  make.setArg(2, cl_ulong{n});
  if (task.reorders()) {
    make.setArg(3, cl_ulong{task.variant == "rotate" ? task.first() : 0});
  } else {
    make.setArg(3, static_cast<cl_uint>(words));
    make.setArg(4, cl_uint{bits_of_indices(n)});
    make.setArg(5, cl_uint{task.variant == "near" ? 1u : 0u});
  }
  lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  contender c;
  c.bytes = task.bytes();
  c.spoil = [&lab, out, n, words] { lab.spoil(out, n * words * 4); };
  c.wrong = [&lab, indices, out, task](std::size_t /*place*/) -> std::string {
    cl::Kernel k = lab.kernel(kernels, "count_wrong");
    k.setArg(0, indices);
    k.setArg(1, out);
    k.setArg(2, cl_ulong{task.n});
    k.setArg(3, static_cast<cl_uint>(task.words()));
    k.setArg(4, cl_uint{task.scatters() ? 1u : 0u});
    return lab.count(k, 5) == 0 ? "" : "some elements are wrong";
  };
  const view<std::uint32_t> at{indices, n};
  if (task.has_flags()) {
    const cl::Buffer flags = lab.buffer(n);
    cl::Kernel set = lab.kernel(kernels, "make_flags");
    set.setArg(0, flags);
    set.setArg(1, cl_ulong{n});
    lab.launch(set, 1024, lab.is_cpu ? 1 : 256);
    lab.finish();
    c.call = [&lab, x, at, flags, out, n](std::size_t /*place*/) {
      gather_if(lab.on.queue, view<std::uint32_t>{x, n}, at, view<std::uint8_t>{flags, n},
                view<std::uint32_t>{out, n}, {.with_event = false});
    };
    c.wrong = [&lab, indices, out, flags, n](std::size_t /*place*/) -> std::string {
      cl::Kernel k = lab.kernel(kernels, "count_wrong_flagged");
      k.setArg(0, indices);
      k.setArg(1, out);
      k.setArg(2, cl_ulong{n});
      k.setArg(3, flags);
      return lab.count(k, 4) == 0 ? "" : "some elements are wrong";
    };
  } else if (task.reorders()) {
    c.call = [&lab, x, out, task](std::size_t /*place*/) {
      const view<std::uint32_t> from{x, task.n}, to{out, task.n};
      if (task.variant == "rotate")
        rotate(lab.on.queue, from, to, task.first(), {.with_event = false});
      else
        reverse(lab.on.queue, from, to, {.with_event = false});
    };
  } else if (words == 4) {
    c.call = [&lab, x, at, out, n](std::size_t /*place*/) {
      scatter(lab.on.queue, view<cl_uint4>{x, n}, at, view<cl_uint4>{out, n}, {.with_event = false});
    };
  } else {
    c.call = [&lab, x, at, out, n, scatters = task.scatters()](std::size_t /*place*/) {
      const view<std::uint32_t> from{x, n}, to{out, n};
      if (scatters)
        scatter(lab.on.queue, from, at, to, {.with_event = false});
      else
        gather(lab.on.queue, from, at, to, {.with_event = false});
    };
  }
  return c;
}

// A plain loop over one word for each index, on one core.
contender loop_gather(const gather_task& task) {
  struct arrays {
    std::vector<std::uint32_t> x, indices, out;
  };
  const auto all = std::make_shared<arrays>();
  const unsigned bits = bits_of_indices(task.n);
  for (std::uint64_t i = 0; i < task.n; ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    all->x.push_back(word_of_element(number));
    all->indices.push_back(index_of(number, bits, task.variant == "near"));
  }
  all->out.resize(task.n);
  contender c = host_contender(task.bytes());
  c.call = [all, scatters = task.scatters()](std::size_t /*place*/) {
    const std::uint32_t* const x = all->x.data();
    const std::uint32_t* const at = all->indices.data();
    std::uint32_t* const out = all->out.data();
    for (std::size_t i = 0; i < all->indices.size(); ++i) {
      if (scatters)
        out[at[i]] = x[i];
      else
        out[i] = x[at[i]];
    }
  };
  c.spoil = [all] { std::fill(all->out.begin(), all->out.end(), 0xa5a5a5a5u); };
  c.wrong = [all, scatters = task.scatters()](std::size_t /*place*/) -> std::string {
    for (std::size_t i = 0; i < all->indices.size(); ++i) {
      const std::uint32_t at = all->indices[i];
      if (scatters ? all->out[at] != all->x[i] : all->out[i] != all->x[at]) return "some elements are wrong";
    }
    return "";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{14, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 26};
  for (const unsigned bits : sizes) {
    for (const char* variant : {"random", "near", "if", "scatter", "scatter-16", "reverse", "rotate"}) {
      const gather_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits(task.bytes() + 4.0 * static_cast<double>(task.n))) continue;
      group rows;
      const std::string type = task.words() == 4 ? "u32x4" : "u32";
      const std::string base = "gather/" + task.variant + "/" + type + "/" + std::to_string(task.n) + "/";
      rows.rows.push_back({base + "clwave",
                           task.reorders()    ? "clwave::" + task.variant
                           : task.has_flags() ? "clwave::gather_if, half of the flags set"
                           : task.scatters()  ? "clwave::scatter by a permutation"
                                              : "clwave::gather",
                           [&lab, task] { return clwave_gather(lab, task); }});
      if (lab.is_cpu && task.words() == 1 && !task.reorders() && !task.has_flags())
        rows.rows.push_back(
            {base + "loop", "a plain loop on one core", [task] { return loop_gather(task); }});
      if (lab.is_nvidia && task.words() == 1 && task.variant != "rotate")
        rows.rows.push_back({base + "thrust",
                             task.scatters()    ? "thrust::scatter"
                             : task.has_flags() ? "thrust::gather_if"
                             : task.reorders()  ? "thrust::reverse_copy"
                                                : "thrust::gather",
                             [&lab, task, row = base + "thrust"] {
                               return cuda_counted(lab, row, {.n = task.n, .stride = task.n, .places = 1},
                                                   task.bytes());
                             }});
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("gather", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_gather
