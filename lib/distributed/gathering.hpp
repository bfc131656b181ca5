// The memory and the commands of a call whose shards all send something to one queue, the home, which makes
// the call's results of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>

#include "call/call.hpp"
#include "call/operands.hpp"
#include "call/workspace.hpp"
#include "call/workspace_pool.hpp"
#include "distributed/chain.hpp"
#include "distributed/shard.hpp"

namespace clwave::detail {

class gathering {
 public:
  explicit gathering(std::size_t shards) : shards_(shards) {}
  // Waits for all commands first: what they read and write may go with this, or with whoever has it.
  ~gathering();
  gathering(const gathering&) = delete;
  gathering& operator=(const gathering&) = delete;

  // Where a shard's commands go, and the home's. Set once, the home's first.
  void set_home(const call_site& site) { home_.site = site; }
  void set_shard(std::size_t k, const call_site& site);
  const call_site& home() const { return home_.site; }
  const call_site& site(std::size_t k) const { return shards_[k].site; }
  // Whether a shard's queue is the home's. What such a shard sends need not leave the device.
  bool at_home(std::size_t k) const { return shards_[k].at_home; }

  // Does something for a shard, or at home. What it throws names the shard and the device.
  template <class Do>
  auto at_shard(std::size_t k, const Do& what) const {
    return for_shard(k, shards_.size(), site(k), what);
  }
  template <class Do>
  auto do_at_home(const Do& what) const {
    return for_site(home(), what);
  }

  // Checks an input in a shard, and that it lies apart from the output, whose name is in errors. Throws
  // bad_call.
  any_view check_input(std::string_view primitive, std::size_t k, const call_operand& input,
                       const operand_bytes& output, std::string_view output_name) const;

  // Takes room: in the memory of a shard that is not at home, at home, and on the host between the two. The
  // place is the first byte's.
  std::uint64_t take(std::size_t k, std::uint64_t n, std::size_t element_bytes) {
    return shards_[k].layout.add(n, element_bytes);
  }
  std::uint64_t take_at_home(std::uint64_t n, std::size_t element_bytes) {
    return home_.layout.add(n, element_bytes);
  }
  std::uint64_t stage(std::uint64_t n_bytes);

  // Gets all memory that was taken.
  void make_memory();
  cl_mem memory() const { return home_.memory->buffer(); }
  // The home's, for a shard that is at home.
  cl_mem memory(std::size_t k) const { return at_home(k) ? memory() : shards_[k].memory->buffer(); }
  unsigned char* staged(std::uint64_t at) const { return static_cast<unsigned char*>(staging_->get()) + at; }

  // A shard's commands, after what was given for the arrays that they read or write (chain::starts_after).
  chain& start(std::size_t k, std::initializer_list<const wait_list*> given);
  // The end of all of them, whichever fails first.
  void wait_for_shards();
  // The home's commands, once those of other shards have ended.
  chain& start_at_home(const wait_list& given);
  // The end of the home's commands. Then all has ended well, and memory may be used again.
  void finish_at_home();

 private:
  struct place {
    call_site site;
    bool at_home = false;
    layout_of_arrays layout = {};
    std::unique_ptr<workspace> memory = {};
    std::unique_ptr<chain> commands = {};
  };

  static void make_memory(place& of);

  place home_;
  std::vector<place> shards_;
  std::unique_ptr<host_memory> staging_;
  std::uint64_t n_staged_ = 0;  // bytes of it
};

}  // namespace clwave::detail
