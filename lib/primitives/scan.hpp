// scan: what its programs are built from, and what its calls are.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <clwave/scan.hpp>

#include "blocks/fold.hpp"
#include "call/description.hpp"
#include "call/lazy_inputs.hpp"
#include "call/operands.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How the elements of a tile are taken.
enum class scan_way : unsigned char {
  strips,     // each strip by one work-item, which reads it twice
  wide,       // so, and on a CPU the runs of a strip side by side
  streaming,  // so, and stores go past the caches
  held,       // runs, which a work-item holds between the two steps of a tile
};

struct scan_variant {
  static constexpr std::string_view primitive = "scan";
  const element* value = nullptr;
  const element* accumulator = nullptr;
  const op* fold = nullptr;
  const map* apply = nullptr;
  bool exclusive = false;
  bool started = false;
  bool one_pass = false;
  bool piece = false;              // of a longer input
  bool in_place = false;           // in one pass: results take the elements' place
  bool in_order_of_start = false;  // groups take tiles as they start
  scan_way way = scan_way::strips;
  unsigned group_size = 1;
  unsigned vector = 1;       // neighbouring elements loaded as one packet
  unsigned out_vector = 1;   // neighbouring results stored as one packet
  unsigned under_way = 0;    // runs of a short tile that a work-item has in flight at a time, where held
  bool by_element = false;   // a structure that lies at less than its size: member by member
  scan_tuning numbers = {};  // those that are the program's
  detail::scan_sizes sizes = {};
  unsigned count_bytes = 0;  // of the number of elements on the device; 0: the host knows it
  lazy_variant lazy = {};
};

program_spec spec_of(const scan_variant& v);
// The same for another primitive that scans.
program_spec spec_of_scan(std::string_view primitive, const scan_variant& v);

// Throws bad_call for types and texts that a scan does not take.
void check_scan(std::string_view primitive, const folding& of, const target& on);

// Whether a CPU can take the runs of a strip side by side, in the components of one value of 16, and has the
// local memory for what stands before them.
bool has_wide_runs(const folding& of, const scan_sizes& sizes, const target& on);

// What an exclusive scan without a start value begins with, or the start value: sets it in all launches that
// take it. The identity may be one that only the device's compiler knows; then nothing is set.
void set_start(std::string_view primitive, described_work& work, const op& fold, const element& accumulator,
               bool exclusive, const void* start);

described<scan_variant> describe(const scan_problem& q, const target& on);

// A call whose views have been checked. Refers to what the call refers to.
class checked_scan {
 public:
  // Throws bad_call.
  checked_scan(const call_site& site, const scan_problem& asked);
  checked_scan(const checked_scan&) = delete;
  checked_scan& operator=(const checked_scan&) = delete;

  const scan_problem& problem() const { return problem_; }
  // Of all operands, in the order of a description's.
  std::span<const cl_mem> buffers() const { return {buffers_.data(), n_}; }
  // The input and the output.
  const checked_operands& operands() const { return operands_; }

 private:
  std::span<const call_operand> listed(const scan_problem& asked);

  std::array<cl_mem, 3 + most_source_operands> buffers_ = {};
  std::size_t n_ = 0;
  std::array<call_operand, 3 + most_source_operands> all_;
  checked_operands operands_;
  scan_problem problem_;
};

}  // namespace clwave::detail
