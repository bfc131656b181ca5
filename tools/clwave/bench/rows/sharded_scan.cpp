// Rows of scans over shards.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <clwave/scan.hpp>
#include <clwave/sharded_scan.hpp>

#include "bench/rows/reduce.hpp"
#include "bench/rows/scan.hpp"
#include "bench/rows/sharded.hpp"

namespace clwave::tool::bench {
namespace rows_of_sharded_scan {
namespace {

// Each result is the one before it and one element, but for what rounding makes at the levels of the order,
// where sums are of tens of thousands.
constexpr const char* check_source = R"(
kernel void count(const global float* in, ulong first, const global float* out, ulong n, float before,
                  global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const float last = i == 0 ? before : out[i - 1], x = in[first + i];
    if (!(fabs(out[i] - (last + x)) <= 1e-5f * fabs(last) + 0.02f)) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

// Results of an array, or of its first shard alone, each shard's in its place.
class results {
 public:
  results(const shared_array& x, std::size_t shards) : x_(x) {
    for (std::size_t k = 0; k < shards; ++k) {
      cl_int code = CL_SUCCESS;
      buffers_.emplace_back(x->place(k).context, CL_MEM_READ_WRITE, x->n() * sizeof(float), nullptr, &code);
      detail::check(code, "make a buffer of results");
    }
  }

  view<float> shard(std::size_t k) const { return {buffers_[k], x_->n()}; }
  sharded<float> array() const {
    sharded<float> all;
    for (std::size_t k = 0; k < buffers_.size(); ++k) all.add({x_->place(k).queue, shard(k)});
    return all;
  }
  void spoil() const {
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const cl::CommandQueue& queue = x_->place(k).queue;
      detail::check(queue.enqueueFillBuffer(buffers_[k], cl_float{1e30f}, 0, x_->n() * sizeof(float)),
                    "spoil results");
      detail::check(queue.finish(), "spoil results");
    }
  }
  std::string wrong(std::size_t which) const {
    float last = 0;
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const cl_uint found = count(which, k, last);
      if (found > 0)
        return std::to_string(found) + " results of shard " + std::to_string(k + 1) +
               " do not follow from the ones before them";
      detail::check(x_->place(k).queue.enqueueReadBuffer(buffers_[k], CL_TRUE, (x_->n() - 1) * sizeof(float),
                                                         sizeof last, &last),
                    "read the last result");
    }
    const reduction what{"sum", "f32"};
    const std::uint64_t n = x_->n() * buffers_.size();
    return compare(answer_of(what, n, x_->first(which), first_seed), what, &last, nullptr, false);
  }

 private:
  cl_uint count(std::size_t which, std::size_t k, float before) const {
    const shard_place& on = x_->place(k);
    cl_int code = CL_SUCCESS;
    const cl::Program program(on.context, check_source, false, &code);
    detail::check(code, "make a program of the benchmark");
    detail::check(program.build(on.device), "build a kernel of the benchmark");
    cl::Kernel kernel(program, "count", &code);
    detail::check(code, "make a kernel of the benchmark");
    cl_uint found = 0;
    const cl::Buffer wrong(on.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof found, &found, &code);
    detail::check(code, "make a buffer for a count");
    const view<float> in = x_->shard(which, k);
    kernel.setArg(0, cl::Buffer(in.buffer(), true));
    kernel.setArg(1, cl_ulong{in.offset()});
    kernel.setArg(2, buffers_[k]);
    kernel.setArg(3, cl_ulong{x_->n()});
    kernel.setArg(4, before);
    kernel.setArg(5, wrong);
    detail::check(on.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1 << 16)),
                  "count wrong results");
    detail::check(on.queue.enqueueReadBuffer(wrong, CL_TRUE, 0, sizeof found, &found), "read a count");
    return found;
  }

  shared_array x_;
  std::vector<cl::Buffer> buffers_;
};

contender scan_into(const std::shared_ptr<const results>& out, std::function<void(std::size_t)> call) {
  contender c;
  c.call = std::move(call);
  c.spoil = [out] { out->spoil(); };
  c.wrong = [out](std::size_t which) { return out->wrong(which); };
  return c;
}

contender scan_over_sharded(laboratory&, const shared_array& x) {
  const auto out = std::make_shared<const results>(x, x->shards());
  return scan_into(out, [x, out](std::size_t which) { inclusive_scan(x->array(which), out->array()); });
}

contender scan_on_one(laboratory&, const shared_array& x) {
  const auto out = std::make_shared<const results>(x, 1);
  return scan_into(out, [x, out](std::size_t which) {
    inclusive_scan(x->place(0).queue, x->shard(which, 0), out->shard(0)).wait();
  });
}

}  // namespace
}  // namespace rows_of_sharded_scan

void add_sharded_scans(laboratory& lab, std::vector<group>& all) {
  add_sharded_groups(lab, all,
                     {.name = "inclusive_scan",
                      .bytes_of_element = 2 * sizeof(float),
                      .over_sharded = rows_of_sharded_scan::scan_over_sharded,
                      .on_one = rows_of_sharded_scan::scan_on_one});
}

}  // namespace clwave::tool::bench
