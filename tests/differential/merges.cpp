// Merges, set operations and searches against plain loops; on ranges that are not sorted, or in the order of
// an operator that contradicts itself, every element once.
#include "families.hpp"
#include "orders.hpp"

namespace differential {
namespace {

template <class T>
std::vector<T> draw_range(session& s, std::size_t n) {
  if constexpr (!std::is_class_v<T>) {
    if (s.flip()) return testing::any_keys<T>(s.random, n);
  }
  return draw_sortable<T>(s, n);
}

// An order of ranges, and whether they are in it.
template <class T>
struct range_case {
  bool by_numbers = false, in_order = false;
  sort_order order;
  comparison<T> less;
  std::function<bool(const T&, const T&)> host;

  std::vector<T> range(session& s, std::size_t n) const {
    std::vector<T> x = by_numbers ? draw_range<T>(s, n) : draw_sortable<T>(s, n);
    if (in_order) std::stable_sort(x.begin(), x.end(), host);
    return x;
  }
};

template <class T>
range_case<T> draw_ranges(session& s, const std::string& call) {
  range_case<T> c;
  if constexpr (!std::is_class_v<T>) {
    c.by_numbers = s.flip();
    if (c.by_numbers) {
      c.order = draw_order<T>(s);
      c.host = testing::by_order<T>(c.order);
    }
  }
  if (!c.by_numbers) {
    c.less = draw_comparison<T>(s, s.one_in(3));
    c.host = c.less.host;
  }
  c.in_order = c.host && !s.one_in(5);
  s.what = call + " of " + name_of<T>() +
           (c.by_numbers ? text_of(c.order) : " by '" + c.less.text.name + "'") +
           (c.in_order ? "" : ", not in order");
  return c;
}

// Calls call with what tells the order.
template <class T, class Call>
auto with_order(const range_case<T>& c, const Call& call) {
  if constexpr (!std::is_class_v<T>) {
    if (c.by_numbers) return call(c.order);
  }
  return call(c.less.text);
}

template <class T>
void merge_ranges(session& s) {
  const bool with_values = s.flip();
  const range_case<T> c = draw_ranges<T>(s, with_values ? "merge_by_key" : "merge");
  const bool counts = c.host && s.one_in(3);
  if (counts) s.what += ", descents counted";
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t a_n = s.size(), b_n = s.one_in(6) ? s.below(3) : s.size(), n = a_n + b_n;
    const std::vector<T> x = c.range(s, a_n), y = c.range(s, b_n);
    std::vector<std::uint32_t> x_numbers(a_n), y_numbers(b_n), numbers(n);
    std::iota(x_numbers.begin(), x_numbers.end(), 0u);
    std::iota(y_numbers.begin(), y_numbers.end(), static_cast<std::uint32_t>(a_n));
    std::iota(numbers.begin(), numbers.end(), 0u);
    std::vector<T> all = x;
    all.insert(all.end(), y.begin(), y.end());
    place<T> a(s, x), b(s, y), out(s, n + (c.in_order ? s.below(3) : 0));
    place<std::uint32_t> a_values(s, with_values ? x_numbers : std::vector<std::uint32_t>{}),
        b_values(s, with_values ? y_numbers : std::vector<std::uint32_t>{}), values(s, with_values ? n : 0);
    place<std::uint64_t> descents(s, 1);
    if (counts) {
      std::uint64_t falls = 0;
      for (const auto* range : {&x, &y})
        for (std::size_t k = 1; k < range->size(); ++k) falls += c.host((*range)[k], (*range)[k - 1]) ? 1 : 0;
      descents.expect(0, falls);
    }
    std::vector<T> keys_now;
    if (c.in_order) {
      std::vector<std::uint32_t> places(n);
      std::merge(x_numbers.begin(), x_numbers.end(), y_numbers.begin(), y_numbers.end(), places.begin(),
                 [&](auto p, auto q) { return c.host(all[p], all[q]); });
      out.expect(testing::taken(all, places));
      if (with_values) values.expect(places);
    } else {
      out.judge = [&](const std::vector<T>& now) {
        keys_now = now;
        return is_permutation_by_bits(now, all) ? std::string() : "the elements are not those of both ranges";
      };
      if (with_values)
        values.judge = [&](const std::vector<std::uint32_t>& now) {
          if (!is_permutation_by_bits(now, numbers))
            return std::string("the values are not those of both ranges");
          for (std::size_t k = 0; k < n; ++k)
            if (!reference::same_bits(keys_now[k], all[now[k]]))
              return "value " + std::to_string(k) + " is not its key's";
          return std::string();
        };
    }
    s.make({&a, &b, &out, &a_values, &b_values, &values, &descents}, [&](const auto& queue,
                                                                         const auto& options) {
      return with_order(c, [&](const auto& by) {
        if (with_values)
          return counts
                     ? clwave::merge_by_key(queue, a.input(), a_values.input(), b.input(), b_values.input(),
                                            out.elements(), values.elements(), descents.elements(),
                                            testing::given(by, options))
                     : clwave::merge_by_key(queue, a.input(), a_values.input(), b.input(), b_values.input(),
                                            out.elements(), values.elements(), testing::given(by, options));
        return counts
                   ? clwave::merge(queue, a.input(), b.input(), out.elements(), descents.elements(),
                                   testing::given(by, options))
                   : clwave::merge(queue, a.input(), b.input(), out.elements(), testing::given(by, options));
      });
    });
  }
}

template <class T>
std::vector<T> set_of(clwave::set_kind kind, const std::vector<T>& x, const std::vector<T>& y,
                      const std::function<bool(const T&, const T&)>& less) {
  std::vector<T> out;
  const auto to = std::back_inserter(out);
  switch (kind) {
    case clwave::set_kind::set_union:
      std::set_union(x.begin(), x.end(), y.begin(), y.end(), to, less);
      break;
    case clwave::set_kind::intersection:
      std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), to, less);
      break;
    case clwave::set_kind::difference:
      std::set_difference(x.begin(), x.end(), y.begin(), y.end(), to, less);
      break;
    case clwave::set_kind::symmetric_difference:
      std::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), to, less);
  }
  return out;
}

