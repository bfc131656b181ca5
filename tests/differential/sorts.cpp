// Sorts against std::stable_sort: of numbers, by keys that texts make, and of the best elements.
#include "families.hpp"
#include "orders.hpp"

namespace differential {
namespace {

// Where elements and values go, apart or in place.
template <class T>
struct sorted_place {
  sorted_place(session& s, const std::vector<T>& x, bool in_place)
      : in(s, x), out(s, in_place ? 0 : x.size() + s.below(3)), here(in_place) {}
  view<T> elements() const { return here ? in.elements() : out.elements(); }
  void expect(const std::vector<T>& values) { here ? in.expect(values) : out.expect(values); }
  place<T> in, out;
  bool here;
};

template <class T>
std::vector<T> draw_keys(session& s, std::size_t n) {
  if (s.one_in(3)) return draw_values<T>(s, n);
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    if (s.flip()) return testing::shaped_keys(s.random, n, static_cast<unsigned>(s.below(testing::shapes)));
  }
  return testing::any_keys<T>(s.random, n);
}

template <class T, class V>
void sort_numbers(session& s) {
  const std::size_t kind = s.below(3);
  sort_order order = draw_order<T>(s);
  constexpr const char* names[] = {"sort", "sort_by_key", "argsort"};
  s.what = std::string(names[kind]) + " of " + name_of<T>() + (kind == 1 ? " with " + name_of<V>() : "") +
           text_of(order);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_keys<T>(s, n);
    const std::vector<V> y = draw_values<V>(s, kind == 1 ? n : 0);
    const std::vector<std::uint32_t> places = testing::sorted_places(x, order);
    sorted_place<T> keys(s, x, kind != 2 && s.one_in(3));
    if (kind != 2) keys.expect(testing::taken(x, places));
    if (kind == 0) {
      s.make({&keys.in, &keys.out}, [&](const auto& queue, const auto& options) {
        return clwave::sort(queue, keys.in.input(), keys.elements(), testing::given(order, options));
      });
    } else if (kind == 1) {
      sorted_place<V> values(s, y, s.one_in(3));
      values.expect(testing::taken(y, places));
      s.make({&keys.in, &keys.out, &values.in, &values.out}, [&](const auto& queue, const auto& options) {
        return clwave::sort_by_key(queue, keys.in.input(), values.in.input(), keys.elements(),
                                   values.elements(), testing::given(order, options));
      });
    } else {
      place<std::uint32_t> indices(s, n + s.below(3));
      indices.expect(places);
      s.make({&keys.in, &indices}, [&](const auto& queue, const auto& options) {
        return clwave::argsort(queue, keys.in.input(), indices.elements(), testing::given(order, options));
      });
    }
  }
}

// Keys that texts make of elements, with the same on the host.
template <class T>
struct text_key {
  clwave::sort_key key;
  std::function<std::uint64_t(const T&, std::uint64_t)> number;
};

template <class T>
text_key<T> draw_text_key(session& s) {
  const auto made = [&]<class K>(std::type_identity<K>, clwave::map of, auto host) {
    const sort_order order = draw_order<K>(s);
    return text_key<T>{clwave::by<K>(std::move(of), order), [order, host](const T& x, std::uint64_t i) {
                         const unsigned count = order.last_bit.value_or(sizeof(K) * 8) - order.first_bit;
                         if (count == 0) return std::uint64_t{0};
                         return testing::ordered<K>(static_cast<K>(host(x, i)), order.descending) >>
                                    order.first_bit &
                                ~std::uint64_t{0} >> (64 - count);
                       }};
  };
  using clwave::map;
  const bool structure = std::is_class_v<T>;
  const std::string x = structure ? "x.key" : "x";
  const auto key = [](const T& of) {
    if constexpr (std::is_class_v<T>)
      return of.key;
    else
      return of;
  };
  switch (s.below(5)) {
    case 0:
      return made(std::type_identity<std::uint32_t>{}, map{.name = "key", .source = x},
                  [key](const T& of, std::uint64_t) { return key(of); });
    case 1:
      return made(std::type_identity<std::uint8_t>{}, map{.name = "low", .source = "(uint)" + x + " & 15"},
                  [key](const T& of, std::uint64_t) { return static_cast<std::uint32_t>(key(of)) & 15; });
    case 2:
      return made(std::type_identity<float>{}, map{.name = "literal", .source = "(float)" + x + " * 0.1"},
                  [key](const T& of, std::uint64_t) { return static_cast<float>(key(of)) * 0.1f; });
    case 3:
      return made(std::type_identity<double>{}, map{.name = "double", .source = x + " * 0.1"},
                  [key](const T& of, std::uint64_t) { return key(of) * 0.1; });
    default:
      return made(std::type_identity<std::uint32_t>{}, map{.name = "place", .source = "(uint)(i % 5)"},
                  [](const T&, std::uint64_t i) { return static_cast<std::uint32_t>(i % 5); });
  }
}

