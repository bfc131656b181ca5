// A case of the differential fuzzer: where it runs, what it draws, and how it makes its calls.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace differential {

using clwave::view;
using reference::random_engine;
using testing::fixture;

using bytes = std::vector<unsigned char>;
using clock = std::chrono::steady_clock;

// What a call left that a plain loop on the host does not give. Ends the case.
struct finding : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An operand's buffer, without its type: what the device holds before a call, and shall hold behind it.
class held {
 public:
  virtual ~held() = default;
  const fixture& on() const { return on_; }
  bool is_input() const { return input_; }

  // Writes what the call is to find, or, for an input, noise where its elements lie. Blocks.
  void write_before(random_engine& random, bool noise) const;
  // Writes the elements of an input once `after` has ended. Does not block.
  cl::Event write_future(const cl::CommandQueue& queue, const cl::Event& after);
  // Throws a finding where the buffer does not hold what it shall.
  void check(const std::string& what);

 protected:
  held(const fixture& on, random_engine& random, std::size_t element_bytes, std::size_t n, bool input);

  // How an element that is wrong differs, "" where it may differ like that.
  virtual std::string difference(const unsigned char* got, const unsigned char* right) const = 0;
  // What is wrong with all elements, where no one of them is known.
  virtual std::string judged(const bytes& now) const = 0;
  virtual bool is_judged() const = 0;

  const fixture& on_;
  std::size_t element_bytes_, n_;
  bool input_;
  cl::Buffer whole_, part_;  // the operand's view is one of `part_`, which may be the same buffer
  std::size_t part_at_ = 0;  // bytes from the begin of `whole_`
  std::size_t first_ = 0;    // elements from the begin of `part_`
  std::size_t elements_at() const { return part_at_ + first_ * element_bytes_; }
  bytes before_, right_;  // of `whole_`

 private:
  bytes read() const;
  std::vector<cl::Buffer> written_from_;
};

// One case: a call with its types and operators, made of many sizes, places and values.
class session {
 public:
  session(std::uint64_t seed, clock::time_point end) : random(seed), end_(end) {}

  random_engine random;
  std::string what;       // the case in words, for findings
  std::size_t calls = 0;  // made so far
  unsigned variations = 24;

  bool goes_on(unsigned variation) const { return variation < variations && clock::now() < end_; }
  std::size_t below(std::size_t n) { return random.below(n); }
  bool flip() { return random.below(2) == 0; }
  bool one_in(std::size_t n) { return random.below(n) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[random.below(all.size())];
  }

  // Where calls on one device run.
  const fixture& on() const { return *contexts()[0]; }
  // Three contexts of the default device, and one of each other device.
  static const std::vector<std::unique_ptr<fixture>>& contexts();

  // A size around those at which calls change their ways.
  std::size_t size(std::size_t most = 20000);

  using event_call = std::function<clwave::event(const cl::CommandQueue&, const clwave::launch_options&)>;
  using blocking_call = std::function<void(const cl::CommandQueue&, const clwave::launch_options&)>;

  // Makes a call that returns an event twice, on a queue of any kind, and checks all operands: once with its
  // inputs there, and once where a command that waits for the host is to write them first.
  void make(const std::vector<held*>& operands, const event_call& call);
  // What a call may leave to be looked at when its inputs are written.
  std::function<void()> behind;
  // Makes a call that blocks likewise.
  void make_blocking(const std::vector<held*>& operands, const blocking_call& call);
  // Makes a call that blocks on the queues of shards: those of `operands`, in their order. It is told what
  // each operand's shard is to be given to wait for.
  using waits = std::map<const held*, clwave::wait_list>;
  void make_distributed(const std::vector<held*>& operands, const std::vector<cl::CommandQueue>& queues,
                        const std::function<void(waits&)>& call);

  [[noreturn]] void found(const std::string& wrong) const { throw finding(what + ": " + wrong); }

  // A queue of a kind that is drawn.
  cl::CommandQueue queue_of(const fixture& on);

 private:
  void check_all(const std::vector<held*>& operands, const std::string& how);
  struct opener;
  clock::time_point end_;
};

// Whether all of a value's components that are no number are no number in the other, and the rest is equal.
template <class T>
bool same_but_for_payloads(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) return (a != a && b != b) || reference::same_bits(a, b);
  if constexpr (std::is_same_v<T, clwave::half> || std::is_same_v<T, clwave::bfloat16>) {
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    return (x != x && y != y) || a.bits == b.bits;
  }
  return false;
}

// Elements of T in a buffer: with poison around them, at any element, in a sub-buffer or not.
template <class T>
class place : public held {
 public:
  // An output, which holds anything before.
  place(session& s, std::size_t n) : place(s, s.on(), n) {}
  place(session& s, const fixture& on, std::size_t n) : held(on, s.random, sizeof(T), n, false) {}
  // An input.
  place(session& s, const std::vector<T>& values) : place(s, s.on(), values) {}
  place(session& s, const fixture& on, const std::vector<T>& values)
      : held(on, s.random, sizeof(T), values.size(), true) {
    if (n_ == 0) return;
    std::memcpy(before_.data() + elements_at(), values.data(), n_ * sizeof(T));
    right_ = before_;
  }

  std::size_t size() const { return n_; }
  view<T> elements() const { return {part_, n_, first_}; }
  view<T> elements(std::size_t n) const { return {part_, n, first_}; }
  view<const T> input() const { return {part_, n_, first_}; }

  // What the call is to find.
  std::vector<T> before() const { return taken(before_); }
  // What element i shall be.
  void expect(std::size_t i, const T& value) {
    std::memcpy(right_.data() + elements_at() + i * sizeof(T), &value, sizeof(T));
  }
  void expect(const std::vector<T>& values) {
    for (std::size_t i = 0; i < std::min(n_, values.size()); ++i) expect(i, values[i]);
  }
  // Instead of what is expected: says what is wrong with the elements, "" where nothing is. Poison is still
  // looked at.
  std::function<std::string(const std::vector<T>&)> judge;
  // Whether an element will do instead of the expected one.
  std::function<bool(const T& got, const T& right)> judge_each;
  // A NaN may have another payload and sign.
  bool any_payload = false;

 protected:
  std::string difference(const unsigned char* got, const unsigned char* right) const override {
    T a, b;
    std::memcpy(static_cast<void*>(&a), got, sizeof(T));
    std::memcpy(static_cast<void*>(&b), right, sizeof(T));
    if (judge_each && judge_each(a, b)) return "";
    if (any_payload && same_but_for_payloads(a, b)) return "";
    return reference::show_bits(a) + " instead of " + reference::show_bits(b);
  }
  std::string judged(const bytes& now) const override { return judge ? judge(taken(now)) : std::string(); }
  bool is_judged() const override { return static_cast<bool>(judge); }

 private:
  std::vector<T> taken(const bytes& from) const {
    std::vector<T> values(n_);
    if (n_ > 0) std::memcpy(static_cast<void*>(values.data()), from.data() + elements_at(), n_ * sizeof(T));
    return values;
  }
};

// Calls f with one of the types, as std::type_identity.
template <class... T>
struct types {};
template <class... T, class F>
void with_one_of(session& s, types<T...> /*all*/, const F& f) {
  const std::size_t chosen = s.random.below(sizeof...(T));
  std::size_t k = 0;
  ((k++ == chosen ? f(std::type_identity<T>{}) : void()), ...);
}

template <class T>
std::string name_of() {
  return clwave::element_of<T>().name;
}

// A family of calls.
struct family {
  const char* name;
  void (*run)(session&);
  bool distributed;  // several queues run kernels at once
};

}  // namespace differential
