// Scans, scans of segments and folds by keys against plain loops in the order that scan.hpp promises.
#include "families.hpp"
#include "folds.hpp"

#include "families/scan_reference.hpp"

namespace differential {
namespace {

// A scan's text, kind and start value.
template <class T, class A>
struct scan_case {
  operation<A> fold;
  mapping<T, A> apply;
  bool exclusive = false, started = false;
  std::optional<A> start;
  clwave::scan_options<A> how() const { return {.start = start}; }

  // The results of elements that are scanned alone, of which `at` gives the one at a place.
  template <class At>
  std::vector<A> results(std::size_t n, const At& at) const {
    std::vector<A> all = reference::scan_reference<A>(
        n, [&](std::size_t i) { return apply.host(at(i), i); }, fold.host, exclusive, start,
        fold.identity.value_or(A{}));
    for (A& each : all) each = canonical_of(each);
    return all;
  }
};

template <class T, class A>
scan_case<T, A> draw_scan(session& s, const std::string& call) {
  scan_case<T, A> c;
  c.fold = draw_operation<A>(s);
  c.apply = draw_mapping<T, A>(s, c.fold);
  c.exclusive = s.flip();
  c.started = s.one_in(3) || (c.exclusive && !c.fold.identity);
  if (c.started) {
    c.start = draw_values<A>(s, 1)[0];
    if (c.fold.of_truth) c.start = static_cast<A>(c.fold.identity.value_or(A{}));
  }
  s.what =
      describe<folded<T, A>>((c.exclusive ? "exclusive " : "inclusive ") + call, c.fold.text, c.apply.text) +
      (c.started ? ", started" : "");
  return c;
}

// Where results go: apart, or in the elements' place where these are of their type.
template <class T, class A>
struct outputs {
  outputs(session& s, const std::vector<T>& x, bool in_place) : in(s, x), out(s, in_place ? 0 : x.size()) {
    here = in_place;
  }
  view<A> elements() const {
    if constexpr (std::is_same_v<T, A>) {
      if (here) return in.elements();
    }
    return out.elements();
  }
  void expect(std::size_t i, const A& value) {
    if constexpr (std::is_same_v<T, A>) {
      if (here) return in.expect(i, value);
    }
    out.expect(i, value);
  }
  place<T> in;
  place<A> out;
  bool here;
};

template <class T, class A>
void scan_elements(session& s) {
  const auto c = draw_scan<T, A>(s, "scan");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_values<T>(s, n);
    outputs<T, A> to(s, x, std::is_same_v<T, A> && s.one_in(3));
    const std::vector<A> right = c.results(n, [&](std::size_t i) -> const T& { return x[i]; });
    for (std::size_t i = 0; i < n; ++i) to.expect(i, right[i]);
    s.make({&to.in, &to.out}, [&](const auto& queue, const auto& options) {
      return c.exclusive
                 ? clwave::transform_exclusive_scan(queue, to.in.input(), to.elements(), c.fold.text,
                                                    c.apply.text, testing::launched(c.how(), options))
                 : clwave::transform_inclusive_scan(queue, to.in.input(), to.elements(), c.fold.text,
                                                    c.apply.text, testing::launched(c.how(), options));
    });
  }
}

template <class T, class A, class Offset>
void scan_segments(session& s) {
  const auto c = draw_scan<T, A>(s, "segmented scan");
  const bool counts = s.flip();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_values<T>(s, n);
    const std::vector<Offset> offsets = draw_offsets<Offset>(s, n, true);
    outputs<T, A> to(s, x, std::is_same_v<T, A> && s.one_in(3));
    place<Offset> at(s, offsets);
    place<std::uint64_t> bad(s, 1);
    std::uint64_t n_bad = 0;
    const bool rises = std::is_sorted(offsets.begin(), offsets.end());
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
      const std::size_t begin = offsets[k], end = offsets[k + 1];
      const bool is_bad = begin > end || end > n;
      n_bad += is_bad ? 1 : 0;
      if (is_bad || !rises) continue;
      const std::vector<A> right =
          c.results(end - begin, [&](std::size_t i) -> const T& { return x[begin + i]; });
      for (std::size_t i = 0; i < right.size(); ++i) to.expect(begin + i, right[i]);
    }
    // Without elements or segments nothing is launched.
    if (counts) bad.expect(0, n_bad);
    s.make({&to.in, &to.out, &at, &bad}, [&](const auto& queue, const auto& options) {
      const auto in = to.in.input();
      const auto out = to.elements();
      if (counts)
        return c.exclusive
                   ? clwave::transform_segmented_exclusive_scan(queue, in, at.input(), out, bad.elements(),
                                                                c.fold.text, c.apply.text,
                                                                testing::launched(c.how(), options))
                   : clwave::transform_segmented_inclusive_scan(queue, in, at.input(), out, bad.elements(),
                                                                c.fold.text, c.apply.text,
                                                                testing::launched(c.how(), options));
      return c.exclusive ? clwave::transform_segmented_exclusive_scan(queue, in, at.input(), out, c.fold.text,
                                                                      c.apply.text,
                                                                      testing::launched(c.how(), options))
                         : clwave::transform_segmented_inclusive_scan(queue, in, at.input(), out, c.fold.text,
                                                                      c.apply.text,
                                                                      testing::launched(c.how(), options));
    });
  }
}

