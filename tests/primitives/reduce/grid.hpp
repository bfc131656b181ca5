// The cases of the correctness grid and how one row of it is checked: a call under every profile's program,
// of every size at every offset, with guards around each result.
#pragma once

#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

// Around a lane set, a group's columns, a row, a tile, a few tiles.
inline constexpr std::size_t sizes[] = {1,    2,    3,    4,    5,    7,    8,     9,     15,
                                        17,   31,   32,   33,   63,   64,   65,    127,   128,
                                        129,  255,  257,  511,  1000, 1023, 1024,  1025,  2047,
                                        4095, 5003, 8191, 8192, 8193, 9216, 16385, 40961, 73729};
// On a packet's boundary and off it, by every distance that matters.
inline constexpr std::size_t offsets[] = {0, 1, 2, 3, 4, 7, 16};
inline constexpr std::size_t longest = 73729 + 16;

// How an output lies: guard elements on either side, never the same place in two cases.
inline constexpr std::size_t stride = 3;
inline constexpr unsigned char poison = 0xa5;

struct tally {
  std::size_t cases = 0, wrong = 0, programs = 0, shared = 0, turns = 0;
};

// One row of the grid: a call without its size and place.
template <class T, class Acc>
struct row {
  std::string name;
  clwave::op fold;
  clwave::map apply = clwave::identity;
  std::function<Acc(T, T, u64)> lift = {};
  std::function<Acc(Acc, Acc)> combine = {};
  bool two_inputs = false;
};

class grid {
 public:
  grid(unsigned part, unsigned parts, bool all_profiles, std::string_view start)
      : part_(part), parts_(parts), all_profiles_(all_profiles), turns_(start.empty() && !all_profiles) {
    for (const clwave::profile& p : clwave::profiles()) {
      if (p.name.starts_with(start)) profiles_.push_back(&p);
    }
  }

  template <class T, class Acc>
  void check(const row<T, Acc>& r, const std::vector<T>& data) {
    if (next_++ % parts_ != part_) return;
    const std::vector<T>& second = data;  // the same values, seen one element later
    const cl::Buffer in = on_.buffer_of(data);

    // What every case must give, once for all profiles.
    std::vector<Acc> expected;
    for (const std::size_t offset : offsets) {
      for (const std::size_t n : sizes) {
        expected.push_back(canonical(reference::fold_reference<Acc>(
            n,
            [&](std::size_t i) {
              return r.lift(data[offset + i], r.two_inputs ? second[offset + 1 + i] : T{}, i);
            },
            r.combine, !r.fold.commutative)));
      }
    }

    std::set<std::string> seen;
    for (const clwave::profile* p : profiles_) {
      const forced_profile forced{std::string(p->name)};
      if (!all_profiles_ && !seen.insert(options_of(r)).second) {
        ++total_.shared;
        continue;
      }
      // Narrow lane sets differ from one another in one number: they take turns, row by row.
      if (turns_ && p->lanes > 1 && p->lanes < 32 && (next_ / parts_ + seen.size()) % 3 != 0) {
        ++total_.turns;
        continue;
      }
      ++total_.programs;
      run(r, in, expected, p->name);
    }
    std::printf("%-28s %zu cases, %zu wrong so far\n", r.name.c_str(), total_.cases, total_.wrong);
    std::fflush(stdout);
  }

