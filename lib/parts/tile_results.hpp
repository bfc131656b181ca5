// What reductions share that leave the results of tiles before they fold these: where arrays lie in a block
// of workspace, and the call that folds the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "call/planning.hpp"
#include "call/workspace.hpp"

namespace clwave::detail {

// Arrays that lie one behind another in a block of workspace, each from a multiple of its elements and of 128
// bytes on.
class layout_of_arrays {
 public:
  std::uint64_t add(std::uint64_t n, std::size_t element_bytes) {
    const std::uint64_t first = round_up(end_, std::lcm<std::uint64_t>(128, element_bytes));
    end_ = first + n * element_bytes;
    return first;
  }
  std::uint64_t own_bytes() const { return end_ - workspace::own_at; }

 private:
  std::uint64_t end_ = workspace::own_at;
};

// n elements from that byte of a buffer on.
operand array_at(cl_mem buffer, std::uint64_t first_byte, std::uint64_t n, const element& type);

// What went wrong at one of many: "part 2 of 3: ...", with its device.
error error_at(std::string_view what, std::size_t k, std::size_t count, const error& trouble,
               const std::string& device);

// The types and texts of a reduction. Refers to all that is pointed to.
struct folded_types {
  const element* value;
  const element* accumulator;
  const element* folded;
  const op* fold;
  const map* apply;
};

// What folds results of tiles is the operator alone, but its texts see what they see in the fold of elements.
struct upper_types {
  element accumulator, folded;
  op fold;
};

// A reduction of results of the level below. Refers to what the types refer to, and to `kept`, which is made
// where the texts take it.
reduce_call call_on_results(const folded_types& types, const fold_sizes& sizes, const operand& results,
                            std::optional<upper_types>& kept);

}  // namespace clwave::detail