// When two neighbouring keys are equal: by == or by a text.
template <class K>
struct equality {
  std::optional<clwave::op> text;
  std::function<bool(const K&, const K&)> host;
};

template <class K>
equality<K> draw_equality(session& s) {
  using clwave::op;
  if constexpr (std::is_same_v<K, df_triple>) {
    return {op{.name = "same key", .source = "a.key == b.key"},
            [](const K& a, const K& b) { return a.key == b.key; }};
  } else {
    std::vector<equality<K>> all;
    all.push_back({{}, [](const K& a, const K& b) { return a == b; }});
    all.push_back(
        {op{.name = "falls not", .source = "a <= b"}, [](const K& a, const K& b) { return a <= b; }});
    if constexpr (std::is_integral_v<K>)
      all.push_back({op{.name = "same quarter", .source = "(a >> 2) == (b >> 2)"},
                     [](const K& a, const K& b) { return (a >> 2) == (b >> 2); }});
    return s.one_of(all);
  }
}

// Keys in runs of any length.
template <class K>
std::vector<K> keys_of_runs(session& s, std::size_t n) {
  std::vector<K> keys(n);
  const std::size_t longest = s.flip() ? 1 + s.below(4) : s.flip() ? 1 + s.below(300) : 1 + s.below(n + 1);
  const std::size_t few = 1 + s.below(9);
  for (std::size_t k = 0; k < n;) {
    K key{};
    if constexpr (std::is_same_v<K, df_triple>)
      key.key = static_cast<std::uint32_t>(s.below(few));
    else if constexpr (std::is_floating_point_v<K>)
      key = s.one_in(50) ? std::numeric_limits<K>::quiet_NaN() : static_cast<K>(s.below(few));
    else
      key = static_cast<K>(s.below(few));
    for (std::size_t run = 1 + s.below(longest); run > 0 && k < n; --run, ++k) {
      if constexpr (std::is_same_v<K, df_triple>) key.index = static_cast<std::uint32_t>(k);
      keys[k] = key;
    }
  }
  return keys;
}

// Where runs begin, and the end.
template <class K>
std::vector<std::size_t> runs_of(const std::vector<K>& keys, const equality<K>& same) {
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (k == 0 || !same.host(keys[k - 1], keys[k])) begins.push_back(k);
  begins.push_back(keys.size());
  return begins;
}

template <class T, class A, class K>
void scan_by_keys(session& s) {
  const auto c = draw_scan<T, A>(s, "scan by key");
  const equality<K> same = draw_equality<K>(s);
  s.what += ", keys " + name_of<K>() + (same.text ? " by '" + same.text->name + "'" : "");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_values<T>(s, n);
    const std::vector<K> k = keys_of_runs<K>(s, n);
    outputs<T, A> to(s, x, std::is_same_v<T, A> && s.one_in(3));
    place<K> keys(s, k);
    const std::vector<std::size_t> begins = runs_of(k, same);
    for (std::size_t run = 0; run + 1 < begins.size(); ++run) {
      const std::size_t begin = begins[run];
      const auto right =
          c.results(begins[run + 1] - begin, [&](std::size_t i) -> const T& { return x[begin + i]; });
      for (std::size_t i = 0; i < right.size(); ++i) to.expect(begin + i, right[i]);
    }
    s.make({&keys, &to.in, &to.out}, [&](const auto& queue, const auto& options) {
      const auto in = to.in.input();
      const auto out = to.elements();
      if (same.text)
        return c.exclusive ? clwave::transform_exclusive_scan_by_key(queue, keys.input(), in, out,
                                                                     c.fold.text, c.apply.text, *same.text,
                                                                     testing::launched(c.how(), options))
                           : clwave::transform_inclusive_scan_by_key(queue, keys.input(), in, out,
                                                                     c.fold.text, c.apply.text, *same.text,
                                                                     testing::launched(c.how(), options));
      return c.exclusive
                 ? clwave::transform_exclusive_scan_by_key(queue, keys.input(), in, out, c.fold.text,
                                                           c.apply.text, testing::launched(c.how(), options))
                 : clwave::transform_inclusive_scan_by_key(queue, keys.input(), in, out, c.fold.text,
                                                           c.apply.text, testing::launched(c.how(), options));
    });
  }
}