// No element of the input is there more often than in the input.
template <class T>
bool is_taken_from(const std::vector<T>& now, const std::vector<T>& all) {
  const auto sorted = [](const std::vector<T>& of) {
    std::vector<std::string> texts;
    for (const T& each : of) texts.emplace_back(reinterpret_cast<const char*>(&each), sizeof(T));
    std::sort(texts.begin(), texts.end());
    return texts;
  };
  const auto a = sorted(all), b = sorted(now);
  return std::includes(a.begin(), a.end(), b.begin(), b.end());
}

template <class T>
void combine_sets(session& s) {
  const auto kind = static_cast<clwave::set_kind>(s.below(4));
  constexpr const char* names[] = {"set_union", "set_intersection", "set_difference",
                                   "set_symmetric_difference"};
  const range_case<T> c = draw_ranges<T>(s, names[static_cast<std::size_t>(kind)]);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t a_n = s.size(), b_n = s.size();
    const std::vector<T> x = c.range(s, a_n), y = c.range(s, b_n);
    std::vector<T> all = x;
    all.insert(all.end(), y.begin(), y.end());
    const std::vector<T> right = c.in_order ? set_of<T>(kind, x, y, c.host) : std::vector<T>{};
    const std::size_t room = !c.in_order   ? a_n + b_n
                             : s.one_in(4) ? s.below(right.size() + 1)
                                           : right.size() + s.below(3);
    place<T> a(s, x), b(s, y), out(s, room);
    place<std::uint64_t> count(s, 1);
    std::uint64_t counted = 0;
    if (c.in_order) {
      out.expect(right);
      count.expect(0, right.size());
    } else {
      count.judge = [&](const std::vector<std::uint64_t>& now) {
        counted = now[0];
        return counted <= a_n + b_n ? std::string() : "the count is " + std::to_string(counted);
      };
      out.judge = [&, before = out.before()](const std::vector<T>& now) {
        const auto end = now.begin() + static_cast<std::ptrdiff_t>(counted);
        if (!is_taken_from(std::vector<T>(now.begin(), end), all))
          return "an element is there too often, among " + std::to_string(counted) + " of " +
                 std::to_string(a_n) + " and " + std::to_string(b_n);
        for (std::size_t k = counted; k < now.size(); ++k)
          if (!reference::same_bits(now[k], before[k]))
            return "element " + std::to_string(k) + " is behind the count";
        return std::string();
      };
    }
    const bool blocks = s.one_in(3);
    const auto call = [&](const auto& queue, const auto& options, const auto&... with_count) {
      const auto p = a.input(), q = b.input();
      const auto to = out.elements();
      return with_order(c, [&](const auto& by) {
        switch (kind) {
          case clwave::set_kind::set_union:
            return clwave::set_union(queue, p, q, to, with_count..., testing::given(by, options));
          case clwave::set_kind::intersection:
            return clwave::set_intersection(queue, p, q, to, with_count..., testing::given(by, options));
          case clwave::set_kind::difference:
            return clwave::set_difference(queue, p, q, to, with_count..., testing::given(by, options));
          default:
            return clwave::set_symmetric_difference(queue, p, q, to, with_count...,
                                                    testing::given(by, options));
        }
      });
    };
    if (blocks) {
      s.make_blocking({&a, &b, &out}, [&](const auto& queue, const auto& options) {
        counted = call(queue, options);
        if (c.in_order ? counted != right.size() : counted > a_n + b_n)
          s.found("the count is " + std::to_string(counted) + " instead of " + std::to_string(right.size()));
      });
      continue;
    }
    s.make({&a, &b, &count, &out},
           [&](const auto& queue, const auto& options) { return call(queue, options, count.elements()); });
  }
}

