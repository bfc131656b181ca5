// What a scan does, for whoever carries its elements (shards of devices, pieces of the host, ranks): a
// problem of a part, and four steps, of which each carrier brings the next one what it needs. Tiles are
// folded where they lie (scan_step::folds). In each stretch of tiles it is found what stands before every
// tile (scan_step::tiles), and among the stretches what stands before each (scan_step::stretches). With that,
// and its elements, a tile gives its results (scan_step::results).
#pragma once

#include <cstddef>
#include <cstdint>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "primitives/scan.hpp"

namespace clwave::detail {

class scan_steps {
 public:
  // Of a call on shards or on arrays of the host. Refers to all that it points to.
  template <class Call>
  scan_steps(const Call& call, const element& value, const element& result)
      : value_(&value),
        on_elements_{.in = value,
                     .out = result,
                     .fold = call.fold,
                     .apply = call.apply,
                     .exclusive = call.exclusive,
                     .start = call.start,
                     .sizes = call.sizes.value_or(scan_sizes::of_results_of(result.size))},
        result_(&result) {}

  const element& value() const { return *value_; }
  // Of an element, and of a fold of tiles and of stretches.
  const element& result() const { return *result_; }
  const scan_sizes& sizes() const { return *on_elements_.sizes; }
  std::uint64_t tile() const { return sizes().tile(); }
  std::uint64_t stretch() const { return tile() * sizes().tiles; }  // elements of one

  // A scan on one device.
  scan_problem on_elements(const any_view& in, const any_view& out) const {
    scan_problem problem = on_elements_;
    problem.in = in;
    problem.out = out;
    return problem;
  }
  // A step of it, for the part of an array that `step` says.
  static ready_call<scan_variant> fit_step(const call_site& site, scan_problem problem,
                                           const scan_piece& step) {
    problem.piece = step;
    auto ready = fit(site, problem);
    set_start(scan_variant::primitive, ready.call.work, *problem.fold, *problem.out.type, problem.exclusive,
              problem.start);
    return ready;
  }

 private:
  const element* value_;
  scan_problem on_elements_;
  const element* result_;
};

}  // namespace clwave::detail