template <class T, class A, class K>
void reduce_by_keys(session& s) {
  const operation<A> fold = draw_operation<A>(s);
  const mapping<T, A> apply = draw_mapping<T, A>(s, fold);
  const equality<K> same = draw_equality<K>(s);
  s.what = describe<folded<T, A>>("reduce_by_key", fold.text, apply.text) + ", keys " + name_of<K>() +
           (same.text ? " by '" + same.text->name + "'" : "");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_values<T>(s, n);
    const std::vector<K> k = keys_of_runs<K>(s, n);
    const std::vector<std::size_t> begins = runs_of(k, same);
    const std::size_t runs = begins.size() - 1;
    const auto room = [&] { return s.one_in(4) ? s.below(runs + 1) : runs + s.below(3); };
    place<T> in(s, x);
    place<K> keys(s, k), keys_out(s, room());
    place<A> out(s, room());
    place<std::uint64_t> count(s, 1);
    const std::size_t stored = std::min({runs, keys_out.size(), out.size()});
    for (std::size_t run = 0; run < stored; ++run) {
      const std::size_t begin = begins[run];
      keys_out.expect(run, k[begin]);
      out.expect(run, canonical_of(reference::fold_reference<A>(
                          begins[run + 1] - begin, [&](std::size_t i) { return apply.host(x[begin + i], i); },
                          fold.host, !fold.text.commutative)));
    }
    if (s.one_in(3)) {
      s.make_blocking({&keys, &in, &keys_out, &out}, [&](const auto& queue, const auto& options) {
        const std::uint64_t got =
            same.text
                ? clwave::transform_reduce_by_key(queue, keys.input(), in.input(), keys_out.elements(),
                                                  out.elements(), fold.text, apply.text, *same.text, options)
                : clwave::transform_reduce_by_key(queue, keys.input(), in.input(), keys_out.elements(),
                                                  out.elements(), fold.text, apply.text, options);
        if (got != runs) s.found(std::to_string(got) + " runs instead of " + std::to_string(runs));
      });
      continue;
    }
    count.expect(0, runs);
    s.make({&keys, &in, &keys_out, &out, &count}, [&](const auto& queue, const auto& options) {
      return same.text ? clwave::transform_reduce_by_key(queue, keys.input(), in.input(), keys_out.elements(),
                                                         out.elements(), count.elements(), fold.text,
                                                         apply.text, *same.text, options)
                       : clwave::transform_reduce_by_key(queue, keys.input(), in.input(), keys_out.elements(),
                                                         out.elements(), count.elements(), fold.text,
                                                         apply.text, options);
    });
  }
}

using keyed_types = types<folded<float, float>, folded<double, double>, folded<half, float>,
                          folded<std::int32_t, std::int32_t>, folded<std::uint8_t, std::uint32_t>,
                          folded<affine, affine>, folded<df_text, df_text>, folded<df_weighted, df_weighted>>;

template <class T, class A, class K>
void by_keys(session& s) {
  if (s.flip())
    scan_by_keys<T, A, K>(s);
  else
    reduce_by_keys<T, A, K>(s);
}

}  // namespace

void scans(session& s) {
  with_one_of(s, fold_types{}, [&]<class P>(std::type_identity<P>) {
    scan_elements<typename P::element, typename P::accumulator>(s);
  });
}

void segment_scans(session& s) {
  with_one_of(s, keyed_types{}, [&]<class P>(std::type_identity<P>) {
    using T = typename P::element;
    using A = typename P::accumulator;
    if (s.flip())
      scan_segments<T, A, std::uint64_t>(s);
    else
      scan_segments<T, A, std::uint32_t>(s);
  });
}

void keyed_folds(session& s) {
  with_one_of(s, keyed_types{}, [&]<class P>(std::type_identity<P>) {
    using T = typename P::element;
    using A = typename P::accumulator;
    switch (s.below(5)) {
      case 0:
        return by_keys<T, A, std::uint8_t>(s);
      case 1:
        return by_keys<T, A, double>(s);
      case 2:
        return by_keys<T, A, df_triple>(s);
      case 3:
        return by_keys<T, A, float>(s);
      default:
        return by_keys<T, A, std::uint32_t>(s);
    }
  });
}

}  // namespace differential
