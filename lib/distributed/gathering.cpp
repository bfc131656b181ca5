// The steps that calls on shards share whose results lie in one place.
#include "distributed/gathering.hpp"

#include <optional>
#include <string>
#include <utility>

#include <clwave/error.hpp>

#include "base/rounding.hpp"
#include "call/context_entry.hpp"
#include "call/planning.hpp"

namespace clwave::detail {

gathering::~gathering() {
  home_.commands.reset();
  for (place& each : shards_) each.commands.reset();
}

void gathering::set_shard(std::size_t k, const call_site& site) {
  shards_[k].site = site;
  shards_[k].at_home = site.queue == home().queue;
}

any_view gathering::check_input(std::string_view primitive, std::size_t k, const call_operand& input,
                                const operand_bytes& output, std::string_view output_name) const {
  const checked_operands checked = check_operands(site(k), primitive, {&input, 1});
  const operand_bytes bytes = checked.bytes(0);
  if (input.view.n > 0 && bytes.whole == output.whole && bytes.first < output.end && output.first < bytes.end)
    refuse(primitive, std::string(input.name) + " and " + std::string(output_name) + " overlap");
  return checked[0];
}

std::uint64_t gathering::stage(std::uint64_t n_bytes) {
  return std::exchange(n_staged_, round_up(n_staged_ + n_bytes, 128));
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
  for (std::size_t k = 0; k < shards_.size(); ++k)
    if (!at_home(k) && shards_[k].layout.own_bytes() > 0) at_shard(k, [&] { make_memory(shards_[k]); });
}

chain& gathering::start(std::size_t k, std::initializer_list<const wait_list*> given) {
  place& own = shards_[k];
  own.commands = std::make_unique<chain>(own.site);
  own.commands->starts_after(given);
  own.commands->starts_also_after((own.at_home ? home_ : own).memory->cleared().get());
  return *own.commands;
}

void gathering::wait_for_shards() {
  std::optional<error> failed;
  for (std::size_t k = 0; k < shards_.size(); ++k) {
    if (shards_[k].commands == nullptr) continue;
    try {
      at_shard(k, [&] { shards_[k].commands->finish(); });
    } catch (const error& trouble) {
      if (!failed) failed = trouble;
    }
  }
  if (failed) throw *failed;
}

chain& gathering::start_at_home(const wait_list& given) {
  home_.commands = std::make_unique<chain>(home());
  home_.commands->starts_after({&given});
  home_.commands->starts_also_after(home_.memory->cleared().get());
  return *home_.commands;
}

void gathering::finish_at_home() {
  home_.commands->flush();
  home_.commands->finish();
  home_.memory->not_in_use();
  for (place& each : shards_)
    if (each.memory != nullptr) each.memory->not_in_use();
  if (staging_ != nullptr) home().kept->give_back_staging(std::move(staging_));
}

}  // namespace clwave::detail
