// Copies from one device of a platform to another, in a context of both, in each way that OpenCL has.
#include <algorithm>

#include "drivers/copies.hpp"

namespace clwave::tool::copies {
namespace {

// What all pairs of a platform share.
struct common_objects {
  explicit common_objects(const std::vector<copying_device>& on) : context(context_of(on)), words(context) {
    for (const copying_device& each : on) queues.push_back(queue_on(context, each));
  }
  cl::Context context;
  words_in words;
  std::vector<cl::CommandQueue> queues;
};

// One end of a copy.
struct copy_end {
  const copying_device& device;
  cl::CommandQueue queue;
};

class pair_bench {
 public:
  pair_bench(common_objects& all, copy_end from, copy_end to)
      : all_(all),
        from_(std::move(from)),
        to_(std::move(to)),
        bytes_(std::min(from_.device.bytes(transfer_bytes), to_.device.bytes(transfer_bytes))),
        source_(buffer_in(all.context, bytes_)),
        target_(buffer_in(all.context, bytes_)),
        others_(buffer_in(all.context, 4)) {}
  std::uint64_t bytes() const { return bytes_; }

  void time(const stopwatch& watch, json& record) {
    const std::string place = from_.device.place() + " to " + to_.device.place() + ", ";
    const auto put = [this](cl_uint sample) { put_in_place(sample); };
    const auto check_target = [this](cl_uint sample) {
      read(target_, sample);
      expect_none();
    };
    const auto check_count = [this](cl_uint) { expect_none(); };

    record["copy_by_source"] = watch.speed(
        place + "by clEnqueueCopyBuffer on the source's queue", bytes_,
        {.copy = [this](cl_uint) { copy_on(from_.queue); }, .before = put, .after = check_target});
    record["copy_by_target"] =
        watch.speed(place + "by clEnqueueCopyBuffer on the target's queue", bytes_,
                    {.copy = [this](cl_uint) { copy_on(to_.queue); }, .before = put, .after = check_target});
    double asking = 0;
    double reading = 0;
    record["migrate"] = watch.speed(place + "by clEnqueueMigrateMemObjects", bytes_,
                                    {.copy =
                                         [&](cl_uint sample) {
                                           const auto start = clock::now();
                                           migrate();
                                           asking = seconds_since(start);
                                           read(source_, sample);
                                           finish(to_.queue);
                                           reading = seconds_since(start) - asking;
                                         },
                                     .before = put,
                                     .after = check_count});
    record["migrate_asked_share"] =
        record["migrate"]["why"].is_null() ? json(asking / std::max(asking + reading, 1e-9)) : json();
    const auto read_source = [this](cl_uint sample) {
      read(source_, sample);
      finish(to_.queue);
    };
    // The same kernel where nobody asks, and where the data are there because it has read them once.
    record["unasked"] = watch.speed(place + "by a kernel that reads", bytes_,
                                    {.copy = read_source, .before = put, .after = check_count});
    record["read_there"] = watch.speed(place + "read where they are", bytes_,
                                       {.copy = read_source,
                                        .before =
                                            [&](cl_uint sample) {
                                              put_in_place(sample);
                                              read_source(sample);
                                            },
                                        .after = check_count});
    with_made(
        record, {"by_hand"},
        [&] { return std::make_unique<locked_memory>(all_.context, from_.queue, slots * piece_bytes()); },
        [&](const locked_memory& memory) {
          record["by_hand"] = watch.speed(
              place + "by hand", bytes_,
              {.copy = [&](cl_uint) { carry(memory.at()); }, .before = put, .after = check_target});
        });
  }

 private:
  static constexpr std::uint64_t slots = 4;
  std::uint64_t piece_bytes() const { return std::max<std::uint64_t>(bytes_ / 32, 4096); }
  std::uint64_t bytes_of_piece(std::uint64_t k) const {
    return std::min(piece_bytes(), bytes_ - k * piece_bytes());
  }

  // Each buffer is written on the device where it is to lie, with other words than in the last sample.
  void put_in_place(cl_uint sample) {
    all_.words.set(from_.queue, from_.device, source_, bytes_, sample);
    finish(from_.queue);
    all_.words.set(to_.queue, to_.device, target_, bytes_, ~sample);
    const cl_uint none = 0;
    detail::check(to_.queue.enqueueWriteBuffer(others_, CL_TRUE, 0, 4, &none), "write a counter");
    finish(to_.queue);
  }
  void copy_on(const cl::CommandQueue& queue) {
    detail::check(queue.enqueueCopyBuffer(source_, target_, 0, 0, bytes_), "copy");
    finish(queue);
  }
  void migrate() {
    const cl_mem memory = source_();
    detail::check(clEnqueueMigrateMemObjects(to_.queue(), 1, &memory, 0, 0, nullptr, nullptr), "migrate");
    finish(to_.queue);
  }
  void read(const cl::Buffer& x, cl_uint sample) {
    all_.words.count_others(to_.queue, to_.device, x, bytes_, sample, others_);
  }
  void expect_none() {
    cl_uint found = 0;
    detail::check(to_.queue.enqueueReadBuffer(others_, CL_TRUE, 0, 4, &found), "read a counter");
    if (found != 0) throw wrong_data();
  }

