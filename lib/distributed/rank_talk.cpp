// Sends and receives the messages of a call on several ranks.
#include "distributed/rank_talk.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include "call/call.hpp"

namespace clwave::detail {
namespace {

// What a message of trouble has between its header and the error's text.
struct trouble_kind {
  std::uint32_t kind;
  std::int32_t code;
};

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// What a carrier throws, as an error of clwave's, whatever it is.
error as_error_of_carrier(std::uint32_t rank, const char* doing) try { throw; } catch (const error& failed) {
  return failed;
} catch (const std::exception& failed) {
  return {failure::driver, "rank " + std::to_string(rank) + "'s carrier failed to " + doing + ": " +
                               first_line(failed.what())};
} catch (...) {
  return {failure::driver, "rank " + std::to_string(rank) + "'s carrier failed to " + doing};
}

std::string of_ranks(std::uint32_t rank, std::uint32_t ranks) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
}

}  // namespace

rank_talk::rank_talk(ranks& over, std::string_view primitive)
    : over_(over), primitive_(primitive), place_(place_in_tree(over.rank(), over.size())) {
  if (over.broken_)
    refuse(primitive, "a message of an earlier call on these ranks did not come",
           "make another ranks object: what was late may still arrive at this one");
  ++over.calls_;
}

void rank_talk::note_own(const error& failed) {
  if (trouble_) return;
  trouble_ = {place_.rank, failed.kind(), failed.code(),
              of_ranks(place_.rank, over_.size()) + ": " + first_line(failed.what()), failed.details()};
}

void rank_talk::differs(std::uint32_t rank, const std::string& what) {
  if (trouble_) return;
  trouble_ = {
      rank, failure::bad_call, CL_SUCCESS,
      of_ranks(rank, over_.size()) + " calls with " + what + " than rank " + std::to_string(place_.rank)};
}

// The carrier's own error, which names the rank.
void rank_talk::note_lost(const error& lost) {
  over_.broken_ = true;
  if (!trouble_) trouble_ = {place_.rank, lost.kind(), lost.code(), first_line(lost.what())};
}

void rank_talk::note_message(const message_header& header, std::span<const std::byte> rest) {
  if (header.kind == message_kind::lost) over_.broken_ = true;
  // This rank knows more of its own.
  if (trouble_ && trouble_->rank == header.rank) return;
  const auto what = from_bytes<trouble_kind>(rest);
  const auto text = rest.subspan(sizeof what);
  trouble_ = {header.rank, static_cast<failure>(what.kind), what.code,
              std::string(reinterpret_cast<const char*>(text.data()), text.size())};
}

message_bytes rank_talk::take(std::uint32_t from, std::size_t n_bytes, std::uint32_t patience) {
  message_bytes message(sizeof(message_header) + std::max(n_bytes, sizeof(trouble_kind) + most_trouble_text));
  try {
    message.resize(over_.receive(from, message, patience));
  } catch (...) {
    note_lost(as_error_of_carrier(place_.rank, "receive"));
    return {};
  }
  if (message.size() < sizeof(message_header)) {
    note_lost(error(failure::internal, "a message of " + of_ranks(from, over_.size()) + " has no header"));
    return {};
  }
  const auto header = from_bytes<message_header>(message);
  message.erase(message.begin(), message.begin() + sizeof header);
  if (header.call != over_.calls_) {
    note_lost(error(failure::driver, of_ranks(from, over_.size()) + " is at call " +
                                         std::to_string(header.call) + " on these ranks, and rank " +
                                         std::to_string(place_.rank) + " at call " +
                                         std::to_string(over_.calls_)));
    return {};
  }
  if (header.kind != message_kind::well && message.size() >= sizeof(trouble_kind)) {
    // What comes from the parent is what all throw.
    if (place_.parent == from && trouble_ && trouble_->rank != header.rank) trouble_.reset();
    if (!trouble_ || header.kind == message_kind::lost) note_message(header, message);
    return {};
  }
  if (message.size() == n_bytes) return message;
  note_lost(error(failure::internal, "a message of " + of_ranks(from, over_.size()) + " has " +
                                         std::to_string(message.size()) + " bytes instead of " +
                                         std::to_string(n_bytes)));
  return {};
}

void rank_talk::send(std::uint32_t to, std::span<const std::byte> message) {
  message_bytes all;
  if (trouble_) {
    const auto kind = over_.broken_ ? message_kind::lost : message_kind::trouble;
    all = bytes_of(message_header{kind, trouble_->rank, over_.calls_});
    const auto what = bytes_of(trouble_kind{static_cast<std::uint32_t>(trouble_->kind), trouble_->code});
    all.insert(all.end(), what.begin(), what.end());
    const auto text =
        std::as_bytes(std::span(trouble_->text)).first(std::min(trouble_->text.size(), most_trouble_text));
    all.insert(all.end(), text.begin(), text.end());
  } else {
    all = bytes_of(message_header{message_kind::well, place_.rank, over_.calls_});
    all.insert(all.end(), message.begin(), message.end());
  }
  try {
    over_.send(to, all, place_.levels + place_.depth);
  } catch (...) {
    note_lost(as_error_of_carrier(place_.rank, "send"));
  }
}

void rank_talk::hand_up(std::span<const std::byte> message) {
  if (place_.parent) send(*place_.parent, message);
}

// The parent answers when rank 0 has, which waits for all.
message_bytes rank_talk::take_down(std::size_t n_bytes) {
  return take(*place_.parent, n_bytes, place_.levels + place_.depth);
}

void rank_talk::hand_down(std::size_t child, std::span<const std::byte> message) {
  send(place_.children[child].first, message);
}

void rank_talk::hand_out(message_bytes& answer, std::size_t n_bytes) {
  if (place_.parent) answer = take_down(n_bytes);
  for (std::size_t k = 0; k < place_.children.size(); ++k) hand_down(k, answer);
  end_round();
}

void rank_talk::end_round() const {
  if (!trouble_) return;
  error_details details = trouble_->details;
  details.primitive = primitive_;
  throw error(trouble_->kind, trouble_->text, trouble_->code, std::move(details));
}

}  // namespace clwave::detail
