// What a call does with its block of workspace, or with what the caller gave instead.
#include "call/workspace.hpp"

#include <algorithm>
#include <cstdint>

#include <clwave/cache.hpp>

#include "call/context_entry.hpp"

namespace clwave::detail {

std::size_t most_kept_workspace(const call_site& site) {
  const std::uint64_t memory = site.on.facts != nullptr ? site.on.facts->global_memory.value_or(0) : 0;
  return std::max(kept_workspace_bytes, static_cast<std::size_t>(memory / kept_workspace_share));
}

workspace::workspace(const call_site& site, std::size_t own_bytes, kept_for what) : site_(site) {
  take(own_bytes, what);
}

workspace::workspace(const call_site& site, const described_work& call, std::span<const cl_event> after,
                     const given_workspace& given)
    : site_(site) {
  if (given.memory == nullptr || given.memory->empty()) {
    take(static_cast<std::size_t>(call.workspace_bytes), call.messages ? kept_for::messages : kept_for::any);
    return;
  }
  given_ =
      check_workspace(site, given.primitive, *given.memory, own_at + call.workspace_bytes, *given.operands);
  if (call.zeroed_bytes != 0)
    cleared_ = clear(site.queue, given_(), counter_at, static_cast<std::size_t>(call.zeroed_bytes), after);
}

void workspace::take(std::size_t own_bytes, kept_for what) {
  const std::size_t n_bytes = (own_at + own_bytes + granule - 1) / granule * granule;
  block_ = site_.kept->workspaces().take(site_.queue, site_.device, site_.in_order, n_bytes, what);
  if (block_ == nullptr) {
    block_ = std::make_unique<workspace_block>(site_.context, site_.device, n_bytes, what);
    block_->clear(site_.queue, what == kept_for::messages ? n_bytes : own_at);
  }
  if (what == kept_for::messages) block_->next_call(site_.queue);
}

workspace::~workspace() {
  if (block_ != nullptr && returned_)
    site_.kept->workspaces().give_back(std::move(block_), most_kept_workspace(site_));
}

void workspace::used_until(const event& last) {
  if (block_ != nullptr) block_->used_until(site_.queue, site_.in_order, last);
  returned_ = true;
}

void workspace::not_in_use() {
  if (block_ != nullptr) block_->not_in_use();
  returned_ = true;
}

std::uint64_t workspace_parts::take(std::uint64_t count, std::uint64_t each) {
  const std::uint64_t at = round_up(end_, std::uint64_t{workspace::part_alignment});
  end_ = room_.plus(at, room_.times(count, each));
  return at;
}

}  // namespace clwave::detail
