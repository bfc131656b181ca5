// A list whose first elements lie in itself, for lists that are short nearly always: no memory is asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace clwave::detail {

// Like a vector, as far as it goes. Where there are more than `n_own` elements, all lie on the heap.
template <class T, std::size_t n_own>
class short_list {
  static_assert(std::is_trivially_copyable_v<T>, "the elements are copied as bytes");

 public:
  short_list() {}  // NOLINT(modernize-use-equals-default): which would clear the room for {}

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (n_ == n_own) to_heap(2 * n_own);
    if (on_heap()) return many_.emplace_back(std::forward<Arguments>(arguments)...);
    return *std::construct_at(own() + n_++, std::forward<Arguments>(arguments)...);
  }
  // Until there are more than n, elements stay where they are.
  void reserve(std::size_t n) {
    if (n > n_own) to_heap(n);
  }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return on_heap() ? many_.size() : n_; }
  T* begin() { return on_heap() ? many_.data() : own(); }
  T* end() { return begin() + size(); }
  const T* begin() const { return on_heap() ? many_.data() : own(); }
  const T* end() const { return begin() + size(); }
  T& operator[](std::size_t k) { return begin()[k]; }
  const T& operator[](std::size_t k) const { return begin()[k]; }
  T& front() { return *begin(); }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

 private:
  T* own() { return reinterpret_cast<T*>(own_); }
  const T* own() const { return reinterpret_cast<const T*>(own_); }
  bool on_heap() const { return many_.capacity() != 0; }
  void to_heap(std::size_t n) {
    many_.reserve(n);
    many_.insert(many_.end(), own(), own() + n_);
    n_ = 0;
  }

  alignas(T) std::byte own_[n_own * sizeof(T)];
  std::size_t n_ = 0;  // of those in itself
  std::vector<T> many_ = {};
};

}  // namespace clwave::detail