  // Sums of a few long inputs, under each profile's program.
  template <class T, class Acc>
  void check_lengths(const std::string& name, const std::vector<std::size_t>& lengths) {
    if (next_++ % parts_ != part_) return;
    std::vector<T> data(lengths.back());
    for (T& x : data) x = static_cast<T>(random_());
    const cl::Buffer in = on_.buffer_of(data);
    std::vector<Acc> expected;
    expected.reserve(lengths.size());
    for (const std::size_t n : lengths) {
      expected.push_back(reference::fold_reference<Acc>(
          n, [&](std::size_t i) { return static_cast<Acc>(data[i]); }, reference::wrapping_plus<Acc>, false));
    }
    std::set<std::string> seen;
    for (const clwave::profile* p : profiles_) {
      const forced_profile forced{std::string(p->name)};
      if (!all_profiles_ &&
          !seen.insert(options_of(row<T, Acc>{.name = name, .fold = clwave::plus})).second) {
        ++total_.shared;
        continue;
      }
      ++total_.programs;
      for (std::size_t k = 0; k < lengths.size(); ++k) {
        ++total_.cases;
        const Acc got = clwave::reduce<Acc>(on_.queue, clwave::view<T>(in, lengths[k]));
        if (same_bits(got, expected[k])) continue;
        ++total_.wrong;
        std::printf("WRONG %s, profile %s, n %zu: %s, expected %s; %s\n", name.c_str(), p->name.data(),
                    lengths[k], reference::show_bits(got).c_str(), reference::show_bits(expected[k]).c_str(),
                    random_.note().c_str());
      }
    }
    std::printf("%-28s %zu cases, %zu wrong so far\n", name.c_str(), total_.cases, total_.wrong);
    std::fflush(stdout);
  }

  const tally& total() const { return total_; }
  random_engine& random() { return random_; }
  bool has_doubles() const { return on_.has_doubles(); }

 private:
  // The option lines of a call's programs under the profile in force: with them, equal means the same.
  template <class T, class Acc>
  std::string options_of(const row<T, Acc>& r) const {
    clwave::plan_target on;
    on.facts = &on_.facts;
    on.choice = clwave::choose_profile(on_.facts);
    std::string lines;
    for (const bool misaligned : {false, true}) {
      clwave::reduce_problem problem{
          {element_of<T>(), sizes[0], misaligned ? 1u : 0u}, &element_of<Acc>(), &r.fold, &r.apply};
      if (r.two_inputs) problem.in2 = problem.in;
      const call_plan planned = plan(problem, on);
      lines += planned.options + "\n";
    }
    return lines;
  }

  template <class T, class Acc>
  void run(const row<T, Acc>& r, const cl::Buffer& in, const std::vector<Acc>& expected,
           std::string_view profile) {
    const std::vector<unsigned char> before((stride * expected.size() + 1) * sizeof(Acc), poison);
    const cl::Buffer out = on_.buffer_of(before);
    std::size_t place = 0;
    for (const std::size_t offset : offsets) {
      for (const std::size_t n : sizes) {
        const clwave::view<T> x(in, n, offset);
        const clwave::view<Acc> result(out, 1, stride * place + 1);
        if (r.two_inputs) {
          const clwave::view<T> y(in, n, offset + 1);
          clwave::transform_reduce(on_.queue, clwave::zip(x, y), result, r.fold, r.apply);
        } else {
          clwave::transform_reduce(on_.queue, x, result, r.fold, r.apply);
        }
        ++place;
      }
    }
    const auto after = on_.read<unsigned char>(out, before.size());
    for (place = 0; place < expected.size(); ++place) {
      ++total_.cases;
      const unsigned char* slot = after.data() + (stride * place + 1) * sizeof(Acc);
      Acc got;
      std::memcpy(&got, slot, sizeof(Acc));
      const bool guarded = std::memcmp(slot - sizeof(Acc), before.data(), sizeof(Acc)) == 0 &&
                           std::memcmp(slot + sizeof(Acc), before.data(), sizeof(Acc)) == 0;
      if (guarded && same_bits(got, expected[place])) continue;
      if (++total_.wrong > 20) continue;  // enough to see what is wrong
      const std::size_t n_sizes = std::size(sizes);
      std::printf("WRONG %s, profile %.*s, n %zu, offset %zu: %s, expected %s%s; %s\n", r.name.c_str(),
                  static_cast<int>(profile.size()), profile.data(), sizes[place % n_sizes],
                  offsets[place / n_sizes], reference::show_bits(got).c_str(),
                  reference::show_bits(expected[place]).c_str(), guarded ? "" : ", guard bytes written",
                  random_.note().c_str());
    }
  }

  fixture on_;
  random_engine random_;
  unsigned part_, parts_;
  bool all_profiles_;
  bool turns_;
  unsigned next_ = 0;
  tally total_;
  std::vector<const clwave::profile*> profiles_;
};

}  // namespace testing
