// What a call does with its block of workspace.
#include "call/workspace.hpp"

#include "call/context_entry.hpp"

namespace clwave {

workspace::workspace(const call_site& site, std::size_t own_bytes, kept_for what) : site_(site) {
  const std::size_t n_bytes = (own_at + own_bytes + granule - 1) / granule * granule;
  block_ = site.kept->workspaces().take(site.queue, site.device, site.in_order, n_bytes, what);
  if (block_ != nullptr) {
    if (what == kept_for::messages) block_->next_call(site.queue);
    return;
  }
  block_ = std::make_unique<workspace_block>(site.context, site.device, n_bytes, what);
  block_->clear(site.queue, what == kept_for::messages ? n_bytes : own_at);
  if (what == kept_for::messages) block_->next_call(site.queue);
}

workspace::~workspace() {
  if (returned_) site_.kept->workspaces().give_back(std::move(block_));
}

void workspace::used_until(const event& last) {
  block_->used_until(site_.queue, site_.in_order, last);
  returned_ = true;
}

void workspace::not_in_use() {
  block_->not_in_use();
  returned_ = true;
}

}  // namespace clwave
