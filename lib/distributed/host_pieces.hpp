// The pieces of arrays of the host, and the threads that take them through a call's queues.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/error.hpp>

#include "distributed/host_stream.hpp"

namespace clwave::detail {

class host_pieces {
 public:
  using piece_work = std::function<void(std::size_t k, host_stream::slot& with, const host_piece& piece)>;
  using slot_work = std::function<void(std::size_t k, host_stream::slot& with)>;

  // Checks the arrays and the queues, and for each queue what `check` looks at. Nothing is enqueued.
  host_pieces(const streamed_arrays& arrays, std::span<const cl_command_queue> queues,
              const std::function<void(const call_site& site)>& check);

  // Does something on the device of queue `k`. What it throws names the queue and the device.
  template <class Do>
  auto at_queue(std::size_t k, const Do& what) const {
    try {
      return what();
    } catch (const error& trouble) {
      throw of_queue(trouble, k);
    }
  }

  // Cuts the arrays, of which there are elements, into pieces of whole units of `unit` elements, that move
  // `unit_bytes` in one direction; has `open` prepare the stream of each queue that has one.
  void cut(std::uint64_t unit, std::uint64_t unit_bytes, const std::function<void(std::size_t k)>& open);

  // The first piece, and the last, which may be shorter than all others. In a slot is room for the first.
  host_piece first() const { return piece(0); }
  host_piece last() const { return piece(pieces_ - 1); }
  bool is_last(const host_piece& piece) const { return piece.number + 1 == pieces_; }
  // How many queues have pieces.
  std::size_t used() const { return used_; }
  host_stream& stream(std::size_t k) const { return *streams_[k]; }

  // Has all pieces worked on, each in one of the threads of a queue, and then `last` once by each thread that
  // had one, where there is such. Throws the first error when all have ended; no piece is begun after it.
  void run(const piece_work& each, const slot_work& last = {});

  // Waits until the piece before has called pass_turn(). False where something has gone wrong, and no turn
  // comes. All pieces of a run call both, or none does.
  bool wait_for_turn(const host_piece& piece);
  void pass_turn();

  // Keeps the streams' queues for later calls. Only where all has ended well.
  void give_back();

 private:
  // What went wrong, told with the queue's number and device.
  error of_queue(const error& trouble, std::size_t k) const;
  void check_array(const host_elements& array, std::string_view name) const;
  host_piece piece(std::uint64_t number) const;
  unsigned at_once(const host_stream& on) const;
  std::optional<host_piece> next_piece();
  void work(std::size_t k, const piece_work& each, const slot_work& last) noexcept;

  const streamed_arrays& arrays_;
  std::vector<std::unique_ptr<host_stream>> streams_;
  std::uint64_t piece_n_ = 0, pieces_ = 0;  // elements of a piece, but the last; how many there are
  std::size_t used_ = 0;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr trouble_;  // the first
  std::uint64_t turn_ = 0;      // the piece whose it is
  std::condition_variable turned_;
};

// Whether two arrays of the host share bytes.
bool overlap(const void* a, std::uint64_t a_bytes, const void* b, std::uint64_t b_bytes);

}  // namespace clwave::detail
