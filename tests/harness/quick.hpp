// The quick run, which the environment's CLWAVE_TEST_QUICK asks for (tools/test sets it unless all is to
// run): test cases run with fewer of their types and rows, others each time. Where it is 2, the quickest run,
// drivers' compilers that are slow to optimise do not. CLWAVE_TEST_CASES leaves out whole cases (main.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "harness/reference.hpp"

namespace testing {

inline int asked_for_quick() {
  static const char* const asked_for = std::getenv("CLWAVE_TEST_QUICK");
  return asked_for == nullptr ? 0 : std::atoi(asked_for);
}
inline bool quick() { return asked_for_quick() > 0; }
inline bool quickest() { return asked_for_quick() > 1; }

// Which ones of a sequence a case takes: all of them, or one of so many where the run is quick, beginning
// anywhere in the first ones.
class sample {
 public:
  explicit sample(std::size_t one_of) : one_of_(quick() ? one_of : 1), at_(random_.below(one_of_)) {}
  bool takes_next() { return at_++ % one_of_ == 0; }

 private:
  reference::random_engine random_;
  std::size_t one_of_;
  std::size_t at_;
};

// What a case takes of a list, of rows for the most part: all of it, or one where the run is quick.
template <class T>
std::vector<T> some_of(std::initializer_list<T> all) {
  std::vector<T> taken;
  sample some(all.size());
  std::copy_if(all.begin(), all.end(), std::back_inserter(taken),
               [&](const T& /*each*/) { return some.takes_next(); });
  return taken;
}

}  // namespace testing
