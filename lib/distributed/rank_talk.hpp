// The rounds of messages of one call on several ranks, and what becomes of an error on one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <clwave/error.hpp>
#include <clwave/ranks.hpp>

#include "distributed/rank_tree.hpp"

namespace clwave::detail {

// What an error's text has at most on its way to the other ranks.
inline constexpr std::size_t most_trouble_text = 1000;

// What a message says: all is well so far; or something went wrong on a rank; or a message did not come.
enum class message_kind : std::uint32_t { well, trouble, lost };

// What every message begins with.
struct message_header {
  message_kind kind;
  std::uint32_t rank;  // whose trouble
  std::uint64_t call;  // its number
};

using message_bytes = std::vector<std::byte>;

template <class T>
  requires std::is_trivially_copyable_v<T> message_bytes bytes_of(const T& value) {
    message_bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
template <class T>
  requires std::is_trivially_copyable_v<T> T from_bytes(std::span<const std::byte> bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

// One call's talk. In a round each rank gathers what its children send, sends something to its parent, takes
// the answer and gives its children theirs. A rank on which something has gone wrong goes through the round
// all the same and sends the error instead, so that nobody waits in vain. What goes wrong before a rank sends
// to its parent, all ranks know at the round's end and throw; what goes wrong later, at the next one's.
class rank_talk {
 public:
  // Throws bad_call where an earlier call lost a message.
  rank_talk(ranks& over, std::string_view primitive);
  rank_talk(const rank_talk&) = delete;
  rank_talk& operator=(const rank_talk&) = delete;

  const rank_place& place() const { return place_; }
  bool failed() const { return trouble_.has_value(); }

  // Does a part of this rank's work, where nothing has gone wrong yet, and keeps what it throws.
  template <class Do>
  void attempt(const Do& what) {
    if (failed()) return;
    try {
      what();
    } catch (const error& failed) {
      note_own(failed);
    } catch (const std::bad_alloc&) {
      note_own(error(failure::out_of_memory, "there is no memory left on the host"));
    } catch (const std::exception& failed) {
      note_own(error(failure::internal, failed.what()));
    }
  }
  // The calls of two ranks do not go together.
  void differs(std::uint32_t rank, const std::string& what);

  // The message of each child, of n_bytes(k). What has gone wrong with a child is kept instead.
  template <class Size>
  std::vector<message_bytes> gather(const Size& n_bytes) {
    std::vector<message_bytes> all;
    for (std::size_t k = 0; k < place_.children.size(); ++k)
      all.push_back(take(place_.children[k].first, static_cast<std::size_t>(n_bytes(k)), place_.height));
    return all;
  }
  // To the parent; nothing at rank 0.
  void hand_up(std::span<const std::byte> message);
  // From the parent. Not at rank 0.
  message_bytes take_down(std::size_t n_bytes);
  void hand_down(std::size_t child, std::span<const std::byte> message);
  // Throws what has gone wrong on any rank.
  void end_round() const;
  // A round's second half in which all ranks get the same, of so many bytes: at rank 0 `answer` has it.
  void hand_out(message_bytes& answer, std::size_t n_bytes);

 private:
  struct trouble {
    std::uint32_t rank;
    failure kind;
    cl_int code;
    std::string text;
    error_details details = {};  // on the rank itself alone
  };

  void note_own(const error& failed);
  void note_lost(const error& lost);
  void note_message(const message_header& header, std::span<const std::byte> rest);
  message_bytes take(std::uint32_t from, std::size_t n_bytes, std::uint32_t patience);
  void send(std::uint32_t to, std::span<const std::byte> message);

  ranks& over_;
  const std::string_view primitive_;
  const rank_place place_;
  std::optional<trouble> trouble_;
};

}  // namespace clwave::detail
