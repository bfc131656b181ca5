// Sorts: the entries, which choose by what a problem has how keys are compared.
#include <optional>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/segmented_sort.hpp>
#include <clwave/sort.hpp>

#include "base/opencl.hpp"
#include "blocks/segments.hpp"
#include "blocks/sorted_keys.hpp"
#include "call/count_on_host.hpp"
#include "call/counted.hpp"
#include "call/description.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "primitives/key_sort.hpp"
#include "primitives/merge_sort.hpp"
#include "primitives/segmented_sort.hpp"
#include "primitives/sort.hpp"
#include "primitives/sort_operands.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Whether numbers of 128 bits have a sign; nothing: the elements are others.
std::optional<bool> sign_of_128_bits(const element& type) {
  if (type.size != 16) return {};
  if (are_alike(type, element_of<u128>())) return false;
  if (are_alike(type, element_of<i128>())) return true;
  return {};
}

// Calls f with the problem as the kind of sort that it asks for: by keys of texts where there are any, else
// of segments where there are some, else by an operator where there is one, else by numbers. Throws bad_call
// for more than one order.
template <class F>
auto as_kind(const sort_problem& asked, const F& f) {
  constexpr std::string_view primitive = sort_variant::primitive;
  std::optional<any_view> offsets = asked.offsets;
  if (offsets) offsets = all_of(*offsets);
  check_typed(primitive, {{"the keys", all_of(asked.keys)},
                          {"the output of the keys", asked.keys_out},
                          {"the values", asked.values},
                          {"the output of the values", asked.values_out},
                          {"the offsets", offsets},
                          {"the number of bad segments", asked.bad}});
  const sort_order& order = asked.order;
  check_one_order(primitive, asked.less, order);
  if (asked.offsets) check_typed(primitive, {{"the keys", asked.keys}});
  if (!asked.by.empty()) {
    if (asked.less != nullptr || order.descending || order.first_bit != 0 || order.last_bit)
      refuse(primitive, "keys and another order are given", "each of .keys has an order of its own");
    return f(key_sort{asked});
  }
  if (asked.less == nullptr) {
    if (const std::optional<bool> has_sign = sign_of_128_bits(*asked.keys.type)) {
      const key_list words = keys_of_128_bits(*has_sign, order);
      key_sort by_words{asked};
      by_words.by = words.keys();
      by_words.order = {};
      return f(by_words);
    }
  }
  if (asked.offsets) return f(segment_sort{asked});
  return asked.less != nullptr ? f(operator_sort{asked}) : f(number_sort{asked});
}

std::string_view primitive_of(const number_sort&) { return sort_variant::primitive; }
std::string_view primitive_of(const operator_sort&) { return merge_sort_variant::primitive; }
std::string_view primitive_of(const segment_sort&) { return segmented_sort_variant::primitive; }
std::string_view primitive_of(const key_sort&) { return key_sort_variant::primitive; }

template <class Sort>
event start(const call_site& site, Sort q, const launch_fields& options, bool wanted) {
  const std::string_view primitive = primitive_of(q);
  const sort_operands operands(site, primitive, q);
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  const auto ready = fit(site, q);
  if (ready.code == nullptr && q.bad) {  // no segments
    constexpr std::uint64_t zero = 0;
    return fill_elements(site.queue, *q.bad, &zero, options);
  }
  return enqueue(site, ready, operands.buffers(), after, wanted,
                 {primitive, &options.workspace, &operands.checked()});
}

}  // namespace

event sort(cl_command_queue queue, const sort_problem& asked, const launch_fields& options) {
  return as_kind(asked, [&](const auto& q) {
    return start(site_of(queue, primitive_of(q)), q, options, options.with_event);
  });
}

void checked_segmented_sort(cl_command_queue queue, const sort_problem& asked, const launch_fields& options) {
  as_kind(asked, [&](const auto& q) {
    const std::string_view primitive = primitive_of(q);
    if (!q.offsets) refuse(primitive, "there are no offsets", "give one offset more than there are segments");
    const call_site site = site_of(queue, primitive);
    const std::uint64_t bad =
        count_on_host(site, options, [&](const any_view& count, const launch_options& now) {
          auto counted = q;
          counted.bad = count;
          return start(site, counted, now, true);
        });
    if (bad == 0) return;
    throw error(
        failure::bad_call, words_of_bad_segments(bad, *q.offsets), CL_SUCCESS,
        {.primitive = std::string(primitive),
         .types = q.keys.type->name,
         .advice = "offsets may not fall, nor pass the input's " + std::to_string(q.keys.n) + " elements"});
  });
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const sort_problem& asked, const plan_target& on) {
  return detail::as_kind(asked, [&](const auto& q) { return detail::plan_of(q, on); });
}

event sort(cl_command_queue queue, const sort_problem& asked, const launch_options& options) {
  return detail::sort(queue, asked, options);
}

void checked_segmented_sort(cl_command_queue queue, const sort_problem& asked,
                            const launch_options& options) {
  detail::checked_segmented_sort(queue, asked, options);
}

}  // namespace clwave
