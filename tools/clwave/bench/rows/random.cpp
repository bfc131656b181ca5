// Rows of random and shuffle.
#include <cstdint>
#include <string>
#include <vector>

#include <clwave/copy.hpp>
#include <clwave/random.hpp>

#include "bench/bench.hpp"

namespace clwave::tool::bench::rows_of_random {
namespace {

// The variant says which numbers are made: "bits" of 32 and "wide" of 64, "uniform" and "normal" floats,
// "below" 6, a "permutation" of 32-bit indices; "shuffle" moves numbers of 32 bits in that order.
struct random_task {
  std::string variant;
  std::uint64_t n = 0;

  bool permutes() const { return variant == "permutation" || variant == "shuffle"; }
  std::uint64_t size() const { return variant == "wide" ? 8 : 4; }
  double bytes() const { return static_cast<double>(n * size()) * (variant == "shuffle" ? 2 : 1); }
};

constexpr std::uint64_t seed = 0x123456789abcdef;

// The generator once more, in 32 bits. IS_RIGHT asks for a result and its word. Of a permutation, each index
// must be there.
constexpr const char* kernels = R"(
uint4 block_of(ulong block) {
  uint4 c = (uint4)((uint)block, (uint)(block >> 32), 0, 0);
  for (uint round = 0; round < 10; ++round) {
    const uint low = 0x89abcdefu + round * 0x9E3779B9u, high = 0x01234567u + round * 0xBB67AE85u;
    c = (uint4)(mul_hi(0xCD9E8D57u, c.z) ^ c.y ^ low, 0xCD9E8D57u * c.z, mul_hi(0xD2511F53u, c.x) ^ c.w ^ high,
                0xD2511F53u * c.x);
  }
  return c;
}
kernel void count_wrong(const global RESULT* out, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong block = get_global_id(0); block * 4 < n * WORDS; block += get_global_size(0)) {
    const uint4 all = block_of(block);
    const uint words[4] = {all.x, all.y, all.z, all.w};
    for (uint k = 0; k < 4; k += WORDS) {
      const uint word = words[k], next = words[(k + 1) % 4];
      if ((block * 4 + k) / WORDS < n) {
        const RESULT result = out[(block * 4 + k) / WORDS];
        found += (IS_RIGHT) ? 0 : 1;
      }
    }
  }
  if (found != 0) atomic_add(wrong, found);
}
kernel void make(global uint* x, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = (uint)i;
}
kernel void see(const global uint* out, global uint* seen, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    if (out[i] < n) seen[out[i]] = 1;
  }
}
kernel void count_unseen(const global uint* seen, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) found += seen[i] == 1 ? 0 : 1;
  if (found != 0) atomic_add(wrong, found);
}
)";

std::string source_for(const random_task& task) {
  const bool floats = task.variant == "uniform" || task.variant == "normal";
  std::string source = "#define RESULT ";
  source += floats ? "float" : task.variant == "wide" ? "ulong" : "uint";
  source += task.variant == "wide" ? "\n#define WORDS 2\n" : "\n#define WORDS 1\n";
  source += "#define IS_RIGHT ";
  source += task.variant == "bits"      ? "result == word"
            : task.variant == "wide"    ? "result == ((ulong)next << 32 | word)"
            : task.variant == "uniform" ? "result == (float)(word >> 8) * 0x1p-24f"
            // Of 10^9 words 1 is not taken.
            : task.variant == "below" ? "result == mul_hi(word, 6u) || word * 6u < 4u"
                                      : "fabs(0.5f * erfc(result * -0.70710678f) - word * 0x1p-32f) < 1e-5f";
  return source.append("\n").append(kernels);
}

// Waits.
std::uint32_t wrong_of(laboratory& lab, const random_task& task, const cl::Buffer& out) {
  if (!task.permutes()) {
    cl::Kernel k = lab.kernel(source_for(task), "count_wrong");
    k.setArg(0, out);
    k.setArg(1, cl_ulong{task.n});
    return lab.count(k, 2);
  }
  const cl::Buffer seen = lab.buffer(task.n * 4);
  lab.on.queue.enqueueFillBuffer(seen, cl_uint{0}, 0, task.n * 4);
  cl::Kernel see = lab.kernel(source_for(task), "see");
  see.setArg(0, out);
  see.setArg(1, seen);
  see.setArg(2, cl_ulong{task.n});
  lab.launch(see, 1024, lab.is_cpu ? 1 : 256);
  cl::Kernel k = lab.kernel(source_for(task), "count_unseen");
  k.setArg(0, seen);
  k.setArg(1, cl_ulong{task.n});
  return lab.count(k, 2);
}

