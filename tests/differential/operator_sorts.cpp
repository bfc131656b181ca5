// Sorts by operators: by an order against std::stable_sort; by what contradicts itself every element once.
#include "families.hpp"
#include "orders.hpp"

namespace differential {
namespace {

// Says whether the elements of each stretch are those of the input's, with what the same places of
// `companion` hold; empty stretches are left out.
template <class T>
std::string lost_of(const std::vector<T>& before, const std::vector<T>& now, std::size_t begin,
                    std::size_t end) {
  const auto at = [](const std::vector<T>& of, std::size_t i) {
    return of.begin() + static_cast<std::ptrdiff_t>(i);
  };
  if (is_permutation_by_bits(std::vector<T>(at(before, begin), at(before, end)),
                             std::vector<T>(at(now, begin), at(now, end))))
    return "";
  return "elements " + std::to_string(begin) + " to " + std::to_string(end) + " are not those of the input";
}

template <class T>
void sort_by_operator(session& s, bool contradicts) {
  const std::size_t kind = s.below(3);
  const comparison<T> less = draw_comparison<T>(s, contradicts);
  constexpr const char* names[] = {"sort", "sort_by_key", "argsort"};
  s.what = std::string(names[kind]) + " of " + name_of<T>() + " by '" + less.text.name + "'";
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_sortable<T>(s, n);
    // Values tell whose they are.
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    const bool in_place = kind != 2 && s.one_in(3), values_in_place = s.one_in(3);
    place<T> in(s, x), out(s, kind == 2 || in_place ? 0 : n + s.below(3));
    place<std::uint32_t> values(s, numbers),
        values_out(s, kind == 0 || (kind == 1 && values_in_place) ? 0 : n);
    place<T>& keys_to = in_place ? in : out;
    place<std::uint32_t>& values_to = kind == 1 && values_in_place ? values : values_out;
    std::vector<T> keys_now;
    if (less.is_order()) {
      const auto places = sorted_by(x, 0, n, less.host);
      if (kind != 2) keys_to.expect(testing::taken(x, places));
      if (kind != 0) values_to.expect(places);
    } else {
      if (kind != 2)
        keys_to.judge = [&](const std::vector<T>& now) {
          keys_now = now;
          return lost_of(x, now, 0, n);
        };
      // Looked at behind the keys: which of them each value came with.
      if (kind != 0)
        values_to.judge = [&](const std::vector<std::uint32_t>& now) {
          const std::string lost = lost_of(numbers, now, 0, n);
          if (!lost.empty() || kind == 2) return lost;
          for (std::size_t k = 0; k < n; ++k)
            if (!reference::same_bits(keys_now[k], x[now[k]]))
              return "value " + std::to_string(k) + " is not its key's";
          return std::string();
        };
    }
    const auto in_view = in.input();
    const auto to = keys_to.elements();
    std::vector<held*> operands{&in, &out};
    if (kind != 0) operands.insert(operands.end(), {&values, &values_out});
    s.make(operands, [&](const auto& queue, const auto& options) {
      return kind == 0 ? clwave::sort(queue, in_view, to, testing::given(less.text, options))
             : kind == 1
                 ? clwave::sort_by_key(queue, in_view, values.input(), to, values_to.elements(),
                                       testing::given(less.text, options))
                 : clwave::argsort(queue, in_view, values_out.elements(), testing::given(less.text, options));
    });
  }
}

// Segments that a call sorts: none where any falls.
template <class Offset>
std::vector<std::pair<std::size_t, std::size_t>> sorted_segments(const std::vector<Offset>& offsets,
                                                                 std::size_t n) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  if (!std::is_sorted(offsets.begin(), offsets.end())) return all;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    if (offsets[k + 1] <= n) all.emplace_back(offsets[k], offsets[k + 1]);
  return all;
}

template <class Offset>
std::uint64_t count_bad(const std::vector<Offset>& offsets, std::size_t n) {
  std::uint64_t bad = 0;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    bad += offsets[k] > offsets[k + 1] || offsets[k + 1] > n ? 1 : 0;
  return bad;
}