  // Piece by piece through page-locked memory: while one is written to the target, the next ones are read
  // from the source.
  void carry(unsigned char* memory) {
    const std::uint64_t pieces = (bytes_ + piece_bytes() - 1) / piece_bytes();
    std::vector<cl::Event> came(slots);
    std::vector<cl::Event> went(slots);
    for (std::uint64_t k = 0; k < pieces + slots - 1; ++k) {
      const std::uint64_t coming = k % slots;
      if (k < pieces) {
        if (k >= slots) detail::check(went[coming].wait(), "write a piece", detail::doing::outcome);
        detail::check(from_.queue.enqueueReadBuffer(source_, CL_FALSE, k * piece_bytes(), bytes_of_piece(k),
                                                    memory + coming * piece_bytes(), nullptr, &came[coming]),
                      "read a piece");
        detail::check(from_.queue.flush(), "flush a queue");
      }
      if (k + 1 < slots || k + 1 - slots >= pieces) continue;
      const std::uint64_t w = k + 1 - slots;
      const std::uint64_t going = w % slots;
      detail::check(came[going].wait(), "read a piece", detail::doing::outcome);
      detail::check(to_.queue.enqueueWriteBuffer(target_, CL_FALSE, w * piece_bytes(), bytes_of_piece(w),
                                                 memory + going * piece_bytes(), nullptr, &went[going]),
                    "write a piece");
      detail::check(to_.queue.flush(), "flush a queue");
    }
    finish(to_.queue);
  }

  common_objects& all_;
  copy_end from_, to_;
  std::uint64_t bytes_;
  cl::Buffer source_, target_, others_;
};

constexpr const char* pair_speeds[] = {"copy_by_source", "copy_by_target", "migrate",
                                       "unasked",        "read_there",     "by_hand"};

// All pairs of up to three devices. Of more, in few seconds, those of the first device and those of
// neighbours, one way.
bool is_timed(std::size_t from, std::size_t to, std::size_t devices) {
  return devices <= 3 ? from != to : from < to && (from == 0 || to == from + 1);
}

bool all_known(const json& record) {
  return std::ranges::all_of(pair_speeds,
                             [&](const char* each) { return record.at(each).at("why").is_null(); });
}

}  // namespace

void time_pairs(const stopwatch& watch, const std::vector<copying_device>& on) {
  const unsigned platform = on[0].platform_index;
  std::unique_ptr<common_objects> all;
  std::string why;
  const auto make_common = [&] {
    watch.answer()("timing", "a context of all devices of platform " + std::to_string(platform));
    try {
      all = std::make_unique<common_objects>(on);
    } catch (const std::exception& failed) {
      why = said_by(failed);
    }
  };
  make_common();
  watch.answer()("timed", {{"of", "platform"},
                           {"platform", platform},
                           {"common_context", all != nullptr},
                           {"why", all != nullptr ? json() : json(why)}});
  if (all == nullptr) return;
  for (std::size_t from = 0; from < on.size(); ++from) {
    for (std::size_t to = 0; to < on.size(); ++to) {
      if (!is_timed(from, to, on.size())) continue;
      // What failed may have taken the context with it.
      if (all == nullptr) make_common();
      json record = {{"of", "pair"},
                     {"platform", platform},
                     {"from", on[from].device_index},
                     {"to", on[to].device_index},
                     {"bytes", nullptr}};
      with_made(
          record, {"copy_by_source", "copy_by_target", "migrate", "unasked", "read_there", "by_hand"},
          [&] {
            if (all == nullptr) throw error(failure::driver, why);
            return std::make_unique<pair_bench>(*all, copy_end{on[from], all->queues[from]},
                                                copy_end{on[to], all->queues[to]});
          },
          [&](pair_bench& bench) {
            record["bytes"] = bench.bytes();
            bench.time(watch, record);
          });
      watch.answer()("timed", record);
      if (!all_known(record)) all.reset();
    }
  }
}

}  // namespace clwave::tool::copies
