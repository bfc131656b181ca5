// Messages between the groups of one launch (cl_kernels/device/message.cl): whether groups send some, and how
// they wait for them.
#pragma once

#include <cstdint>

#include "program/program.hpp"

namespace clwave::detail {

struct group_messages {
  bool one_pass = false;           // they send messages
  bool in_order_of_start = false;  // groups take tiles as they start
  unsigned count_words = 1;        // of a message that is a count; 0: messages are none
  unsigned looks = 0, first_pause = 0, next_pause = 0;
};
group_messages messages_for(const target& on, std::uint64_t n);
void add_messages(program_spec& spec, const group_messages& messages);

}  // namespace clwave::detail
