// Random variants of programs, and the key and the spec of one. Each primitive has its own in
// tests/primitives/NAME/shared.cpp.
#pragma once

#include <array>
#include <string>
#include <utility>

#include <clwave/element.hpp>
#include <clwave/op.hpp>

#include "harness/reference.hpp"
#include "program/key.hpp"
#include "program/program.hpp"

namespace testing {

class dice {
 public:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool flip() { return below(2) != 0; }
  template <class T, std::size_t N>
  const T& one_of(const std::array<T, N>& all) {
    return all[below(N)];
  }

 private:
  reference::random_engine random_;
};

// Few values of each, so that many calls differ in one thing alone; texts that fit several places, and join
// to the same text in other pieces.
clwave::element random_element(dice& d);
clwave::op random_op(dice& d);
clwave::map random_map(dice& d);

// What the key of a fold has: elements, what they are accumulated in, an operator and a map.
struct random_fold {
  explicit random_fold(dice& d)
      : value(random_element(d)),
        acc(d.flip() ? value : clwave::element_of<float>()),
        fold(d.flip() ? clwave::plus : random_op(d)),
        apply(d.flip() ? clwave::identity : random_map(d)) {}

  clwave::element value, acc;
  clwave::op fold;
  clwave::map apply;
};

// The key of a variant, and the program that it is for.
using keyed = std::pair<std::string, clwave::detail::program_spec>;

template <class Variant>
keyed keyed_by(const Variant& v) {
  return {clwave::detail::key_of(v), spec_of(v)};
}

// 1 or 2.
inline unsigned one_or_two(dice& d) { return 1u << d.below(2); }

}  // namespace testing
