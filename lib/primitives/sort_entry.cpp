// Sorts: the entries, which choose by their options how keys are compared.
#include <optional>
#include <span>
#include <string_view>

#include <clwave/segmented_sort.hpp>
#include <clwave/sort.hpp>

#include "base/opencl.hpp"
#include "blocks/sorted_keys.hpp"
#include "call/planning.hpp"
#include "primitives/key_sort.hpp"
#include "primitives/merge_sort.hpp"
#include "primitives/segmented_sort.hpp"
#include "primitives/sort.hpp"

namespace clwave::detail {
namespace {

// What a call's keys are compared by, of its options: keys of texts where there are any, else an operator
// where there is one, else numbers. Refers to the options.
class comparison {
 public:
  // Throws bad_call for more than one of them.
  comparison(const sort_call& call, const sort_options& options)
      : less_(less_of(options)), order_(order_of(options)), keys_(options.keys.keys()) {
    constexpr std::string_view primitive = "sort";
    check_one_order(primitive, less_, order_);
    if (!keys_.empty() && (less_ != nullptr || order_.descending || order_.first_bit != 0 || order_.last_bit))
      refuse(primitive, "keys and another order are given", "each of .keys has an order of its own");
    if (!call.signed_128 || less_ != nullptr || !keys_.empty()) return;
    words_ = keys_of_128_bits(*call.signed_128, order_);
    keys_ = words_.keys();
  }
  comparison(const comparison&) = delete;
  comparison& operator=(const comparison&) = delete;

  const op* less() const { return less_; }
  const sort_order& order() const { return order_; }
  std::span<const sort_key> keys() const { return keys_; }

 private:
  const op* less_;
  sort_order order_;
  std::span<const sort_key> keys_;
  key_list words_;  // the keys of numbers of 128 bits
};

}  // namespace

event sort(cl_command_queue queue, const sort_call& call, const sort_options& options) {
  const comparison by(call, options);
  if (!by.keys().empty()) return sort_by_keys(queue, call, by.keys(), options);
  if (call.offsets) return sort_segments(queue, call, by.order(), by.less(), options);
  if (by.less() != nullptr) return sort_by_operator(queue, call, *by.less(), options);
  return sort_by_number(queue, call, by.order(), options);
}

void checked_segmented_sort(cl_command_queue queue, const sort_call& call, const sort_options& options) {
  const comparison by(call, options);
  if (!by.keys().empty()) return checked_sort_by_keys(queue, call, by.keys(), options);
  checked_sort_of_segments(queue, call, by.order(), by.less(), options);
}

}  // namespace clwave::detail
