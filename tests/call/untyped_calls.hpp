// Calls whose types are said at run time beside the same typed ones: what their tests share.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/any_view.hpp>
#include <clwave/options.hpp>
#include <clwave/plan.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::untyped_calls {

// The buffers of one case, and what they held at first: every element lies between random ones, at an odd
// offset, and outputs hold random bytes.
class scene {
 public:
  fixture& on = default_fixture();
  reference::random_engine random;

  template <class T>
  view<T> of(const std::vector<T>& values) {
    const std::size_t before = 2 * random.below(8) + 1, behind = random.below(8);
    std::vector<T> all = some_bits<T>(before + values.size() + behind);
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(before));
    const auto* bytes = reinterpret_cast<const unsigned char*>(all.data());
    first_.emplace_back(bytes, bytes + all.size() * sizeof(T));
    buffers_.push_back(on.buffer_of(first_.back()));
    return {buffers_.back(), values.size(), before};
  }
  // Whole numbers below `end`, and floats that are sums of halves of them.
  template <class T>
  view<T> numbers(std::size_t n, std::size_t end) {
    std::vector<T> values(n);
    for (T& each : values) each = static_cast<T>(random.below(end)) / T{std::is_floating_point_v<T> ? 2 : 1};
    return of(values);
  }
  // Sorted ones.
  view<u32> sorted(std::size_t n, std::size_t end) {
    std::vector<u32> values(n);
    for (u32& each : values) each = static_cast<u32>(random.below(end));
    std::sort(values.begin(), values.end());
    return of(values);
  }
  // Offsets of some segments of n elements, empty ones among them.
  view<u32> offsets(std::size_t segments, std::size_t n) {
    std::vector<u32> at{0};
    for (std::size_t k = 1; k < segments; ++k) at.push_back(static_cast<u32>(random.below(n + 1)));
    at.push_back(static_cast<u32>(n));
    std::sort(at.begin(), at.end());
    return of(at);
  }
  template <class T>
  view<T> output(std::size_t n) {
    return of(some_bits<T>(n));
  }
  // An odd number of elements.
  std::size_t odd() { return 2 * random.below(10000) + 101; }

  std::vector<std::vector<unsigned char>> contents() const {
    std::vector<std::vector<unsigned char>> now;
    for (std::size_t k = 0; k < first_.size(); ++k)
      now.push_back(on.read<unsigned char>(buffers_[k], first_[k].size()));
    return now;
  }
  bool intact() const { return contents() == first_; }
  void restore() const {
    for (std::size_t k = 0; k < first_.size(); ++k)
      on.queue.enqueueWriteBuffer(buffers_[k], CL_TRUE, 0, first_[k].size(), first_[k].data());
  }

 private:
  template <class T>
  std::vector<T> some_bits(std::size_t n) {
    std::vector<T> all(n);
    auto* const bytes = reinterpret_cast<unsigned char*>(all.data());
    for (std::size_t k = 0; k < n * sizeof(T); ++k) bytes[k] = static_cast<unsigned char>(random());
    return all;
  }

  std::vector<cl::Buffer> buffers_;
  std::vector<std::vector<unsigned char>> first_;
};

// What is asked of an operand beside a type.
enum class asks {
  one_type,  // to go together with the others
  any_type,  // nothing: a text of the user's, or bytes
  no_plan    // one type, of calls alone: plans do without it
};

// Where a problem has an operand, and how errors name that.
template <class Problem>
struct operand {
  operand(std::string called, any_view Problem::*at, asks wanted = asks::one_type)
      : name(std::move(called)), in([at](Problem& q) -> any_view& { return q.*at; }), what(wanted) {}
  operand(std::string called, std::optional<any_view> Problem::*at, asks wanted = asks::one_type)
      : name(std::move(called)), in([at](Problem& q) -> any_view& { return *(q.*at); }), what(wanted) {}
  operand(std::string called, std::function<any_view&(Problem&)> at, asks wanted = asks::one_type)
      : name(std::move(called)), in(std::move(at)), what(wanted) {}

  std::string name;
  std::function<any_view&(Problem&)> in;
  asks what = asks::one_type;
};

// What a call returns to the host, as one number: the bits of a value; of an event nothing, once it is done.
template <class Call>
u64 returned_by(const Call& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return 0;
  } else if constexpr (std::is_same_v<decltype(call()), clwave::event>) {
    call().wait();
    return 0;
  } else {
    const auto value = call();
    u64 all = 0;
    std::memcpy(&all, &value, sizeof value);
    return all;
  }
}

// An untyped call, which gives what it returned to the host: a function of the library's, or what calls one.
template <class Problem>
class untyped {
  template <class Result>
  using function = Result (*)(cl_command_queue, const Problem&, const clwave::launch_options&);

 public:
  untyped(function<clwave::event> f) : call_(of(f)) {}
  untyped(function<u64> f) : call_(of(f)) {}
  untyped(function<void> f) : call_(of(f)) {}
  template <std::invocable<cl_command_queue, const Problem&> F>
  untyped(const F& f)
      : call_([f](cl_command_queue q, const Problem& p) { return returned_by([&] { return f(q, p); }); }) {}

  u64 operator()(cl_command_queue queue, const Problem& problem) const { return call_(queue, problem); }

 private:
  template <class Result>
  static std::function<u64(cl_command_queue, const Problem&)> of(function<Result> f) {
    return [f](cl_command_queue q, const Problem& p) { return returned_by([&] { return f(q, p, {}); }); };
  }

  std::function<u64(cl_command_queue, const Problem&)> call_;
};

// Checks one untyped call: `typed` does the same, and both return the same to the host.
template <class Problem>
struct check_of {
  template <class Typed>
  void operator()(const char* name, const Problem& problem, std::initializer_list<operand<Problem>> operands,
                  const Typed& typed) const {
    CAPTURES(std::string(name), s.random.note());
    const cl_command_queue queue = s.on.queue();
    const clwave::plan_target target{.facts = &s.on.facts, .choice = clwave::choose_profile(s.on.facts)};

    const u64 returned = call(queue, problem);
    const auto written = s.contents();
    s.restore();
    CHECK(returned == returned_by(typed));
    CHECK(written == s.contents());
    if (returned == 0) CHECK_FALSE(s.intact());
    s.restore();

    const auto refused_by_both = [&](const operand<Problem>& each, const any_view& given,
                                     const std::string& words) {
      CAPTURE(each.name);
      Problem wrong = problem;
      each.in(wrong) = given;
      refuses(words.c_str(), [&] { call(queue, wrong); });
      if (each.what != asks::no_plan) refuses(words.c_str(), [&] { plan(wrong, target); });
      CHECK(s.intact());
    };
    for (const operand<Problem>& each : operands) {
      Problem right = problem;
      const any_view& good = each.in(right);
      refused_by_both(each, {good.buffer, good.n, good.offset, nullptr}, each.name + " has no type");
      refused_by_both(each, any_view{}, " has no ");
      any_view counted = good;
      counted.count = &good;
      // Where a count is taken, this one is of another type or has more than one number.
      refused_by_both(each, counted, " count ");
      if (each.what == asks::any_type) continue;
      const element stranger{.name = "stranger",
                             .opencl_name = "stranger",
                             .size = good.type->size,
                             .kind = clwave::element_kind::structure,
                             .declaration = "typedef struct { uchar bytes[" +
                                            std::to_string(good.type->size) + "]; } stranger;"};
      refused_by_both(each, {good.buffer, good.n, good.offset, &stranger}, "");
    }
  }

  scene& s;
  untyped<Problem> call;
};

}  // namespace testing::untyped_calls
