// Buffers that kernels may only read or only write: what a call needs of each operand, over all primitives.
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"

namespace testing::access_test {
namespace {

using clwave::detail::access;

// How a buffer with restricted access comes about.
enum class making { whole, part_of_restricted, restricted_part };

cl::Buffer restricted(const fixture& on, const call_operand& operand, cl_mem_flags flags, making how) {
  const bytes contents = operand.bytes(1);
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(on.context,
                    (how == making::restricted_part ? CL_MEM_READ_WRITE : flags) | CL_MEM_COPY_HOST_PTR,
                    contents.size(), const_cast<unsigned char*>(contents.data()), &code);
  clwave::detail::check(code, "make a buffer");
  if (how == making::whole) return buffer;
  cl_buffer_region region{0, contents.size()};
  cl::Buffer part = buffer.createSubBuffer(how == making::restricted_part ? flags : 0,
                                           CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  clwave::detail::check(code, "make a sub-buffer");
  return part;
}

// The text of the error that f throws, of kind bad_call.
template <class F>
std::optional<std::string> refusal(const F& f) {
  try {
    f();
  } catch (const clwave::error& thrown) {
    CHECK(thrown.kind() == clwave::failure::bad_call);
    return thrown.what();
  }
  return std::nullopt;
}

// Tries every any_view in every restricted kind of buffer: start(buffers) must throw where the call needs
// more than the buffer allows, and work where it does not.
template <class Start>
void check_operands(const fixture& on, const std::string& name, const std::vector<call_operand>& operands,
                    const Start& start) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    for (const cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY}) {
      for (const making how : {making::whole, making::part_of_restricted, making::restricted_part}) {
        CAPTURES(name, k, flags, static_cast<int>(how));
        buffers all = buffers_for(on, operands, 1);
        all[k] = restricted(on, operands[k], flags, how);
        const bool allowed = operands[k].use == (flags == CL_MEM_READ_ONLY ? access::reads : access::writes);
        const auto text = refusal([&] { start(all); });
        on.queue.finish();
        CHECK(text.has_value() == !allowed);
        if (text)
          CHECK(text->find(flags == CL_MEM_READ_ONLY ? "CL_MEM_READ_ONLY" : "CL_MEM_WRITE_ONLY") !=
                std::string::npos);
      }
    }
    // What the host may do with a buffer does not matter to kernels.
    for (const cl_mem_flags flags : {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY}) {
      CAPTURES(name, k, flags);
      buffers all = buffers_for(on, operands, 1);
      all[k] = restricted(on, operands[k], CL_MEM_READ_WRITE | flags, making::whole);
      CHECK_FALSE(refusal([&] { start(all); }));
      on.queue.finish();
    }
  }
}

TEST_CASE_FIXTURE(
    on_device,
    "every call refuses an output that kernels may only read, and an input that they may only write") {
  sample calls(3);
  for (const event_call& call : event_calls()) {
    if (!calls.takes_next()) continue;
    check_operands(on, call.name, call.operands,
                   [&](const buffers& all) { call.start(on.queue, all, false, {}).wait(); });
  }
  for (const value_call& call : blocking_calls()) {
    if (!calls.takes_next()) continue;
    check_operands(on, call.name, call.operands,
                   [&](const buffers& all) { call.value(on.queue, all, false, {}); });
  }
}

}  // namespace
}  // namespace testing::access_test