template <class T>
void search(session& s) {
  const bool upper = s.flip();
  const range_case<T> c = draw_ranges<T>(s, upper ? "upper_bound" : "lower_bound");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(), needles = s.size();
    const std::vector<T> x = c.range(s, n);
    std::vector<T> y = c.by_numbers ? draw_range<T>(s, needles) : draw_sortable<T>(s, needles);
    if (n > 0)
      for (T& each : y)
        if (s.flip()) each = s.one_of(x);
    if (c.host && s.one_in(3)) std::stable_sort(y.begin(), y.end(), c.host);
    place<T> in(s, x), wanted(s, y);
    place<std::uint32_t> out(s, needles + (c.in_order ? s.below(3) : 0));
    if (c.in_order) {
      for (std::size_t k = 0; k < needles; ++k) {
        const auto at = upper ? std::upper_bound(x.begin(), x.end(), y[k], c.host)
                              : std::lower_bound(x.begin(), x.end(), y[k], c.host);
        out.expect(k, static_cast<std::uint32_t>(at - x.begin()));
      }
    } else {
      out.judge = [&](const std::vector<std::uint32_t>& now) {
        for (const std::uint32_t each : now)
          if (each > n) return "a bound is " + std::to_string(each) + " of " + std::to_string(n);
        return std::string();
      };
    }
    s.make({&in, &wanted, &out}, [&](const auto& queue, const auto& options) {
      return with_order(c, [&](const auto& by) {
        return upper ? clwave::upper_bound(queue, in.input(), wanted.input(), out.elements(),
                                           testing::given(by, options))
                     : clwave::lower_bound(queue, in.input(), wanted.input(), out.elements(),
                                           testing::given(by, options));
      });
    });
  }
}

using range_types =
    types<std::uint32_t, float, std::uint8_t, std::int64_t, double, df_pair, df_float_pair, df_triple>;

}  // namespace

void merges(session& s) {
  with_one_of(s, range_types{}, [&]<class T>(std::type_identity<T>) { merge_ranges<T>(s); });
}

void set_operations(session& s) {
  with_one_of(s, range_types{}, [&]<class T>(std::type_identity<T>) { combine_sets<T>(s); });
}

void searches(session& s) {
  with_one_of(s, range_types{}, [&]<class T>(std::type_identity<T>) { search<T>(s); });
}

}  // namespace differential
