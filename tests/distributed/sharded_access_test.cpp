// Buffers that the host, or kernels, may only read, only write or not touch, as shards of arrays: what the
// host may do does not matter to a call on shards; what kernels may do is checked as in calls on one device.
#include <clwave/sharded.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/sharded_calls.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::sharded_access_test {
namespace {

const std::vector<const fixture*>& two_contexts() {
  static const fixture here, there;
  static const auto& both = *new std::vector<const fixture*>{&here, &there};
  return both;
}

// How a restricted buffer comes about.
enum class making { whole, part_of_restricted };

// An array in shards of buffers with these flags.
class restricted_array {
 public:
  restricted_array(const std::vector<std::size_t>& lengths, const numbers& values,
                   const std::vector<cl_mem_flags>& flags, making how) {
    std::size_t begin = 0;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const fixture& on = *two_contexts()[k % 2];
      const std::size_t n = lengths[k], n_bytes = n * sizeof(number);
      cl_int code = CL_SUCCESS;
      cl::Buffer buffer(on.context, flags[k] | CL_MEM_COPY_HOST_PTR, n_bytes,
                        const_cast<number*>(values.data()) + begin, &code);
      clwave::detail::check(code, "make a buffer");
      if (how == making::part_of_restricted) {
        cl_buffer_region region{0, n_bytes};
        wholes_.push_back(buffer);
        buffer = buffer.createSubBuffer(0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        clwave::detail::check(code, "make a sub-buffer");
      }
      buffers_.push_back(buffer);
      sizes_.push_back(n);
      shards_.emplace_back(on.queue, clwave::view<number>{buffer, n});
      begin += n;
    }
  }

  const shards_of_numbers& shards() const { return shards_; }
  cl_mem buffer() const { return buffers_[0](); }
  // By a copy on the device, whatever the host may do.
  numbers read() const {
    numbers all;
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const fixture& on = *two_contexts()[k % 2];
      const std::size_t n_bytes = sizes_[k] * sizeof(number);
      const cl::Buffer copy = on.buffer_of(numbers(sizes_[k]));
      clwave::detail::check(on.queue.enqueueCopyBuffer(buffers_[k], copy, 0, 0, n_bytes), "copy");
      const auto own = on.read<number>(copy, sizes_[k]);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

 private:
  // To Intel's runtime 2026.2 a buffer whose last reference of ours goes is none, though a part of it lives.
  std::vector<cl::Buffer> wholes_;
  std::vector<cl::Buffer> buffers_;
  std::vector<std::size_t> sizes_;
  shards_of_numbers shards_;
};

// The flags of the shards of each array of a call: of its inputs, and of its output.
struct array_flags {
  std::vector<cl_mem_flags> in, out;
};

// Makes the call, and checks what comes of it; throws what it throws.
void check_call(const sharded_call_case& what, const std::vector<std::size_t>& lengths,
                const array_flags& flags, making how) {
  reference::random_engine random;
  std::vector<numbers> values(2, numbers(many_numbers));
  for (numbers& each : values)
    for (number& x : each) x = static_cast<number>(random.below(end_of_numbers));
  std::vector<restricted_array> in;
  sharded_arrays given;
  for (std::size_t k = 0; k < what.inputs; ++k)
    given.in.push_back(in.emplace_back(lengths, values[k], flags.in, how).shards());
  std::optional<restricted_array> out;
  if (what.output == sharded_output::cut_alike)
    given.out = out.emplace(lengths, numbers(many_numbers), flags.out, how).shards();
  if (what.output == sharded_output::together) {
    const std::vector<std::size_t> all{what.result_numbers};
    out.emplace(all, numbers(what.result_numbers), flags.out, how);
    given.queue = two_contexts()[0]->queue();
    given.results = out->buffer();
  }
  numbers got = what.call(given);
  if (what.output == sharded_output::in_place) got = in[0].read();
  if (out) got = out->read();
  CHECK(are_as_expected(got, what.expected(values[0], values[1])));
}

// In one shard, and cut through tiles, pixels and rows, where the first shard, or the second, has most.
const std::vector<std::vector<std::size_t>>& cuts() {
  static const auto& all = *new std::vector<std::vector<std::size_t>>{
      {many_numbers}, {25'001, 14'999}, {5'001, 30'000, 4'999}, {12'001, 7, 9'000, 18'992}};
  return all;
}

}  // namespace

TEST_CASE("what the host may do with shards does not matter to calls on shards") {
  for (const sharded_call_case& what : sharded_call_cases()) {
    CAPTURE(what.name);
    for (const cl_mem_flags flags : {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY}) {
      CAPTURE(flags);
      for (const making how : {making::whole, making::part_of_restricted}) {
        CAPTURE(static_cast<int>(how));
        for (const auto& lengths : cuts()) {
          CAPTURE(lengths.size());
          const std::vector<cl_mem_flags> all(lengths.size(), CL_MEM_READ_WRITE | flags);
          CHECK_NOTHROW(check_call(what, lengths, {.in = all, .out = all}, how));
        }
      }
    }
  }
}

TEST_CASE("calls on shards refuse shards that kernels may only write, and outputs that they may only read") {
  const std::vector<std::size_t> lengths{5'001, 30'000, 4'999};
  const std::vector<cl_mem_flags> any(lengths.size(), CL_MEM_READ_WRITE);
  const auto text = [&](const sharded_call_case& what, const array_flags& flags, making how) -> std::string {
    try {
      check_call(what, lengths, flags, how);
    } catch (const std::exception& thrown) {
      return thrown.what();
    }
    return "";
  };
  for (const sharded_call_case& what : sharded_call_cases()) {
    CAPTURE(what.name);
    const bool over_ranks = contains(what.name, "3 ranks");
    const bool in_place = what.output == sharded_output::in_place;
    for (const making how : {making::whole, making::part_of_restricted}) {
      CAPTURE(static_cast<int>(how));
      for (std::size_t k = 0; k < lengths.size(); ++k) {
        CAPTURE(k);
        const std::string number_of_part = over_ranks ? "rank " + std::to_string(k) + " of 3: shard 1 of 1"
                                                      : "shard " + std::to_string(k + 1) + " of 3";
        auto flags = any;
        flags[k] = CL_MEM_WRITE_ONLY;
        const std::string of_input = text(what, {.in = flags, .out = any}, how);
        CHECK(contains(of_input, "CL_MEM_WRITE_ONLY"));
        CHECK(contains(of_input, number_of_part));
        if (what.output == sharded_output::cut_alike) CHECK(text(what, {.in = any, .out = flags}, how) == "");
        flags[k] = CL_MEM_READ_ONLY;
        CHECK(contains(text(what, {.in = flags, .out = any}, how), "CL_MEM_READ_ONLY") == in_place);
        if (what.output == sharded_output::cut_alike) {
          const std::string of_output = text(what, {.in = any, .out = flags}, how);
          CHECK(contains(of_output, "CL_MEM_READ_ONLY"));
          CHECK(contains(of_output, number_of_part));
        }
      }
      if (what.output == sharded_output::together) {
        CHECK(contains(text(what, {.in = any, .out = {CL_MEM_READ_ONLY}}, how), "CL_MEM_READ_ONLY"));
        // Counts are added to in their place.
        const bool reads = contains(what.name, "histogram");
        CHECK(contains(text(what, {.in = any, .out = {CL_MEM_WRITE_ONLY}}, how), "CL_MEM_WRITE_ONLY") ==
              reads);
      }
    }
  }
}

}  // namespace testing::sharded_access_test
