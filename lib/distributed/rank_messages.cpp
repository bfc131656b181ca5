// Counts the bytes of messages between ranks.
#include "distributed/rank_messages.hpp"

#include <utility>

#include "distributed/scan_prefix.hpp"

namespace clwave::detail {

namespace {

round_bytes round_of(std::function<std::uint64_t(const rank_stretch&)> up,
                     std::function<std::uint64_t(const rank_stretch&)> down) {
  const auto with_header = [](auto bytes) {
    return [bytes = std::move(bytes)](const rank_stretch& of) { return sizeof(message_header) + bytes(of); };
  };
  return {with_header(std::move(up)), with_header(std::move(down))};
}

std::function<std::uint64_t(const rank_stretch&)> always(std::uint64_t n_bytes) {
  return [n_bytes](const rank_stretch& /*of*/) { return n_bytes; };
}

round_bytes opening_round() {
  return round_of(always(sizeof(opening_message)), always(sizeof(answer_message)));
}

std::function<std::uint64_t(const rank_stretch&)> open_folds(const fold_levels& levels,
                                                             const node_bytes& widths,
                                                             const begin_of_rank& begin_of) {
  return [&levels, widths, begin_of](const rank_stretch& of) {
    return open_bytes(levels, widths, begin_of(of.first), begin_of(of.end));
  };
}

}  // namespace

std::vector<round_bytes> rounds_of_reduction(const fold_levels& levels, const node_bytes& widths,
                                             const begin_of_rank& begin_of) {
  return {opening_round(), round_of(open_folds(levels, widths, begin_of), always(widths.folded))};
}

std::vector<round_bytes> rounds_of_scan(const fold_levels& levels, const node_bytes& widths,
                                        const begin_of_rank& begin_of) {
  // A subtree without elements goes on from nothing.
  const auto prefixes = [&levels, widths, begin_of](const rank_stretch& of) -> std::uint64_t {
    const std::uint64_t begin = begin_of(of.first);
    return begin < begin_of(of.end)
               ? stretch_bytes(levels, widths, begin) + earlier_bytes(levels, widths, begin)
               : 0;
  };
  return {opening_round(), round_of(open_folds(levels, widths, begin_of), prefixes),
          round_of(always(0), always(0))};
}

}  // namespace clwave::detail
