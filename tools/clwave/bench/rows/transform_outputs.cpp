// Rows of transforms into several outputs.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/transform.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench::rows_of_transform_outputs {
namespace {

// "outputs-2": of two inputs; "outputs-4": of one.
struct outputs_task {
  std::string variant;
  arrangement at;

  bool has_four() const { return variant == "outputs-4"; }
  // A function each. No sum rounds otherwise where its product is fused into it.
  std::vector<std::string> texts() const {
    if (has_four()) return {"0.5f * x", "x + 1.0f", "x * x", "1.0f - x"};
    return {"x + 0.5f * y", "0.75f * y"};
  }
  double bytes() const { return 4 * static_cast<double>(at.n) * (has_four() ? 5 : 4); }
};

constexpr const char* check_source = R"(
#pragma OPENCL FP_CONTRACT OFF
kernel void count(const global float* restrict in, const global float* restrict other, const global float* restrict out,
                  ulong first, ulong n, global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const float x = in[first + i], y = other[first + i];
    found += out[first + i] != (TEXT) ? 1 : 0;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

contender clwave_outputs(laboratory& lab, const outputs_task& task) {
  const std::shared_ptr<pool> x = lab.data("f32", first_seed, task.at),
                              y = task.has_four() ? x : lab.data("f32", second_seed, task.at);
  const std::uint64_t out_bytes = (task.at.stride * task.at.places + 64) * 4;
  const std::vector<std::string> texts = task.texts();
  std::vector<cl::Buffer> out;
  std::vector<map> maps;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    out.push_back(lab.buffer(out_bytes));
    maps.push_back({.name = "output " + std::to_string(k), .source = texts[k]});
  }
  contender c;
  c.bytes = task.bytes();
  c.call = [&lab, x, y, out, maps, task](std::size_t place) {
    const auto part = [&](const cl::Buffer& of) {
      return view<float>{of, task.at.n, place * task.at.stride};
    };
    if (task.has_four())
      transform_to(lab.on.queue, part(x->buffer),
                   {{part(out[0]), maps[0]},
                    {part(out[1]), maps[1]},
                    {part(out[2]), maps[2]},
                    {part(out[3]), maps[3]}},
                   no_event);
    else
      transform_to(lab.on.queue, part(x->buffer), part(y->buffer),
                   {{part(out[0]), maps[0]}, {part(out[1]), maps[1]}}, no_event);
  };
  c.spoil = [&lab, out, out_bytes] {
    for (const cl::Buffer& each : out) lab.spoil(each, out_bytes);
  };
  c.wrong = [&lab, x, y, out, texts, task](std::size_t place) -> std::string {
    for (std::size_t j = 0; j < out.size(); ++j) {
      cl::Kernel k = lab.kernel("#define TEXT " + texts[j] + "\n" + check_source, "count");
      k.setArg(0, x->buffer);
      k.setArg(1, y->buffer);
      k.setArg(2, out[j]);
      k.setArg(3, cl_ulong{place * task.at.stride});
      k.setArg(4, cl_ulong{task.at.n});
      if (lab.count(k, 5) != 0) return "results of output " + std::to_string(j) + " are wrong";
    }
    return "";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 28};
  for (const unsigned bits : sizes) {
    for (const char* variant : {"outputs-2", "outputs-4"}) {
      const std::uint64_t n = std::uint64_t{1} << bits;
      const outputs_task task{variant, lab.arrange(n, 4)};
      if (!lab.fits(task.bytes())) continue;
      group rows;
      rows.places = task.at.places;
      const std::string base = "transform/" + task.variant + "/f32/" + std::to_string(n) + "/";
      rows.rows.push_back({base + "clwave",
                           std::string("clwave::transform_to, ") +
                               (task.has_four() ? "one input, four outputs" : "two inputs, two outputs"),
                           [&lab, task] { return clwave_outputs(lab, task); }});
      if (lab.is_nvidia)
        rows.rows.push_back(
            {base + "thrust", "thrust::transform into a zip_iterator",
             [&lab, task, row = base + "thrust"] { return cuda_counted(lab, row, task.at, task.bytes()); }});
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("transform", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_transform_outputs