// How segments are sorted: by numbers, by an operator.
template <class T, class Offset>
void sort_segments(session& s, std::size_t how) {
  const bool by_numbers = how == 0 && !std::is_class_v<T>;
  const bool with_values = s.flip(), counts = s.flip();
  const comparison<T> less = draw_comparison<T>(s, how == 2);
  sort_order order;
  if constexpr (!std::is_class_v<T>) order = draw_order<T>(s);
  s.what = std::string(with_values ? "segmented_sort_by_key of " : "segmented_sort of ") + name_of<T>() +
           (by_numbers ? text_of(order) : " by '" + less.text.name + "'") + ", offsets " + name_of<Offset>() +
           (counts ? ", bad ones counted" : "");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    std::vector<T> x = draw_sortable<T>(s, n);
    if constexpr (!std::is_class_v<T>) {
      if (by_numbers) x = testing::any_keys<T>(s.random, n);
    }
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    const std::vector<Offset> offsets = draw_offsets<Offset>(s, n, true);
    const bool in_place = s.one_in(3), values_in_place = s.one_in(3);
    place<T> in(s, x), out(s, in_place ? 0 : n + s.below(3));
    place<std::uint32_t> values(s, numbers), values_out(s, !with_values || values_in_place ? 0 : n);
    place<Offset> at(s, offsets);
    place<std::uint64_t> bad(s, 1);
    if (counts) bad.expect(0, count_bad(offsets, n));
    place<T>& keys_to = in_place ? in : out;
    place<std::uint32_t>& values_to = values_in_place ? values : values_out;
    const auto segments = sorted_segments(offsets, n);
    std::vector<T> keys_now;
    if (by_numbers || less.is_order()) {
      for (const auto& [begin, end] : segments) {
        std::vector<std::uint32_t> places;
        if constexpr (!std::is_class_v<T>) {
          if (by_numbers) places = sorted_by(x, begin, end, testing::by_order<T>(order));
        }
        if (!by_numbers) places = sorted_by(x, begin, end, less.host);
        for (std::size_t k = begin; k < end; ++k) {
          keys_to.expect(k, x[places[k - begin]]);
          if (with_values) values_to.expect(k, places[k - begin]);
        }
      }
    } else {
      // Where no segment is sorted nothing is written.
      const auto others_kept = [segments](const auto& before, const auto& now) {
        std::vector<bool> sorted(now.size());
        for (const auto& [begin, end] : segments)
          for (std::size_t k = begin; k < end; ++k) sorted[k] = true;
        for (std::size_t k = 0; k < now.size(); ++k)
          if (!sorted[k] && !reference::same_bits(before[k], now[k]))
            return "element " + std::to_string(k) + ", which no segment has, was written";
        return std::string();
      };
      keys_to.judge = [&, others_kept, before = keys_to.before()](const std::vector<T>& now) {
        keys_now = now;
        for (const auto& [begin, end] : segments)
          if (const std::string lost = lost_of(x, now, begin, end); !lost.empty()) return lost;
        return others_kept(before, now);
      };
      if (with_values)
        values_to.judge = [&, others_kept,
                           before = values_to.before()](const std::vector<std::uint32_t>& now) {
          for (const auto& [begin, end] : segments) {
            if (const std::string lost = lost_of(numbers, now, begin, end); !lost.empty())
              return "values: " + lost;
            for (std::size_t k = begin; k < end; ++k)
              if (!reference::same_bits(keys_now[k], x[now[k]]))
                return "value " + std::to_string(k) + " is not its key's";
          }
          return others_kept(before, now);
        };
    }
    std::vector<held*> operands{&in, &out, &at, &bad};
    if (with_values) operands.insert(operands.end(), {&values, &values_out});
    s.make(operands, [&](const auto& queue, const auto& options) {
      const auto keys = in.input();
      const auto to = keys_to.elements();
      const auto call = [&](const auto& by) {
        if (with_values)
          return counts ? clwave::segmented_sort_by_key(queue, keys, values.input(), at.input(), to,
                                                        values_to.elements(), bad.elements(),
                                                        testing::given(by, options))
                        : clwave::segmented_sort_by_key(queue, keys, values.input(), at.input(), to,
                                                        values_to.elements(), testing::given(by, options));
        return counts ? clwave::segmented_sort(queue, keys, at.input(), to, bad.elements(),
                                               testing::given(by, options))
                      : clwave::segmented_sort(queue, keys, at.input(), to, testing::given(by, options));
      };
      if constexpr (!std::is_class_v<T>) {
        if (by_numbers) return call(order);
      }
      return call(less.text);
    });
  }
}

}  // namespace

void operator_sorts(session& s) {
  const bool contradicts = s.below(3) != 0;
  with_one_of(
      s, types<std::uint32_t, float, std::uint8_t, std::int64_t, double, df_pair, df_float_pair, df_triple>{},
      [&]<class T>(std::type_identity<T>) { sort_by_operator<T>(s, contradicts); });
}

void segment_sorts(session& s) {
  const std::size_t how = s.below(3);
  with_one_of(s, types<std::uint32_t, float, std::uint8_t, std::int64_t, df_float_pair, df_triple>{},
              [&]<class T>(std::type_identity<T>) {
                if (s.flip())
                  sort_segments<T, std::uint64_t>(s, how);
                else
                  sort_segments<T, std::uint32_t>(s, how);
              });
}

}  // namespace differential
