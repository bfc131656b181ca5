// Calls of every function and template of the public headers, so that a compiler sees them all and a linker
// finds what the library is to offer. Those of a primitive stand in tests/primitives/NAME/consumer.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <clwave.hpp>

struct consumer_point {
  float x, y;
};
CLWAVE_STRUCTURE(consumer_point, "consumer_point", "typedef struct { float x, y; } consumer_point;")

// The one rank of a call that nobody else makes.
struct one_rank final : clwave::ranks {
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 1; }
  void send(std::uint32_t, std::span<const std::byte>, std::uint32_t) override {}
  std::size_t receive(std::uint32_t, std::span<std::byte>, std::uint32_t) override { return 0; }
};

// What the calls are given.
struct call_operands {
  cl_command_queue queue;
  cl_mem buffer;
  const clwave::event& before;
  const clwave::plan_target& target;
  clwave::view<float> x{buffer, 16};
  clwave::view<float> y{buffer, 16, 16};
  clwave::view<std::uint8_t> bytes{buffer, 80};
  clwave::view<std::uint32_t> borders{buffer, 4, 60};
  clwave::view<std::uint64_t> count{buffer, 1, 30};
  const clwave::element& f32 = clwave::element_of<float>();
};

// CMake's list of primitives: X(reduce) X(scan) ...
#define X(name) void calls_of_##name(const call_operands& on);
CONSUMER_PRIMITIVES
#undef X

// Made to be compiled and linked; run, it throws at its first call.
void every_call(cl_device_id device, cl_command_queue queue);
