// What calls on shards share: the memory and commands of each shard and of the root device (the home), and
// the copies between them.
#include "distributed/gathering.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <clwave/error.hpp>

#include "base/rounding.hpp"
#include "call/context_entry.hpp"
#include "call/planning.hpp"

namespace clwave::detail {

gathering::~gathering() {
  home_.commands.reset();
  for (place& each : shards_) {
    each.commands.reset();
    each.last_commands.reset();
  }
}

void gathering::set_shard(std::size_t k, std::string_view primitive, const erased_shard& shard,
                          std::span<const profile_choice> rows) {
  place& own = shards_[k];
  own.site = site_of(shard.queue, primitive);
  if (!rows.empty()) own.site.on.choice = rows[k];
  own.at_home = own.site.queue == home().queue;
}

void gathering::set_home(const call_site& site) {
  home_.site = site;
  for (place& each : shards_) each.at_home = each.site.queue == site.queue;
}

void gathering::set_home(std::size_t shard) {
  home_shard_ = shard;
  set_home(site(shard));
}

any_view gathering::check_input(std::string_view primitive, std::size_t k, const call_operand& input,
                                const operand_bytes& output, std::string_view output_name) const {
  const checked_operands checked = check_operands(site(k), primitive, {&input, 1});
  const operand_bytes bytes = checked.bytes(0);
  if (input.view.n > 0 && bytes.whole == output.whole && bytes.first < output.end && output.first < bytes.end)
    refuse(primitive, std::string(input.name) + " and " + std::string(output_name) + " overlap");
  return checked[0];
}

// -------------------------------------------------------------------------------------------------- memory

parcel gathering::take(std::size_t k, std::uint64_t n, std::size_t element_bytes, std::uint64_t home) {
  const std::uint64_t n_bytes = n * element_bytes;
  if (at_home(k)) return {k, home, 0, home, n_bytes};
  const std::uint64_t staged = std::exchange(n_staged_, round_up(n_staged_ + n_bytes, 128));
  return {k, shards_[k].layout.add(n, element_bytes), staged, home, n_bytes};
}

void gathering::take_fragments(const cuts& of, std::size_t inputs, std::size_t element_bytes,
                               const std::function<std::uint64_t(std::size_t, std::size_t)>& home_of,
                               std::size_t room) {
  cuts_ = &of;
  inputs_ = inputs;
  for (const fragment& each : of.fragments) {
    for (std::size_t input = 0; input < inputs; ++input) {
      const std::uint64_t home = home_of(each.cut, input) + each.place * element_bytes;
      fragments_.push_back(take(each.shard, each.n, std::max(element_bytes, room), home));
      fragments_.back().n_bytes = each.n * element_bytes;
    }
  }
}

void gathering::make_memory(place& of) {
  of.memory = std::make_unique<workspace>(of.site, static_cast<std::size_t>(of.layout.own_bytes()));
}

void gathering::make_memory() {
  do_at_home([&] {
    make_memory(home_);
    if (n_staged_ > 0)
      staging_ = home().kept->take_staging(home().device, static_cast<std::size_t>(n_staged_));
  });
  for_each_shard([&](std::size_t k) {
    if (!at_home(k) && shards_[k].layout.own_bytes() > 0) make_memory(shards_[k]);
  });
}

void gathering::give_back() {
  home_.memory->not_in_use();
  for (place& each : shards_)
    if (each.memory != nullptr) each.memory->not_in_use();
  if (staging_ != nullptr) home().kept->give_back_staging(std::move(staging_));
}

// ------------------------------------------------------------------------------------------------- commands

chain& gathering::start(std::size_t k, std::initializer_list<const wait_list*> given) {
  place& own = shards_[k];
  own.commands = std::make_unique<chain>(own.site);
  own.commands->starts_after(given);
  own.commands->starts_also_after((own.at_home ? home_ : own).memory->cleared().get());
  return *own.commands;
}

chain& gathering::go_on(std::size_t k) {
  place& own = shards_[k];
  own.last_commands = std::make_unique<chain>(own.site);
  const wait_list before = (own.at_home ? commands() : *own.commands).behind();
  own.last_commands->starts_after({&before});
  return *own.last_commands;
}

chain& gathering::start_at_home(const wait_list& given) {
  home_.commands = std::make_unique<chain>(home());
  home_.commands->starts_after({&given});
  home_.commands->starts_also_after(home_.memory->cleared().get());
  return *home_.commands;
}

void gathering::wait_for(std::unique_ptr<chain> place::*commands, std::optional<std::size_t> except) const {
  std::optional<error> failed;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    if (k == except || shards_[k].*commands == nullptr) continue;
    try {
      at_shard(k, [&] { (shards_[k].*commands)->finish(); });
    } catch (const error& trouble) {
      if (!failed) failed = trouble;
    }
  }
  if (failed) throw *failed;
}

void gathering::finish_at_home() {
  commands().flush();
  commands().finish();
  give_back();
}

void gathering::abandon_home() noexcept { (home_shard_ ? shards_[*home_shard_] : home_).commands.reset(); }

// ------------------------------------------------------------------------------------------- what is moved

void gathering::send(const parcel& of) {
  if (at_home(of.shard)) return;
  commands(of.shard).read(memory(of.shard), of.at, of.n_bytes, staged(of.staged));
  sent_.push_back(of);
}

void gathering::bring_home() {
  for (const parcel& each : std::exchange(sent_, {}))
    commands().write(staged(each.staged), memory(), each.home, each.n_bytes);
}

void gathering::send_back(const parcel& of) {
  if (!at_home(of.shard)) commands().read(memory(), of.home, of.n_bytes, staged(of.staged));
}

void gathering::take_back(chain& commands, const parcel& of) {
  if (!at_home(of.shard)) commands.write(staged(of.staged), memory(of.shard), of.at, of.n_bytes);
}

void gathering::send_fragments(std::size_t k, std::initializer_list<const any_view*> arrays) {
  const auto [first, end] = cuts_->fragments_of(k);
  for (std::size_t f = first; f < end; ++f) {
    const fragment& each = cuts_->fragments[f];
    std::size_t input = 0;
    for (const any_view* const array : arrays) {
      if (array == nullptr) continue;
      const parcel& to = fragment_of(f, input++);
      const std::size_t size = array->type->size;
      commands(k).copy(array->buffer, (array->offset + each.from) * size, memory(k), to.at, each.n * size);
      send(to);
    }
  }
}

}  // namespace clwave::detail
