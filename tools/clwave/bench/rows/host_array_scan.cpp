// Rows of scans of arrays that stream from the host, beside copies of the whole array to the device and back.
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <clwave/host_array_scan.hpp>
#include <clwave/scan.hpp>

#include "bench/rows/host_array.hpp"
#include "bench/rows/reduce.hpp"
#include "bench/rows/scan.hpp"

namespace clwave::tool::bench {
namespace rows_of_host_array_scan {
namespace {

using shared_floats = std::shared_ptr<const floats_of_host>;
using results = std::vector<float>;

// Each result is the one before it and one element, but for what rounding makes at the levels of the order,
// where sums are of tens of thousands; and the last one is the sum.
std::string wrong_sums(const floats_of_host& x, const results& sums) {
  float last = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float own = x.first[i];
    if (!(std::fabs(sums[i] - (last + own)) <= 1e-5f * std::fabs(last) + 0.02f))
      return "result " + std::to_string(i) + " does not follow from the one before it";
    last = sums[i];
  }
  const reduction what{"sum", "f32"};
  return compare(answer_of(what, x.n, 0, first_seed), what, &last, nullptr, false);
}

contender scan_of(const shared_floats& x, const std::shared_ptr<results>& sums,
                  std::function<void(std::size_t)> call) {
  contender c;
  c.bytes = 2 * static_cast<double>(x->bytes());
  c.call = std::move(call);
  c.spoil = [sums] { sums->assign(sums->size(), 1e30f); };
  c.wrong = [x, sums](std::size_t) { return wrong_sums(*x, *sums); };
  return c;
}

contender streamed_scan(laboratory& lab, std::uint64_t n) {
  const auto x = std::make_shared<const floats_of_host>(lab, n, host_pages::pageable);
  const auto sums = std::make_shared<results>(static_cast<std::size_t>(n));
  return scan_of(x, sums, [&lab, x, sums](std::size_t) {
    inclusive_scan(lab.on.queue, host_array(std::span(x->first, sums->size())), host_output(*sums));
  });
}

contender copied_scan(laboratory& lab, std::uint64_t n) {
  const auto x = std::make_shared<const floats_of_host>(lab, n, host_pages::pageable);
  const auto sums = std::make_shared<results>(static_cast<std::size_t>(n));
  const cl::Buffer memory = lab.buffer(x->bytes());
  return scan_of(x, sums, [&lab, x, sums, memory](std::size_t) {
    const view<float> all{memory, sums->size()};
    detail::check(lab.on.queue.enqueueWriteBuffer(memory, CL_FALSE, 0, x->bytes(), x->first), "write");
    inclusive_scan(lab.on.queue, all, all, plus, {.with_event = false});
    detail::check(lab.on.queue.enqueueReadBuffer(memory, CL_TRUE, 0, x->bytes(), sums->data()), "read");
  });
}

}  // namespace
}  // namespace rows_of_host_array_scan

void add_host_array_scans(laboratory& lab, std::vector<group>& all) {
  const std::uint64_t n = streamed_floats(lab);
  const std::string base = "host_array/inclusive_scan/f32/" + std::to_string(n) + "/";
  group rows;
  rows.how = clocked::blocking;
  rows.rows.push_back({base + "clwave/host",
                       "blocking clwave::inclusive_scan of a host_array in pageable memory, into such memory",
                       [&lab, n] { return rows_of_host_array_scan::streamed_scan(lab, n); }});
  rows.rows.push_back(
      {base + "opencl/host",
       "the same by a copy of the whole array to the device, clwave::inclusive_scan there, and "
       "a copy back",
       [&lab, n] { return rows_of_host_array_scan::copied_scan(lab, n); }});
  all.push_back(std::move(rows));
}

}  // namespace clwave::tool::bench
