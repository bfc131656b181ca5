// Reductions against plain loops in the order that reduce.hpp promises.
#include "families.hpp"
#include "folds.hpp"

namespace differential {
namespace {

// The fold of n mapped elements; the identity of none.
template <class T, class A>
A folded_by(const operation<A>& fold, const mapping<T, A>& apply, const std::vector<T>& x) {
  if (x.empty()) return *fold.identity;
  return canonical_of(reference::fold_reference<A>(
      x.size(), [&](std::size_t i) { return apply.host(x[i], i); }, fold.host, !fold.text.commutative));
}

template <class A>
void check_value(session& s, const A& got, const A& right, std::size_t n) {
  if (!reference::same_bits(got, right))
    s.found("of " + std::to_string(n) + " elements: " + reference::show_bits(got) + " instead of " +
            reference::show_bits(right));
}

template <class T, class A>
void reduce_elements(session& s) {
  const operation<A> fold = draw_operation<A>(s);
  const mapping<T, A> apply = draw_mapping<T, A>(s, fold);
  s.what = describe<folded<T, A>>("transform_reduce", fold.text, apply.text);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    std::size_t n = s.size();
    if (!fold.identity) n = std::max<std::size_t>(n, 1);
    const std::vector<T> x = draw_values<T>(s, n);
    place<T> in(s, x);
    const A right = folded_by(fold, apply, x);
    switch (s.below(3)) {
      case 0: {
        place<A> out(s, 1 + s.below(3));
        out.expect(0, right);
        s.make({&in, &out}, [&](const auto& queue, const auto& options) {
          return clwave::transform_reduce(queue, in.input(), out.elements(), fold.text, apply.text, options);
        });
        break;
      }
      case 1:
        s.make_blocking({&in}, [&](const auto& queue, const auto& options) {
          check_value<A>(s, clwave::transform_reduce<A>(queue, in.input(), fold.text, apply.text, options),
                         right, n);
        });
        break;
      default:
        s.make({&in}, [&](const auto& queue, const auto& options) {
          auto later = clwave::transform_reduce_async<A>(queue, in.input(), fold.text, apply.text, options);
          s.behind = [&s, later = std::make_shared<decltype(later)>(std::move(later)), right, n] {
            check_value<A>(s, later->get(), right, n);
          };
          return clwave::event();
        });
    }
  }
}

template <class T>
void dot_products(session& s) {
  using A = clwave::detail::accumulator_of<void, T>;
  s.what = "dot of " + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size();
    const std::vector<T> x = draw_values<T>(s, n), y = draw_values<T>(s, n);
    place<T> a(s, x), b(s, y);
    const A right = n == 0 ? A(0)
                           : canonical_of(reference::fold_reference<A>(
                                 n,
                                 [&](std::size_t i) {
                                   return reference::wrapping_times<A>(static_cast<A>(number(x[i])),
                                                                       static_cast<A>(number(y[i])));
                                 },
                                 reference::wrapping_plus<A>, false));
    s.make_blocking({&a, &b}, [&](const auto& queue, const auto& options) {
      check_value<A>(s, clwave::dot(queue, a.input(), b.input(), options), right, n);
    });
  }
}

template <class T>
void extremes(session& s) {
  using N = clwave::detail::widened<T>;
  const bool least = s.flip();
  s.what = (least ? "argmin of " : "argmax of ") + name_of<T>();
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = std::max<std::size_t>(s.size(), 1);
    const std::vector<T> x = draw_values<T>(s, n);
    place<T> in(s, x);
    const auto right = extreme<N>(
        n, [&](std::size_t i) { return static_cast<N>(number(x[i])); }, least);
    s.make_blocking({&in}, [&](const auto& queue, const auto& options) {
      const auto got =
          least ? clwave::argmin(queue, in.input(), options) : clwave::argmax(queue, in.input(), options);
      check_value<N>(s, got.value, right.value, n);
      check_value<std::uint64_t>(s, got.index, right.index, n);
    });
  }
}

}  // namespace

void reductions(session& s) {
  switch (s.below(6)) {
    case 0:
      with_one_of(s, types<float, double, half, std::int32_t, std::uint8_t>{},
                  [&]<class T>(std::type_identity<T>) { dot_products<T>(s); });
      break;
    case 1:
      with_one_of(s, types<float, double, half, std::int32_t, std::uint8_t, std::uint64_t>{},
                  [&]<class T>(std::type_identity<T>) { extremes<T>(s); });
      break;
    default:
      with_one_of(s, fold_types{}, [&]<class P>(std::type_identity<P>) {
        reduce_elements<typename P::element, typename P::accumulator>(s);
      });
  }
}

}  // namespace differential
