// Folds of rows, columns and segments against plain loops: each has the bits of a reduction of its own.
#include "families.hpp"
#include "folds.hpp"

namespace differential {
namespace {

// Matrices in a buffer.
struct arrangement {
  clwave::matrices size;
  clwave::pitches steps;
  std::size_t row_pitch() const { return steps.row != 0 ? steps.row : size.columns; }
  std::size_t slice_pitch() const { return steps.slice != 0 ? steps.slice : row_pitch() * size.rows; }
  std::size_t at(std::size_t b, std::size_t r, std::size_t c) const {
    return b * slice_pitch() + r * row_pitch() + c;
  }
  std::size_t elements() const {
    return size.batch * size.rows * size.columns == 0
               ? 0
               : at(size.batch - 1, size.rows - 1, size.columns - 1) + 1;
  }
};

arrangement draw_arrangement(session& s) {
  arrangement a;
  const std::size_t kind = s.below(5);
  std::size_t& rows = a.size.rows;
  std::size_t& columns = a.size.columns;
  rows = 1 + s.below(kind == 0 ? 3 : kind == 1 ? 2000 : 60);
  columns = s.below(kind == 0 ? 20000 : kind == 1 ? 10 : 400);
  if (s.one_in(4)) std::swap(rows, columns);
  if (s.one_in(3)) {
    a.size.batch = 1 + s.below(4);
    rows = 1 + rows / a.size.batch;
  }
  if (s.flip()) a.steps.row = columns + s.below(20);
  if (a.size.batch > 1 && s.flip()) a.steps.slice = a.row_pitch() * rows + s.below(30);
  return a;
}

clwave::matrix_options options_of(const clwave::pitches& steps) {
  return {.row = steps.row, .slice = steps.slice};
}

template <class T, class A>
void fold_matrices(session& s, bool by_rows) {
  const operation<A> fold = draw_operation<A>(s);
  const mapping<T, A> apply = draw_mapping<T, A>(s, fold);
  s.what = describe<folded<T, A>>(by_rows ? "reduce_rows" : "reduce_columns", fold.text, apply.text);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    arrangement a = draw_arrangement(s);
    if (!fold.identity) {
      a.size.rows = std::max<std::size_t>(a.size.rows, 1);
      a.size.columns = std::max<std::size_t>(a.size.columns, 1);
    }
    const std::size_t n = a.elements();
    const std::vector<T> x = draw_values<T>(s, n);
    const std::size_t each = by_rows ? a.size.rows : a.size.columns,
                      length = by_rows ? a.size.columns : a.size.rows;
    place<T> in(s, x);
    place<A> out(s, each * a.size.batch + s.below(3));
    for (std::size_t k = 0; k < each * a.size.batch; ++k) {
      const std::size_t b = k / each, line = k % each;
      const auto at = [&](std::size_t i) { return by_rows ? a.at(b, line, i) : a.at(b, i, line); };
      out.expect(k, length == 0 ? *fold.identity
                                : canonical_of(reference::fold_reference<A>(
                                      length, [&](std::size_t i) { return apply.host(x[at(i)], i); },
                                      fold.host, !fold.text.commutative)));
    }
    s.make({&in, &out}, [&](const auto& queue, const auto& options) {
      return by_rows
                 ? clwave::transform_reduce_rows(queue, in.input(), out.elements(), a.size, fold.text,
                                                 apply.text, testing::launched(options_of(a.steps), options))
                 : clwave::transform_reduce_columns(queue, in.input(), out.elements(), a.size, fold.text,
                                                    apply.text,
                                                    testing::launched(options_of(a.steps), options));
    });
  }
}

template <class T>
void matrix_extremes(session& s, bool by_rows) {
  using N = clwave::detail::widened<T>;
  const bool least = s.flip();
  s.what = std::string(least ? "argmin" : "argmax") + (by_rows ? "_rows of " : "_columns of ") + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    arrangement a = draw_arrangement(s);
    a.size.columns = std::max<std::size_t>(a.size.columns, 1);
    const std::vector<T> x = draw_values<T>(s, a.elements());
    const std::size_t each = by_rows ? a.size.rows : a.size.columns,
                      length = by_rows ? a.size.columns : a.size.rows;
    place<T> in(s, x);
    place<clwave::indexed<N>> out(s, each * a.size.batch);
    std::vector<clwave::indexed<N>> right;
    for (std::size_t k = 0; k < each * a.size.batch; ++k) {
      const std::size_t b = k / each, line = k % each;
      right.push_back(extreme<N>(
          length,
          [&](std::size_t i) {
            return static_cast<N>(number(x[by_rows ? a.at(b, line, i) : a.at(b, i, line)]));
          },
          least));
    }
    out.judge = judge_extremes<N>(right, std::vector<bool>(right.size(), true));
    s.make({&in, &out}, [&](const auto& queue, const auto& options) {
      if (by_rows)
        return least ? clwave::argmin_rows(queue, in.input(), out.elements(), a.size,
                                           testing::launched(options_of(a.steps), options))
                     : clwave::argmax_rows(queue, in.input(), out.elements(), a.size,
                                           testing::launched(options_of(a.steps), options));
      return least ? clwave::argmin_columns(queue, in.input(), out.elements(), a.size,
                                            testing::launched(options_of(a.steps), options))
                   : clwave::argmax_columns(queue, in.input(), out.elements(), a.size,
                                            testing::launched(options_of(a.steps), options));
    });
  }
}

