// Problems of calls that are planned or prepared, and not made: each with all that it refers to.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/histogram.hpp>
#include <clwave/layout.hpp>
#include <clwave/lazy_view.hpp>
#include <clwave/op.hpp>
#include <clwave/plan.hpp>
#include <clwave/prepare.hpp>
#include <clwave/sort_order.hpp>
#include <clwave/transform.hpp>

#include "handles.hpp"

namespace clwave_python {

// What clwave.plan and clwave.prepare make a call throw in place of its launch.
struct planned {
  clwave::any_problem problem;
  std::shared_ptr<class queue> on;
};
// True in calls that clwave.plan or clwave.prepare makes.
extern thread_local bool planning;
clwave::plan_target target_of(const queue& on);

// Copies of what a problem refers to, which is the call's own and goes with it.
struct problem_texts {
  std::deque<clwave::op> ops;  // a deque, so that the addresses stay
  std::deque<clwave::map> maps;
  std::vector<clwave::sort_key> keys;
  clwave::layout layout;
  std::deque<std::vector<unsigned char>> bytes;
  std::deque<clwave::any_view> counts;
  std::deque<clwave::any_lazy> lazies;

  void take(const clwave::op*& op) {
    if (op != nullptr) op = &ops.emplace_back(*op);
  }
  void take(const clwave::map*& map) {
    if (map != nullptr) map = &maps.emplace_back(*map);
  }
  void take(const void*& value, std::size_t n_bytes) {
    if (value == nullptr) return;
    const auto* const first = static_cast<const unsigned char*>(value);
    value = bytes.emplace_back(first, first + n_bytes).data();
  }
  void take_view(clwave::any_view& of) {
    if (of.lazy != nullptr) of.lazy = &lazies.emplace_back(*of.lazy);
    if (of.count != nullptr) of.count = &counts.emplace_back(*of.count);
  }
};

inline bool is_same_place(const clwave::any_view& a, const clwave::any_view& b) {
  return a.buffer != nullptr && a.buffer == b.buffer && a.offset == b.offset;
}

// A problem that outlives its call.
template <class Problem>
clwave::any_problem owned(Problem asked) {
  auto texts = std::make_shared<problem_texts>();
  if constexpr (requires { asked.fold; }) texts->take(asked.fold);
  if constexpr (requires { asked.apply; }) texts->take(asked.apply);
  if constexpr (requires { asked.predicate; }) texts->take(asked.predicate);
  if constexpr (requires { asked.second_predicate; }) texts->take(asked.second_predicate);
  if constexpr (requires { asked.only_if; }) texts->take(asked.only_if);
  if constexpr (requires { asked.same; }) texts->take(asked.same);
  if constexpr (requires { asked.less; }) texts->take(asked.less);
  if constexpr (requires {
                  asked.start;
                  asked.accumulator;
                })
    texts->take(asked.start, asked.accumulator->size);
  else if constexpr (requires { asked.start; })
    texts->take(asked.start, asked.out.type->size);
  if constexpr (requires { asked.outside; }) texts->take(asked.outside, asked.out.type->size);
  if constexpr (requires { asked.value; }) texts->take(asked.value, asked.out.type->size);
  if constexpr (requires { asked.in.count; }) texts->take_view(asked.in);
  if constexpr (requires { asked.in.front().count; }) {
    if (!asked.in.empty()) texts->take_view(asked.in.front());
  }
  if constexpr (requires { asked.out.count; }) texts->take_view(asked.out);
  if constexpr (requires { asked.keys.count; }) texts->take_view(asked.keys);
  if constexpr (requires {
                  asked.a.count;
                  asked.b.count;
                }) {
    texts->take_view(asked.a);
    texts->take_view(asked.b);
  }
  if constexpr (requires { asked.indices.count; }) texts->take_view(asked.indices);
  if constexpr (requires { asked.offsets.count; }) texts->take_view(asked.offsets);
  if constexpr (requires { asked.offsets->count; }) {
    if (asked.offsets) texts->take_view(*asked.offsets);
  }
  if constexpr (requires { asked.by; }) {
    texts->keys.assign(asked.by.begin(), asked.by.end());
    asked.by = texts->keys;
  }
  if constexpr (requires { asked.fields; }) {
    texts->layout = *asked.fields;
    asked.fields = &texts->layout;
  }
  if constexpr (requires { asked.host; }) {
    if (asked.host) texts->take(asked.host->first, asked.host->n * asked.host->type->size);
  }
  // Plans are told what calls find by their operands.
  if constexpr (requires { asked.keys_in_place; }) {
    asked.keys_in_place = asked.keys_out && is_same_place(*asked.keys_out, asked.keys);
    asked.values_in_place =
        asked.values && asked.values_out && is_same_place(*asked.values_out, *asked.values);
  } else if constexpr (requires {
                         asked.in_place;
                         asked.in.type;
                       }) {
    asked.in_place = is_same_place(asked.out, asked.in);
  } else if constexpr (requires { asked.in_place; }) {
    for (const clwave::any_view& each : asked.in)
      if (is_same_place(asked.out, each)) asked.in_place = true;
    if constexpr (requires { asked.further; }) {
      for (const clwave::any_view& each : asked.in)
        for (const clwave::transform_output& output : asked.further)
          if (is_same_place(output.out, each)) asked.in_place = true;
    }
  }
  return clwave::any_problem([asked = std::move(asked), texts = std::move(texts)](
                                 const clwave::plan_target& on) { return plan(asked, on); });
}

}  // namespace clwave_python
