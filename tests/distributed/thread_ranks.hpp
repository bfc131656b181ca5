// Ranks that are threads of one process: their messages are kept where they can be counted, and can be lost.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <clwave/error.hpp>
#include <clwave/ranks.hpp>

#include "distributed/rank_tree.hpp"

namespace testing {

// Messages, told by from whom, to whom and how many bytes.
using sent_list = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>>;

inline sent_list in_order(const std::vector<clwave::detail::rank_message>& messages) {
  sent_list all;
  for (const auto& each : messages) all.emplace_back(each.from, each.to, each.n_bytes);
  std::ranges::sort(all);
  return all;
}

// Those that so many ranks send one another in these rounds.
inline sent_list planned_messages(std::uint32_t ranks,
                                  const std::vector<clwave::detail::round_bytes>& rounds) {
  std::vector<clwave::detail::rank_message> all;
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (const auto& each : clwave::detail::messages_of(r, ranks, rounds))
      if (each.from == r) all.push_back(each);
  return in_order(all);
}

// What lies between the ranks.
class mailbox {
 public:
  explicit mailbox(std::uint32_t ranks) : ranks_(ranks) {}
  std::uint32_t ranks() const { return ranks_; }

  void put(std::uint32_t from, std::uint32_t to, std::span<const std::byte> message) {
    const std::lock_guard held(lock_);
    sent_.push_back({from, to, message.size()});
    // A silent rank sends nothing, and nobody knows.
    if (silent_ != from) waiting_[{from, to}].emplace_back(message.begin(), message.end());
    arrived_.notify_all();
  }
  std::size_t take(std::uint32_t from, std::uint32_t to, std::span<std::byte> into, std::uint32_t patience) {
    std::unique_lock held(lock_);
    auto& box = waiting_[{from, to}];
    const auto limit = patience_ * (1 + patience);
    if (silent_ && !arrived_.wait_for(held, limit, [&] { return !box.empty(); }))
      throw clwave::error(clwave::failure::driver, "rank " + std::to_string(from) + " sent nothing");
    arrived_.wait(held, [&] { return !box.empty(); });
    const auto message = std::move(box.front());
    box.pop_front();
    if (message.size() > into.size()) throw clwave::error(clwave::failure::internal, "a message is too long");
    std::memcpy(into.data(), message.data(), message.size());
    return message.size();
  }
  void silence(std::uint32_t rank) { silent_ = rank; }
  // All that was sent so far.
  sent_list sent_in_order() const { return in_order(sent_); }

 private:
  static constexpr std::chrono::milliseconds patience_{100};
  const std::uint32_t ranks_;
  std::optional<std::uint32_t> silent_;
  std::mutex lock_;
  std::condition_variable arrived_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::vector<std::byte>>> waiting_;
  std::vector<clwave::detail::rank_message> sent_;
};

class thread_ranks : public clwave::ranks {
 public:
  thread_ranks(mailbox& box, std::uint32_t rank) : box_(box), rank_(rank) {}
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return box_.ranks(); }
  void send(std::uint32_t to, std::span<const std::byte> message, std::uint32_t /*patience*/) override {
    box_.put(rank_, to, message);
  }
  std::size_t receive(std::uint32_t from, std::span<std::byte> into, std::uint32_t patience) override {
    return box_.take(from, rank_, into, patience);
  }

 private:
  mailbox& box_;
  std::uint32_t rank_;
};

// Runs what each rank does in a thread of its own; gives what each threw, "" where nothing.
inline std::vector<std::string> on_ranks(mailbox& box, const std::function<void(clwave::ranks&)>& what) {
  std::vector<std::string> thrown(box.ranks());
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < box.ranks(); ++r) {
    threads.emplace_back([&, r] {
      thread_ranks all(box, r);
      try {
        what(all);
      } catch (const std::exception& failed) {
        thrown[r] = failed.what();
      }
    });
  }
  threads.clear();
  return thrown;
}

}  // namespace testing