contender clwave_random(laboratory& lab, const random_task& task) {
  const std::uint64_t n = task.n;
  const cl::Buffer out = lab.buffer(n * task.size());
  contender c;
  c.bytes = task.bytes();
  c.spoil = [&lab, out, task] { lab.spoil(out, task.n * task.size()); };
  c.wrong = [&lab, out, task](std::size_t /*place*/) -> std::string {
    return wrong_of(lab, task, out) == 0 ? "" : "some numbers are wrong";
  };
  if (task.variant == "shuffle") {
    const cl::Buffer x = lab.buffer(n * 4);
    cl::Kernel make = lab.kernel(source_for(task), "make");
    make.setArg(0, x);
    make.setArg(1, cl_ulong{n});
    lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
    lab.finish();
    c.call = [&lab, x, out, n](std::size_t /*place*/) {
      shuffle(lab.on.queue, view<std::uint32_t>{x, n}, view<std::uint32_t>{out, n}, seed, no_event);
    };
  } else if (task.variant == "permutation") {
    c.call = [&lab, out, n](std::size_t /*place*/) {
      random_permutation(lab.on.queue, view<std::uint32_t>{out, n}, seed, no_event);
    };
  } else {
    random_problem problem{.out = {element_of<std::uint32_t>(), n}, .seed = seed};
    if (task.variant == "wide") problem.out.type = &element_of<std::uint64_t>();
    if (task.variant == "uniform" || task.variant == "normal") problem.out.type = &element_of<float>();
    if (task.variant == "normal") problem.kind = random_kind::normal;
    if (task.variant == "below") problem.below = 6;
    problem.out.buffer = out();
    c.call = [&lab, out, problem](std::size_t /*place*/) {
      clwave::random(lab.on.queue(), problem, no_event);
    };
  }
  return c;
}

// What the numbers are held against: as many bytes written, without any arithmetic.
contender clwave_fill(laboratory& lab, const random_task& task) {
  const std::uint64_t n = task.n;
  const cl::Buffer out = lab.buffer(n * 4);
  contender c;
  c.bytes = task.bytes();
  c.spoil = [&lab, out, n] { lab.spoil(out, n * 4); };
  c.wrong = [&lab, out, n](std::size_t /*place*/) -> std::string {
    std::uint32_t ends[2] = {};
    lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, 4, ends);
    lab.on.queue.enqueueReadBuffer(out, CL_TRUE, (n - 1) * 4, 4, ends + 1);
    return ends[0] == 7 && ends[1] == 7 ? "" : "another value";
  };
  c.call = [&lab, out, n](std::size_t /*place*/) {
    fill(lab.on.queue, view<std::uint32_t>{out, n}, std::uint32_t{7}, no_event);
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 26, 28};
  for (const unsigned bits : sizes) {
    for (const char* variant : {"bits", "wide", "uniform", "normal", "below", "permutation", "shuffle"}) {
      const random_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits((task.permutes() ? 12.0 : 8.0) * static_cast<double>(task.n))) continue;
      group rows;
      const std::string type = task.variant == "wide"                                  ? "u64"
                               : task.variant == "uniform" || task.variant == "normal" ? "f32"
                                                                                       : "u32";
      const std::string base = "random/" + task.variant + "/" + type + "/" + std::to_string(task.n) + "/";
      rows.rows.push_back({base + "clwave",
                           task.variant == "shuffle"       ? "clwave::shuffle"
                           : task.variant == "permutation" ? "clwave::random_permutation"
                                                           : "clwave::random",
                           [&lab, task] { return clwave_random(lab, task); }});
      if (task.variant == "bits")
        rows.rows.push_back({base + "fill", "clwave::fill, which only writes",
                             [&lab, task] { return clwave_fill(lab, task); }});
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("random", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_random
