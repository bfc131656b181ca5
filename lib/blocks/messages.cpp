// Whether groups send messages, and the words for that.
#include "blocks/messages.hpp"

#include <string>

#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {

group_messages messages_for(const target& on, std::uint64_t n) {
  if (!why_no_messages(on).empty()) return {};
  const scan_tuning& tuned = on.choice.profile->scan;
  return {.one_pass = true,
          .in_order_of_start = tuned.in_order_of_start,
          .count_words = n >> 31 != 0 ? 2u : 1u,
          .looks = tuned.looks,
          .first_pause = tuned.first_pause,
          .next_pause = tuned.next_pause};
}

void add_messages(program_spec& spec, const group_messages& messages) {
  if (!messages.one_pass) return;
  const auto number = [&spec](const char* name, std::uint64_t n) { add_word(spec, name, std::to_string(n)); };
  add_modules(spec, {"device/message.cl"});
  add_word(spec, "IN_ONE_PASS");
  if (messages.count_words != 0) number("COUNT_WORDS", messages.count_words);
  number("LOOKS", messages.looks);
  number("FIRST_PAUSE", messages.first_pause);
  number("NEXT_PAUSE", messages.next_pause);
  if (messages.in_order_of_start) add_word(spec, "IN_ORDER_OF_START");
}

}  // namespace clwave::detail
