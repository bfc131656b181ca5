// What a call may be given for each of its operands, over all primitives: no buffer, one that is too short or
// of another context, parts of buffers, memory of the host, and memory that operands share.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::operands_test {
namespace {

using clwave::detail::access;

constexpr unsigned seed = 5;

// A call of either kind, as one that leaves contents: those of its operands, and the value as one more.
struct subject {
  std::string name;
  std::vector<call_operand> operands;
  std::function<bytes(const buffers&)> run;  // waits; gives the value, if any
};

// All of them; in a quick run a third, the same ones for all tests.
std::vector<subject> subjects(const fixture& on) {
  static const std::size_t first = quick() ? reference::random_engine().below(3) : 0;
  const std::size_t step = quick() ? 3 : 1;
  std::size_t at = 0;
  const auto takes_next = [&] { return at++ % step == first; };
  std::vector<subject> all;
  for (const event_call& call : event_calls())
    if (takes_next())
      all.push_back({call.name, call.operands, [call, &on](const buffers& given) {
                       call.start(on.queue, given, false, {}).wait();
                       return bytes{};
                     }});
  for (const value_call& call : blocking_calls())
    if (takes_next())
      all.push_back({call.name + ", for its value", call.operands,
                     [call, &on](const buffers& given) { return call.value(on.queue, given, false, {}); }});
  return all;
}

std::vector<bytes> outcome(const fixture& on, const subject& of, const buffers& given) {
  const bytes value = of.run(given);
  std::vector<bytes> all = contents(on, of.operands, given);
  all.push_back(value);
  return all;
}

std::vector<bytes> expected_of(const fixture& on, const subject& of) {
  return outcome(on, of, buffers_for(on, of.operands, seed));
}

cl::Buffer part_of(const cl::Buffer& whole, std::size_t at, std::size_t size) {
  cl_int code = CL_SUCCESS;
  cl_buffer_region region{at, size};
  cl::Buffer part = cl::Buffer(whole).createSubBuffer(0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  clwave::detail::check(code, "make a part of a buffer");
  return part;
}

std::size_t alignment_of(const fixture& on) { return on.device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8; }

TEST_CASE_FIXTURE(
    on_device,
    "operands that are no buffer, too short, or of another context are refused, and nothing is written") {
  const fixture stranger;
  std::size_t n_refused = 0;
  for (const subject& of : subjects(on)) {
    for (std::size_t k = 0; k < of.operands.size(); ++k) {
      CAPTURES(of.name, k);
      const std::size_t size = of.operands[k].n * 4;
      const cl::Buffer strange = stranger.buffer_of(of.operands[k].bytes(seed));
      const cl::Buffer whole = on.buffer_of(of.operands[k].bytes(seed));
      std::vector<cl::Buffer> wrong{{}, strange};
      if (size > 4) {
        wrong.push_back(on.buffer_of(bytes(size - 4)));
        wrong.push_back(part_of(whole, 0, size - 4));
      }
      for (std::size_t which = 0; which < wrong.size(); ++which) {
        CAPTURE(which);
        buffers given = buffers_for(on, of.operands, seed);
        const std::vector<bytes> before = contents(on, of.operands, given);
        given[k] = wrong[which];
        CHECK(refused([&] { of.run(given); }));
        ++n_refused;
        on.queue.finish();
        for (std::size_t j = 0; j < given.size(); ++j)
          if (j != k) CHECK(on.read<unsigned char>(given[j], of.operands[j].n * 4) == before[j]);
      }
    }
  }
  std::printf("%zu wrong operands refused\n", n_refused);
}

TEST_CASE_FIXTURE(on_device, "operands that are parts of buffers, at odd places") {
  const std::size_t unit = alignment_of(on);
  std::size_t n_calls = 0;
  for (const subject& of : subjects(on)) {
    CAPTURE(of.name);
    const std::vector<bytes> expected = expected_of(on, of);
    // All operands lie in one buffer, apart from each other by one unit or three.
    for (const std::size_t gap : {unit, 3 * unit}) {
      CAPTURE(gap);
      std::size_t size = gap;
      std::vector<std::size_t> places;
      for (const call_operand& each : of.operands) {
        places.push_back(size);
        size += (each.n * 4 + unit - 1) / unit * unit + gap;
      }
      bytes image(size, 0xa5);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const bytes part = of.operands[k].bytes(seed);
        std::copy(part.begin(), part.end(), image.begin() + static_cast<std::ptrdiff_t>(places[k]));
      }
      const cl::Buffer whole = on.buffer_of(image);
      buffers given;
      for (std::size_t k = 0; k < places.size(); ++k)
        given.push_back(part_of(whole, places[k], of.operands[k].n * 4));
      CHECK(outcome(on, of, given) == expected);
      // What lies between the operands is as it was.
      bytes now = on.read<unsigned char>(whole, size);
      for (std::size_t k = 0; k < places.size(); ++k)
        std::fill_n(now.begin() + static_cast<std::ptrdiff_t>(places[k]), of.operands[k].n * 4, 0xa5);
      CHECK(std::all_of(now.begin(), now.end(), [](unsigned char byte) { return byte == 0xa5; }));
      ++n_calls;
    }
  }
  std::printf("%zu calls on parts of one buffer\n", n_calls);
}

TEST_CASE_FIXTURE(
    on_device, "operands in the host's memory, at every alignment of their type, inputs in one place too") {
  std::size_t n_calls = 0;
  for (const subject& of : subjects(on)) {
    CAPTURE(of.name);
    const std::vector<bytes> expected = expected_of(on, of);
    for (const std::size_t offset : {0u, 4u, 12u, 60u}) {
      // A structure of eight bytes is aligned to its members, a count, or two of them, to its own size.
      CAPTURE(offset);
      std::vector<std::vector<u64>> memory;
      buffers given;
      for (const call_operand& each : of.operands) {
        const std::size_t at = each.n <= 4 ? (offset + 7) / 8 * 8 : offset;
        const bytes part = each.bytes(seed);
        memory.emplace_back((at + part.size() + 7) / 8 + 16);
        auto* const place = reinterpret_cast<unsigned char*>(memory.back().data()) + at;
        std::copy(part.begin(), part.end(), place);
        cl_int code = CL_SUCCESS;
        given.emplace_back(on.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, part.size(), place, &code);
        clwave::detail::check(code, "make a buffer of the host's memory");
      }
      CHECK(outcome(on, of, given) == expected);
      ++n_calls;
    }
    // All inputs of one size in one buffer.
    buffers given = buffers_for(on, of.operands, seed);
    for (std::size_t j = 0; j < given.size(); ++j)
      for (std::size_t k = j + 1; k < given.size(); ++k)
        if (of.operands[j].use == access::reads && of.operands[k].use == access::reads &&
            of.operands[j].n == of.operands[k].n && of.operands[j].floats == of.operands[k].floats &&
            of.operands[j].rises == of.operands[k].rises)
          given[k] = given[j];
    CHECK(outcome(on, of, given) == expected);
    ++n_calls;
  }
  std::printf("%zu calls on the host's memory and on shared inputs\n", n_calls);
}

// What a call writes of an operand: the bytes that are the same whatever they were before. Of one that is
// read, too, all.
struct written {
  bytes values;
  std::vector<bool> is;
};

written by_call(const fixture& on, const subject& of, std::size_t j) {
  const auto after = [&](unsigned char before) {
    buffers given = buffers_for(on, of.operands, seed);
    if (of.operands[j].use == access::writes) given[j] = on.buffer_of(bytes(of.operands[j].n * 4, before));
    return outcome(on, of, given)[j];
  };
  const bytes one = after(0x00), two = after(0xff);
  written all{one, std::vector<bool>(one.size())};
  for (std::size_t k = 0; k < one.size(); ++k) all.is[k] = one[k] == two[k];
  return all;
}

TEST_CASE_FIXTURE(
    on_device, "an output that meets another operand is refused, or what is written touches nothing of it") {
  const std::size_t unit = alignment_of(on);
  std::size_t n_refused = 0, n_right = 0;
  for (const subject& of : subjects(on)) {
    for (std::size_t j = 0; j < of.operands.size(); ++j) {
      if (of.operands[j].use == access::reads) continue;
      const written result = by_call(on, of, j);
      for (std::size_t k = 0; k < of.operands.size(); ++k) {
        if (j == k) continue;
        const std::size_t size_j = of.operands[j].n * 4, size_k = of.operands[k].n * 4;
        // The output behind the other's beginning by some units, before it, at its end, and in its place.
        struct pair {
          std::size_t at_j, at_k;
        };
        std::vector<pair> places;
        if (size_k > unit) places.push_back({unit, 0});
        if (size_j > unit) places.push_back({0, unit});
        if (size_k > 5 * unit) places.push_back({(size_k - 1) / unit * unit, 0});
        if (size_j > 5 * unit) places.push_back({0, (size_j - 1) / unit * unit});
        places.push_back({0, 0});
        for (const pair& at : places) {
          CAPTURES(of.name, j, k, at.at_j, at.at_k);
          bytes image(std::max(at.at_j + size_j, at.at_k + size_k));
          const bytes other = of.operands[k].bytes(seed);
          std::copy(other.begin(), other.end(), image.begin() + static_cast<std::ptrdiff_t>(at.at_k));
          const cl::Buffer whole = on.buffer_of(image);
          buffers given = buffers_for(on, of.operands, seed);
          given[j] = part_of(whole, at.at_j, size_j);
          given[k] = part_of(whole, at.at_k, size_k);
          bytes value;
          if (refused([&] { value = of.run(given); })) {
            ++n_refused;
            on.queue.finish();
            CHECK(on.read<unsigned char>(whole, image.size()) == image);
          } else {
            // In its place, element for element, or apart in what is used of both.
            ++n_right;
            CHECK(of.operands[k].use == access::reads);
            for (std::size_t byte = 0; byte < size_j; ++byte)
              if (result.is[byte]) image[at.at_j + byte] = result.values[byte];
            CHECK(on.read<unsigned char>(whole, image.size()) == image);
          }
        }
      }
    }
  }
  std::printf("%zu overlaps refused, %zu outputs in the place of an input or apart\n", n_refused, n_right);
}

TEST_CASE_FIXTURE(on_device, "what may lie exactly in place in one buffer may do so in parts of it") {
  std::size_t n_calls = 0;
  for (const subject& of : subjects(on)) {
    for (std::size_t j = 0; j < of.operands.size(); ++j) {
      for (std::size_t k = 0; k < of.operands.size(); ++k) {
        if (of.operands[j].use == access::reads || of.operands[k].use != access::reads) continue;
        CAPTURES(of.name, j, k);
        const std::size_t size_j = of.operands[j].n * 4, size_k = of.operands[k].n * 4;
        const bytes other = of.operands[k].bytes(seed);
        // What is in the buffer afterwards; nothing where the call is refused.
        const auto after = [&](bool output_is_part, bool input_is_part) -> std::optional<bytes> {
          bytes image(std::max(size_j, size_k));
          std::copy(other.begin(), other.end(), image.begin());
          const cl::Buffer whole = on.buffer_of(image);
          buffers given = buffers_for(on, of.operands, seed);
          given[j] = output_is_part ? part_of(whole, 0, size_j) : whole;
          given[k] = input_is_part ? part_of(whole, 0, size_k) : whole;
          if (refused([&] { of.run(given); })) return std::nullopt;
          return on.read<unsigned char>(whole, image.size());
        };
        const std::optional<bytes> expected = after(false, false);
        for (const bool output_is_part : {false, true})
          for (const bool input_is_part : {false, true})
            CHECK((after(output_is_part, input_is_part) == expected));
        n_calls += expected ? 1 : 0;
      }
    }
  }
  CHECK(n_calls > 0);
  std::printf("%zu calls in place\n", n_calls);
}

}  // namespace
}  // namespace testing::operands_test
