// Selections against plain loops: what is kept, where it is stored, and how many there are.
#include "families.hpp"
#include "values.hpp"

namespace differential {
namespace {

// A text that chooses elements.
template <class T>
struct predicate {
  clwave::map text;
  std::function<bool(const T&, std::uint64_t)> host;
};

template <class T>
predicate<T> draw_predicate(session& s) {
  using clwave::map;
  if constexpr (std::is_same_v<T, df_triple>) {
    return {map{.name = "odd key", .source = "x.key & 1"},
            [](const T& x, std::uint64_t) { return (x.key & 1) != 0; }};
  } else {
    using N = number_of<T>;
    std::vector<predicate<T>> all;
    all.push_back({clwave::identity, [](const T& x, std::uint64_t) { return number(x) != 0; }});
    all.push_back({map{.name = "even places", .source = "i % 2 == 0"},
                   [](const T&, std::uint64_t i) { return i % 2 == 0; }});
    all.push_back({map{.name = "none", .source = "0"}, [](const T&, std::uint64_t) { return false; }});
    all.push_back({map{.name = "all", .source = "1"}, [](const T&, std::uint64_t) { return true; }});
    all.push_back({map{.name = "above", .source = "x > least", .values = {{"least", std::int32_t{1}}}},
                   [](const T& x, std::uint64_t) { return number(x) > static_cast<N>(1); }});
    if constexpr (std::is_same_v<N, float>)
      all.push_back({map{.name = "above a literal", .source = "x >= 0.1"},
                     [](const T& x, std::uint64_t) { return number(x) >= 0.1f; }});
    if constexpr (std::is_same_v<N, double>)
      all.push_back({map{.name = "above a literal", .source = "x >= 0.1"},
                     [](const T& x, std::uint64_t) { return number(x) >= 0.1; }});
    if constexpr (std::is_floating_point_v<N>)
      all.push_back(
          {map{.name = "itself", .source = "x"}, [](const T& x, std::uint64_t) { return number(x) != 0; }});
    return s.one_of(all);
  }
}

// Elements of which some lie on 0.1, to the last bit.
template <class T>
std::vector<T> draw_elements(session& s, std::size_t n) {
  std::vector<T> x = draw_values<T>(s, n);
  if constexpr (std::is_floating_point_v<T>) {
    if (s.one_in(3))
      for (T& each : x)
        if (s.one_in(4)) each = s.flip() ? T(0.1) : static_cast<T>(0.1f);
  }
  return x;
}

template <class T>
void check_count(session& s, std::uint64_t got, const std::vector<T>& right) {
  if (got != right.size())
    s.found("the count is " + std::to_string(got) + " instead of " + std::to_string(right.size()));
}

template <class T>
void choose(session& s) {
  const std::size_t kind = s.below(4);
  const predicate<T> keeps = draw_predicate<T>(s);
  constexpr const char* names[] = {"copy_if", "copy_flagged", "partition", "partition_copy"};
  s.what =
      std::string(names[kind]) + " of " + name_of<T>() + (kind == 1 ? "" : " by '" + keeps.text.name + "'");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_elements<T>(s, n);
    std::vector<std::uint8_t> flags(n);
    const std::size_t share = 1 + s.below(20);
    for (auto& flag : flags) flag = s.below(share) == 0 ? static_cast<std::uint8_t>(1 + s.below(255)) : 0;
    std::vector<T> kept, others;
    for (std::size_t i = 0; i < n; ++i)
      (kind == 1             ? flags[i] != 0
       : keeps.host(x[i], i) ? true
                             : false)
          ? kept.push_back(x[i])
          : others.push_back(x[i]);
    const auto room = [&](std::size_t all) { return s.one_in(4) ? s.below(all + 1) : all + s.below(3); };
    place<T> in(s, x), out(s, kind == 2 ? n + s.below(3) : room(kept.size()));
    place<T> rest(s, kind == 3 ? room(others.size()) : 0);
    place<std::uint8_t> flagged(s, kind == 1 ? flags : std::vector<std::uint8_t>{});
    place<std::uint64_t> count(s, 1);
    out.expect(kept);
    if (kind == 2)
      for (std::size_t i = 0; i < others.size(); ++i) out.expect(kept.size() + i, others[i]);
    if (kind == 3) rest.expect(others);
    if (s.one_in(3)) {
      s.make_blocking({&in, &flagged, &out, &rest}, [&](const auto& queue, const auto& options) {
        check_count(s,
                    kind == 0 ? clwave::copy_if(queue, in.input(), out.elements(), keeps.text, options)
                    : kind == 1
                        ? clwave::copy_flagged(queue, in.input(), flagged.input(), out.elements(), options)
                    : kind == 2 ? clwave::partition(queue, in.input(), out.elements(), keeps.text, options)
                                : clwave::partition_copy(queue, in.input(), out.elements(), rest.elements(),
                                                         keeps.text, options),
                    kept);
      });
      continue;
    }
    count.expect(0, kept.size());
    s.make({&in, &flagged, &out, &rest, &count}, [&](const auto& queue, const auto& options) {
      const auto n_kept = count.elements();
      return kind == 0 ? clwave::copy_if(queue, in.input(), out.elements(), n_kept, keeps.text, options)
             : kind == 1
                 ? clwave::copy_flagged(queue, in.input(), flagged.input(), out.elements(), n_kept, options)
             : kind == 2 ? clwave::partition(queue, in.input(), out.elements(), n_kept, keeps.text, options)
                         : clwave::partition_copy(queue, in.input(), out.elements(), rest.elements(), n_kept,
                                                  keeps.text, options);
    });
  }
}

// When two neighbours are equal. The last one is no equivalence, and need not be.
template <class T>
struct sameness {
  std::optional<clwave::op> text;
  std::function<bool(const T&, const T&)> host;
};

template <class T>
sameness<T> draw_sameness(session& s) {
  using clwave::op;
  if constexpr (std::is_same_v<T, df_triple>) {
    return {op{.name = "same key", .source = "a.key == b.key"},
            [](const T& a, const T& b) { return a.key == b.key; }};
  } else {
    std::vector<sameness<T>> all;
    all.push_back({{}, [](const T& a, const T& b) { return number(a) == number(b); }});
    all.push_back({op{.name = "falls not", .source = "a <= b"},
                   [](const T& a, const T& b) { return number(a) <= number(b); }});
    if constexpr (std::is_same_v<T, float>)
      all.push_back({op{.name = "near", .source = "fabs(a - b) < 0.1"},
                     [](const T& a, const T& b) { return std::fabs(a - b) < 0.1f; }});
    if constexpr (std::is_integral_v<T>)
      all.push_back({op{.name = "same quarter", .source = "(a >> 2) == (b >> 2)"},
                     [](const T& a, const T& b) { return (a >> 2) == (b >> 2); }});
    return s.one_of(all);
  }
}

template <class T>
std::vector<T> draw_runs(session& s, std::size_t n) {
  if (s.one_in(4)) return draw_elements<T>(s, n);
  if constexpr (std::is_same_v<T, df_triple>) {
    std::vector<T> x = draw_values<T>(s, n);
    for (T& each : x) each.key %= 3;
    return x;
  } else {
    const std::size_t longest = s.flip() ? 1 + s.below(5) : 1 + s.below(n + 1);
    std::vector<T> x;
    while (x.size() < n) {
      T value;
      if constexpr (is_stored<T>)
        value = T(static_cast<float>(s.below(7)));
      else
        value = static_cast<T>(s.below(7));
      for (std::size_t k = 1 + s.below(longest); k > 0 && x.size() < n; --k) x.push_back(value);
    }
    return x;
  }
}

template <class T, class V>
void find_runs(session& s) {
  const std::size_t kind = s.below(4);
  const sameness<T> same = draw_sameness<T>(s);
  constexpr const char* names[] = {"unique", "unique_by_key", "run_lengths", "run_offsets"};
  s.what = std::string(names[kind]) + " of " + name_of<T>() + " with " + name_of<V>() +
           (same.text ? " by '" + same.text->name + "'" : "");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_runs<T>(s, n);
    const std::vector<V> y = draw_values<V>(s, kind == 1 ? n : 0);
    std::vector<T> firsts;
    std::vector<V> values;
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || !same.host(x[i - 1], x[i])) {
        firsts.push_back(x[i]);
        if (kind == 1) values.push_back(y[i]);
        lengths.push_back(0);
        offsets.push_back(i);
      }
      ++lengths.back();
    }
    offsets.push_back(n);
    const auto room = [&] {
      return s.one_in(4) ? s.below(firsts.size() + 1) : firsts.size() + 1 + s.below(3);
    };
    place<T> in(s, x), out(s, kind == 3 ? 0 : room());
    place<V> values_in(s, y), values_out(s, kind == 1 ? room() : 0);
    place<std::uint32_t> lengths_out(s, kind == 2 ? room() : 0);
    place<std::uint64_t> offsets_out(s, kind == 3 ? room() : 0), count(s, 1);
    const std::size_t second = kind == 1 ? values_out.size() : kind == 2 ? lengths_out.size() : out.size();
    const std::size_t stored = std::min({firsts.size(), out.size(), second});
    for (std::size_t k = 0; k < stored; ++k) {
      out.expect(k, firsts[k]);
      if (kind == 1) values_out.expect(k, values[k]);
      if (kind == 2) lengths_out.expect(k, lengths[k]);
    }
    offsets_out.expect(offsets);
    const std::vector<held*> operands = {&in, &values_in, &out, &values_out, &lengths_out, &offsets_out};
    const auto choose_call = [&](const auto& queue, const auto& options, const auto&... with_count) {
      if (same.text) {
        const clwave::op& text = *same.text;
        return kind == 0   ? clwave::unique(queue, in.input(), out.elements(), with_count..., text, options)
               : kind == 1 ? clwave::unique_by_key(queue, in.input(), values_in.input(), out.elements(),
                                                   values_out.elements(), with_count..., text, options)
               : kind == 2 ? clwave::run_lengths(queue, in.input(), out.elements(), lengths_out.elements(),
                                                 with_count..., text, options)
                           : clwave::run_offsets(queue, in.input(), offsets_out.elements(), with_count...,
                                                 text, options);
      }
      if constexpr (!std::is_same_v<T, df_triple>) {
        return kind == 0   ? clwave::unique(queue, in.input(), out.elements(), with_count..., options)
               : kind == 1 ? clwave::unique_by_key(queue, in.input(), values_in.input(), out.elements(),
                                                   values_out.elements(), with_count..., options)
               : kind == 2
                   ? clwave::run_lengths(queue, in.input(), out.elements(), lengths_out.elements(),
                                         with_count..., options)
                   : clwave::run_offsets(queue, in.input(), offsets_out.elements(), with_count..., options);
      }
      std::abort();
    };
    if (s.one_in(3)) {
      s.make_blocking(operands, [&](const auto& queue, const auto& options) {
        check_count(s, choose_call(queue, options), firsts);
      });
      continue;
    }
    count.expect(0, firsts.size());
    std::vector<held*> with_count = operands;
    with_count.push_back(&count);
    s.make(with_count, [&](const auto& queue, const auto& options) {
      return choose_call(queue, options, count.elements());
    });
  }
}

}  // namespace

void selections(session& s) {
  if (s.flip()) {
    with_one_of(s, types<float, double, half, std::uint8_t, std::int32_t, std::uint64_t, df_triple>{},
                [&]<class T>(std::type_identity<T>) { choose<T>(s); });
    return;
  }
  with_one_of(s, types<float, double, std::uint8_t, std::int32_t, df_triple>{},
              [&]<class T>(std::type_identity<T>) {
                if (s.flip())
                  find_runs<T, std::uint8_t>(s);
                else
                  find_runs<T, df_triple>(s);
              });
}

}  // namespace differential