// Which segments are bad: those that a call does not fold.
template <class Offset>
std::vector<bool> bad_segments(const std::vector<Offset>& offsets, std::size_t n, bool has_identity) {
  bool any_falls = false;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) any_falls |= offsets[k] > offsets[k + 1];
  std::vector<bool> bad;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    const bool falls = offsets[k] > offsets[k + 1], past = offsets[k + 1] > n;
    const bool empty = offsets[k] == offsets[k + 1];
    bad.push_back(falls || past || (empty && !has_identity) ||
                  (any_falls && !falls && offsets[k + 1] - offsets[k] > clwave::fold_tile));
  }
  return bad;
}

template <class T, class A, class Offset>
void fold_segments(session& s) {
  const operation<A> fold = draw_operation<A>(s);
  const mapping<T, A> apply = draw_mapping<T, A>(s, fold);
  const bool counts = s.flip();
  s.what = describe<folded<T, A>>("segmented_reduce", fold.text, apply.text) + ", offsets " +
           name_of<Offset>() + (counts ? ", bad ones counted" : "");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_values<T>(s, n);
    const std::vector<Offset> offsets = draw_offsets<Offset>(s, n, true);
    const std::size_t segments = offsets.size() - 1;
    place<T> in(s, x);
    place<Offset> at(s, offsets);
    place<A> out(s, segments + s.below(3));
    place<std::uint64_t> bad(s, 1);
    const std::vector<bool> is_bad = bad_segments(offsets, n, fold.identity.has_value());
    for (std::size_t k = 0; k < segments; ++k) {
      const std::size_t begin = offsets[k], length = is_bad[k] ? 0 : offsets[k + 1] - begin;
      if (length > 0) {
        out.expect(k, canonical_of(reference::fold_reference<A>(
                          length, [&](std::size_t i) { return apply.host(x[begin + i], i); }, fold.host,
                          !fold.text.commutative)));
      } else if (fold.identity) {
        out.expect(k, *fold.identity);
      }
    }
    if (counts) bad.expect(0, static_cast<std::uint64_t>(std::count(is_bad.begin(), is_bad.end(), true)));
    s.make({&in, &at, &out, &bad}, [&](const auto& queue, const auto& options) {
      return counts ? clwave::transform_segmented_reduce(queue, in.input(), at.input(), out.elements(),
                                                         bad.elements(), fold.text, apply.text, options)
                    : clwave::transform_segmented_reduce(queue, in.input(), at.input(), out.elements(),
                                                         fold.text, apply.text, options);
    });
  }
}

template <class T>
void segment_extremes(session& s) {
  using N = clwave::detail::widened<T>;
  const bool least = s.flip();
  s.what = std::string(least ? "segmented_argmin of " : "segmented_argmax of ") + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_values<T>(s, n);
    const std::vector<std::uint64_t> offsets = draw_offsets<std::uint64_t>(s, n, true);
    place<T> in(s, x);
    place<std::uint64_t> at(s, offsets);
    place<clwave::indexed<N>> out(s, offsets.size() - 1);
    std::vector<bool> known;
    std::vector<clwave::indexed<N>> right;
    for (const bool is_bad : bad_segments(offsets, n, false)) {
      const std::size_t k = known.size(), begin = offsets[k];
      known.push_back(!is_bad);
      right.push_back(is_bad
                          ? clwave::indexed<N>{}
                          : extreme<N>(
                                offsets[k + 1] - begin,
                                [&](std::size_t i) { return static_cast<N>(number(x[begin + i])); }, least));
    }
    out.judge = judge_extremes<N>(right, known);
    s.make({&in, &at, &out}, [&](const auto& queue, const auto& options) {
      return least ? clwave::segmented_argmin(queue, in.input(), at.input(), out.elements(), options)
                   : clwave::segmented_argmax(queue, in.input(), at.input(), out.elements(), options);
    });
  }
}

}  // namespace

void matrix_folds(session& s) {
  const bool by_rows = s.flip();
  if (s.one_in(5)) {
    with_one_of(s, types<float, half, std::int32_t, std::uint8_t>{},
                [&]<class T>(std::type_identity<T>) { matrix_extremes<T>(s, by_rows); });
    return;
  }
  with_one_of(s, fold_types{}, [&]<class P>(std::type_identity<P>) {
    fold_matrices<typename P::element, typename P::accumulator>(s, by_rows);
  });
}

void segment_folds(session& s) {
  if (s.one_in(5)) {
    with_one_of(s, types<float, half, std::int32_t, double>{},
                [&]<class T>(std::type_identity<T>) { segment_extremes<T>(s); });
    return;
  }
  with_one_of(s, fold_types{}, [&]<class P>(std::type_identity<P>) {
    using T = typename P::element;
    using A = typename P::accumulator;
    if (s.flip())
      fold_segments<T, A, std::uint64_t>(s);
    else
      fold_segments<T, A, std::uint32_t>(s);
  });
}

}  // namespace differential
