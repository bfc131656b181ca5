// A stream of pieces of an array of the host to one device, which folds their tiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include <clwave/host_array.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/context_entry.hpp"
#include "call/workspace.hpp"
#include "call/workspace_pool.hpp"
#include "parts/piece.hpp"

namespace clwave::detail {

// Neighbouring elements of the array, of whole tiles; the array's last tile may be short.
struct host_piece {
  std::uint64_t first = 0, n = 0;
};

// One of a call's queues. Its pieces are copied on a queue of the library's own, for on one queue drivers run
// one command at a time, and a copy would wait for the fold before it.
class host_stream {
 public:
  // Checks the queue, and whether its device takes the types and the operator. Nothing is enqueued.
  host_stream(const host_call& call, cl_command_queue queue);
  host_stream(const host_stream&) = delete;
  host_stream& operator=(const host_stream&) = delete;

  const call_site& site() const { return site_; }
  // A reduction on this device of elements in its memory, or of none.
  reduce_call call_on(const operand& x, const operand& y) const;
  // For pieces of at most so many elements. Builds the program that folds them.
  void open(std::uint64_t piece_n);

  // Keeps the queue for later calls. Only where all has ended well.
  void give_back() { site_.kept->give_back_queue(site_.device, std::move(copying_)); }

  // Whether an input's elements go through page-locked memory first. Else they are sent from where they lie.
  bool is_staged(std::size_t input) const;
  bool is_staged() const { return is_staged(0) || (inputs() == 2 && is_staged(1)); }

  // What one piece after another goes through: memory of the device, and page-locked memory of the host. Of
  // one thread at a time.
  class slot {
   public:
    explicit slot(host_stream& of);
    // Where a piece's elements are to lie when fold() is called, for an input that is staged.
    void* staged(std::size_t input) const { return at(of_.staged_[input]); }
    // Folds the tiles of a piece, and leaves their results, one behind another. Blocks.
    void fold(const host_piece& piece, std::byte* results);
    // Keeps the memory for later calls. Only where all folds have ended well.
    void give_back();

   private:
    void* at(std::uint64_t place) const { return static_cast<unsigned char*>(host_->get()) + place; }

    host_stream& of_;
    workspace device_;
    std::unique_ptr<host_memory> host_;
  };

 private:
  const element& value() const { return *call_.x->type; }
  std::size_t inputs() const { return call_.y == nullptr ? 1 : 2; }
  const host_elements& input(std::size_t k) const { return k == 0 ? *call_.x : *call_.y; }
  reduce_question question_of_piece(const host_piece& piece) const;

  const host_call& call_;
  call_site site_;
  cl::CommandQueue copying_;
  call_site copying_site_;
  std::mutex enqueueing_;                       // pieces come to both queues in one order
  std::array<std::uint64_t, 2> elements_ = {};  // where in the device's memory those of a piece go, in bytes
  std::uint64_t results_ = 0;                   // and the results of its tiles
  std::uint64_t device_bytes_ = 0;              // of that memory
  std::array<std::uint64_t, 2> staged_ = {};    // the same of the page-locked memory
  std::uint64_t staged_results_ = 0, host_bytes_ = 0;
};

}  // namespace clwave::detail