template <class T>
void sort_by_texts(session& s) {
  const std::size_t kind = s.below(3);
  std::vector<text_key<T>> texts{draw_text_key<T>(s)};
  if (s.one_in(3)) texts.push_back(draw_text_key<T>(s));
  std::vector<clwave::sort_key> keys;
  constexpr const char* names[] = {"sort", "sort_by_key", "argsort"};
  s.what = std::string(names[kind]) + " of " + name_of<T>() + " by keys";
  for (const auto& each : texts) {
    keys.push_back(each.key);
    s.what += " '" + each.key.of.name + "'" + text_of(each.key.order);
  }
  const clwave::key_list list(keys);
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(40000);
    const std::vector<T> x = draw_sortable<T>(s, n);
    std::vector<std::vector<std::uint64_t>> numbers(texts.size());
    for (std::size_t t = 0; t < texts.size(); ++t)
      for (std::size_t i = 0; i < n; ++i) numbers[t].push_back(texts[t].number(x[i], i));
    std::vector<std::uint32_t> places(n);
    std::iota(places.begin(), places.end(), 0u);
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) {
      for (const auto& each : numbers)
        if (each[a] != each[b]) return each[a] < each[b];
      return false;
    });
    sorted_place<T> to(s, x, kind != 2 && s.one_in(3));
    if (kind != 2) to.expect(testing::taken(x, places));
    if (kind == 0) {
      s.make({&to.in, &to.out}, [&](const auto& queue, const auto& options) {
        return clwave::sort(queue, to.in.input(), to.elements(), testing::given(list, options));
      });
    } else if (kind == 1) {
      const std::vector<df_triple> y = draw_values<df_triple>(s, n);
      sorted_place<df_triple> values(s, y, s.one_in(3));
      values.expect(testing::taken(y, places));
      s.make({&to.in, &to.out, &values.in, &values.out}, [&](const auto& queue, const auto& options) {
        return clwave::sort_by_key(queue, to.in.input(), values.in.input(), to.elements(), values.elements(),
                                   testing::given(list, options));
      });
    } else {
      place<std::uint32_t> indices(s, n + s.below(3));
      indices.expect(places);
      s.make({&to.in, &indices}, [&](const auto& queue, const auto& options) {
        return clwave::argsort(queue, to.in.input(), indices.elements(), testing::given(list, options));
      });
    }
  }
}

template <class T>
void take_best(session& s) {
  const clwave::top_k_options order{.descending = s.flip()};
  s.what = std::string("top_k of ") + name_of<T>() + (order.descending ? ", the largest" : ", the least");
  for (unsigned v = 0; s.goes_on(v); ++v) {
    const std::size_t n = s.size(60000);
    const std::size_t k = s.below(4) != 0 ? s.below(std::min<std::size_t>(n, 200) + 1)
                                          : s.below(std::min<std::size_t>(n, 5000) + 1);
    const std::vector<T> x = draw_keys<T>(s, n);
    std::vector<std::uint32_t> places = testing::sorted_places(x, {.descending = order.descending});
    places.resize(k);
    place<T> in(s, x), best(s, k + s.below(3));
    place<std::uint32_t> indices(s, k + s.below(3));
    best.expect(testing::taken(x, places));
    indices.expect(places);
    s.make({&in, &best, &indices}, [&](const auto& queue, const auto& options) {
      return clwave::top_k(queue, in.input(), best.elements(), indices.elements(), k,
                           testing::launched(order, options));
    });
  }
}

}  // namespace

void number_sorts(session& s) {
  with_one_of(s,
              types<float, double, half, bfloat16, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t>{},
              [&]<class T>(std::type_identity<T>) {
                switch (s.below(3)) {
                  case 0:
                    return sort_numbers<T, std::uint8_t>(s);
                  case 1:
                    return sort_numbers<T, df_triple>(s);
                  default:
                    return sort_numbers<T, std::uint64_t>(s);
                }
              });
}

void key_sorts(session& s) {
  with_one_of(s, types<std::uint32_t, df_triple, df_pair>{},
              [&]<class T>(std::type_identity<T>) { sort_by_texts<T>(s); });
}

void top_ks(session& s) {
  with_one_of(s, types<float, double, half, std::uint8_t, std::int32_t, std::uint64_t>{},
              [&]<class T>(std::type_identity<T>) { take_best<T>(s); });
}

}  // namespace differential
