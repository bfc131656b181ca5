// A histogram of shards, for the call on one process's shards (histogram_sharded.cpp) and for that on the
// shards of many (histogram_ranks.cpp); and the steps that it has in common with one of pieces of the host
// (histogram_host_array.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <clwave/histogram.hpp>
#include <clwave/sharded_histogram.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "distributed/cuts.hpp"
#include "distributed/gathering.hpp"
#include "distributed/shard.hpp"
#include "primitives/histogram.hpp"
#include "primitives/reduce_columns.hpp"

namespace clwave::detail {

// What a histogram does, for whoever carries its elements (shards of devices, pieces of the host, ranks): how
// a part of them is counted, and how counts are added up.
class histogram_steps {
 public:
  // Of the call on one device: its input has all elements, and no buffer. Throws bad_call. Refers to all that
  // it points to.
  explicit histogram_steps(const histogram_problem& whole);

  const element& value() const { return *whole_.in.type; }
  const element& count_type() const { return *whole_.counts.type; }
  std::uint64_t channels() const { return whole_.channels; }
  // How many counts there are, of all channels together, and their bytes.
  std::uint64_t counts() const { return bins_.bins * channels(); }
  std::uint64_t row_bytes() const { return counts() * count_type().size; }
  // Counts in memory of the call's own from that byte on.
  any_view counts_at(std::uint64_t place) const {
    return {count_type(), counts(), place / count_type().size};
  }
  // What says which bins there are.
  std::vector<std::byte> bins_as_bytes() const;

  // The counts of n elements, to memory of the call's own from that byte on.
  histogram_problem count(const any_view& in, std::uint64_t n, std::uint64_t to) const;
  // Throws bad_call where so many elements cannot be counted, wherever they are.
  void check(std::uint64_t n) const { check_histogram(count(value(), n, 0)); }
  // And where there is no room on the host for the counts.
  void check_room(const void* counts, std::uint64_t n) const;
  // The edges of the bins in a buffer of the call's own; none where they are even.
  cl::Buffer edges_on(const call_site& site) const;
  // Adds counts on the host to others.
  void add(const void* counts, void* to) const;

 private:
  const histogram_problem whole_;
  const asked_bins bins_;
};

class sharded_histogram {
 public:
  // Checks all shards and the counts. Nothing is enqueued.
  explicit sharded_histogram(const sharded_histogram_problem& call);
  void run();

 private:
  struct shard {
    std::optional<any_view> in = {};            // where its first whole pixel begins
    cl::Buffer edges = {};                      // the host's
    ready_call<histogram_variant> counts = {};  // of its whole pixels
    parcel row = {};                            // of those counts
  };

  void check_home();
  void check_shard(std::size_t k);
  bool is_alone();
  void make_places();
  void make_ready();
  void make_sum_ready();
  void start(std::size_t k);
  void sum();

  const sharded_histogram_problem& call_;
  std::optional<histogram_steps> steps_;
  std::optional<any_view> out_;  // the counts
  operand_bytes out_bytes_ = {};
  const shard_lengths lengths_;
  cuts cuts_;  // into pixels
  std::vector<shard> shards_;
  std::uint64_t rows_ = 0;  // where at home the counts of all shards begin, a row each
  std::uint64_t n_rows_ = 0;
  std::uint64_t gathered_ = 0;  // and the cut pixels
  cl::Buffer edges_;            // the host's
  ready_call<histogram_variant> gathered_counts_ = {};
  ready_call<reduce_columns_variant> sum_of_rows_ = {};
  gathering all_;  // goes first: it waits for what the others are read by
};

}  // namespace clwave::detail
