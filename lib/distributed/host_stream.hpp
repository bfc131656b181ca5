// A stream of pieces of arrays of the host to one device, which works on them there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include <clwave/host_array.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/context_entry.hpp"
#include "call/workspace.hpp"
#include "call/workspace_pool.hpp"
#include "distributed/chain.hpp"
#include "distributed/shard.hpp"

namespace clwave::detail {

// Neighbouring elements of the arrays, of whole units; the last piece may be short.
struct host_piece {
  std::uint64_t number = 0, first = 0, n = 0;
};

// What streams: one array, or two of one type and length; `y` is null where there is one.
struct streamed_arrays {
  std::string_view primitive;
  const host_elements* x;
  const host_elements* y = nullptr;
  stream_sizes sizes = {};

  const element& value() const { return *x->type; }
  std::uint64_t n() const { return x->n; }
  std::size_t inputs() const { return y == nullptr ? 1 : 2; }
  const host_elements& input(std::size_t k) const { return k == 0 ? *x : *y; }
};

// Writes `n` elements from element `first` on to memory. What the user's function throws goes on as it is.
void fetch(const host_elements& from, std::uint64_t first, std::uint64_t n, void* into);

// One of a call's queues. Its pieces are copied on queues of the library's own, because on one queue drivers
// run one command at a time, and a copy would wait for the work before it.
class host_stream {
 public:
  // Checks the queue. Nothing is enqueued.
  host_stream(const streamed_arrays& arrays, cl_command_queue queue);
  host_stream(const host_stream&) = delete;
  host_stream& operator=(const host_stream&) = delete;

  const call_site& site() const { return site_; }

  // Makes room for pieces of at most so many elements, and takes the queue that they are copied on.
  void open(std::uint64_t piece_n);
  // More room of each slot: n elements in the device's memory, and bytes of the host's. Where it is. Before
  // there is a slot.
  std::uint64_t add(std::uint64_t n, const element& type) { return device_.add(n, type.size); }
  std::uint64_t add_staged(std::uint64_t n_bytes);
  // Takes one more queue of the library's own, on which results go back.
  void open_way_back() { open_queue(leaving_, leaving_site_); }
  std::uint64_t slot_bytes() const { return device_.own_bytes(); }

  // Keeps the queues for later calls. Only where all has ended well.
  void give_back();

  // Whether memory of the host's goes through page-locked memory on its way. Else it is sent from where it
  // lies, or written there.
  bool is_staged(const void* memory, host_pages pages) const;
  bool is_staged() const { return is_staged(0) || (arrays_.inputs() == 2 && is_staged(1)); }
  bool is_staged(std::size_t input) const {
    return is_staged(arrays_.input(input).memory, arrays_.input(input).pages);
  }
  // An input's elements of a piece, where they are on the device.
  any_view elements(std::size_t input) const {
    return {arrays_.value(), 0, elements_[input] / arrays_.value().size};
  }

  const call_site& copying_site() const { return copying_site_; }
  const call_site& leaving_site() const { return leaving_site_; }

  // What one piece after another goes through: memory of the device, and page-locked memory of the host. Of
  // one thread at a time.
  class slot {
   public:
    explicit slot(host_stream& of);
    host_stream& stream() const { return of_; }
    cl_mem buffer() const { return device_.buffer(); }
    unsigned char* staged(std::uint64_t at) const { return static_cast<unsigned char*>(host_->get()) + at; }

    // Copies or reads a piece's elements to page-locked memory, if they go through it.
    void fetch(const host_piece& piece);
    // Enqueues the writes of them to the device: the first commands of `copying`.
    void send(const host_piece& piece, chain& copying);
    // Sends them, has `work` enqueue on the queue itself what is behind, and waits for the end of all.
    // Whichever fails, both have ended before the memory goes.
    template <class Work>
    void work_on(const host_piece& piece, const Work& work) {
      chain copying(of_.copying_site_), working(of_.site_);
      {
        const std::lock_guard lock(of_.enqueueing_);
        send(piece, copying);
        working.starts_also_after(copying.last());
        work(working);
        working.flush();
      }
      copying.finish();
      working.finish();
    }
    // Whether no piece has been sent.
    bool is_new() const { return is_new_; }
    // Keeps the memory for later calls. Only where all commands have ended well.
    void give_back();

   private:
    host_stream& of_;
    workspace device_;
    std::unique_ptr<host_memory> host_;
    bool is_new_ = true;
  };

 private:
  void open_queue(cl::CommandQueue& queue, call_site& site) const;

  const streamed_arrays& arrays_;
  call_site site_;
  cl::CommandQueue copying_, leaving_;
  call_site copying_site_, leaving_site_;
  std::mutex enqueueing_;                       // commands that are to come to two queues in one order
  layout_of_arrays device_;                     // of a slot's memory
  std::uint64_t staged_bytes_ = 0;              // of its page-locked memory
  std::array<std::uint64_t, 2> elements_ = {};  // where in the one the elements of a piece go, in bytes
  std::array<std::uint64_t, 2> staged_ = {};    // and in the other
};

}  // namespace clwave::detail
