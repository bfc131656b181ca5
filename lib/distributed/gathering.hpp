// The one mover of a call on shards: the memory and the commands of the shards and of the home, the queue
// where what they send comes together, and all that goes from one to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>
#include <clwave/profile.hpp>
#include <clwave/sharded.hpp>

#include "call/call.hpp"
#include "call/operands.hpp"
#include "call/workspace.hpp"
#include "call/workspace_pool.hpp"
#include "distributed/chain.hpp"
#include "distributed/cuts.hpp"
#include "distributed/shard.hpp"

namespace clwave::detail {

// An array that goes between a shard and the home, in bytes. Where the shard is at home it is in one place.
struct parcel {
  std::size_t shard = 0;
  std::uint64_t at = 0;      // in the shard's memory
  std::uint64_t staged = 0;  // on the host, between the two
  std::uint64_t home = 0;    // in the home's memory
  std::uint64_t n_bytes = 0;
};

class gathering {
 public:
  // Errors number the shards behind `before` others, of so many: these all, or more.
  explicit gathering(std::size_t shards, std::size_t before = 0, std::size_t of = 0)
      : shards_(shards), before_(before), of_(of > shards ? of : shards) {}
  // Waits for all commands first: what they read and write may go with this, or with whoever has it.
  ~gathering();
  gathering(const gathering&) = delete;
  gathering& operator=(const gathering&) = delete;

  // Where a shard's commands go, on the row that was chosen for it, and the home's: on a queue of its own, or
  // on that of a shard, with which it then has its commands in common.
  void set_shard(std::size_t k, std::string_view primitive, const erased_shard& shard,
                 std::span<const profile_choice> rows);
  void set_home(const call_site& site);
  void set_home(std::size_t shard);
  const call_site& home() const { return home_.site; }
  const call_site& site(std::size_t k) const { return shards_[k].site; }
  // Whether a shard's queue is the home's. What such a shard sends need not leave the device, and it writes
  // to the home's memory: what earlier commands do with that is kept apart by the queue's order.
  bool at_home(std::size_t k) const { return shards_[k].at_home; }

  // Does something for a shard, or at home. What it throws names the shard and the device.
  template <class Do>
  auto at_shard(std::size_t k, const Do& what) const {
    return for_shard(before_ + k, of_, site(k), what);
  }
  template <class Do>
  auto do_at_home(const Do& what) const {
    return home_shard_ ? at_shard(*home_shard_, what) : for_site(home(), what);
  }
  template <class Do>
  void for_each_shard(const Do& what) const {
    for (std::size_t k = 0; k < shards_.size(); ++k) at_shard(k, [&] { what(k); });
  }

  // Checks an input in a shard, and that it lies apart from the output, whose name is in errors. Throws
  // bad_call.
  any_view check_input(std::string_view primitive, std::size_t k, const call_operand& input,
                       const operand_bytes& output, std::string_view output_name) const;

  // Takes room, before there is memory: at home, where the place is the first byte's; and for what goes
  // between a shard and that byte of the home's memory.
  std::uint64_t take_at_home(std::uint64_t n, std::size_t element_bytes) {
    return home_.layout.add(n, element_bytes);
  }
  parcel take(std::size_t k, std::uint64_t n, std::size_t element_bytes, std::uint64_t home);
  // For what shards have of tiles that are cut, of each input: home_of(which cut tile, input) is where in the
  // home's memory the tile begins. `room` are the bytes for an element, if other things go the same way.
  void take_fragments(const cuts& of, std::size_t inputs, std::size_t element_bytes,
                      const std::function<std::uint64_t(std::size_t cut, std::size_t input)>& home_of,
                      std::size_t room = 0);
  const parcel& fragment_of(std::size_t f, std::size_t input = 0) const {
    return fragments_[f * inputs_ + input];
  }

  cl_mem memory() const { return home_.memory->buffer(); }
  // The home's, for a shard that is at home.
  cl_mem memory(std::size_t k) const { return at_home(k) ? memory() : shards_[k].memory->buffer(); }

  // A shard's commands, after what was given for the arrays that they read or write (chain::starts_after).
  chain& start(std::size_t k, std::initializer_list<const wait_list*> given);
  chain& commands(std::size_t k) { return *shards_[k].commands; }
  // More of them, behind the home's where the shard is there. These are not waited for at home.
  chain& go_on(std::size_t k);
  // The home's commands: those of its shard, or others that start after what was given.
  chain& start_at_home(const wait_list& given);
  chain& commands() { return home_shard_ ? commands(*home_shard_) : *home_.commands; }
  // The end of those that go_on() began, whichever fails first.
  void wait_for_last() { wait_for(&place::last_commands, std::nullopt); }
  // All commands have ended well: memory may be used again.
  void give_back();
  // The end of the home's commands, where they are the last.
  void finish_at_home();
  // Waits for their end, well or not: what they read or write goes now.
  void abandon_home() noexcept;

  // The steps of a call, once there are all programs: start(k) has a shard begin what its part comes to and
  // send it, and when all have, finish() has the home make the results of it. `meanwhile` is what else there
  // is to do before.
  template <class Start, class Finish>
  void run(const Start& start, const Finish& finish, const std::function<void()>& meanwhile = {}) {
    make_memory();
    for_each_shard(start);
    if (meanwhile) meanwhile();
    wait_for_shards();
    do_at_home(finish);
  }

  // A parcel on its way: from the shard, by its commands; then home, with all others, by the home's; and
  // back, by the home's and by the shard's. Nothing moves where the shard is at home.
  void send(const parcel& of);
  void bring_home();
  void send_back(const parcel& of);
  void take_back(chain& commands, const parcel& of);
  // What a shard has of cut tiles, from its arrays, of which one may be null that there is not: through
  // memory of the call's own, since the host may not be allowed to read the caller's.
  void send_fragments(std::size_t k, std::initializer_list<const any_view*> arrays);

 private:
  struct place {
    call_site site;
    bool at_home = false;
    layout_of_arrays layout = {};
    std::unique_ptr<workspace> memory = {};
    std::unique_ptr<chain> commands = {};
    std::unique_ptr<chain> last_commands = {};
  };

  // Gets all memory that was taken.
  void make_memory();
  static void make_memory(place& of);
  // The end of the shards' commands; not of those that are the home's too.
  void wait_for_shards() { wait_for(&place::commands, home_shard_); }
  void wait_for(std::unique_ptr<chain> place::*commands, std::optional<std::size_t> except) const;
  unsigned char* staged(std::uint64_t at) const { return static_cast<unsigned char*>(staging_->get()) + at; }

  place home_;
  std::optional<std::size_t> home_shard_;
  std::vector<place> shards_;
  const std::size_t before_, of_;
  const cuts* cuts_ = nullptr;
  std::size_t inputs_ = 1;
  std::vector<parcel> fragments_;  // of each, those of all inputs
  std::vector<parcel> sent_;       // and not yet at home
  std::unique_ptr<host_memory> staging_;
  std::uint64_t n_staged_ = 0;  // bytes of it
};

}  // namespace clwave::detail
