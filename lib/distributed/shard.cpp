// Memory of calls on shards, and their errors.
#include "distributed/shard.hpp"

#include <string_view>
#include <utility>

#include "call/planning.hpp"

namespace clwave::detail {

shard_lengths lengths_of(std::string_view primitive, std::span<const erased_shard> shards) {
  if (shards.empty())
    refuse(primitive, "there are no shards", "add one shard at least, if it is an empty one");
  shard_lengths all;
  for (const erased_shard& shard : shards) {
    all.n = counting{primitive, "all shards together"}.plus(all.n, shard.elements.n);
    all.each.push_back(shard.elements.n);
  }
  return all;
}

any_view array_at(cl_mem buffer, std::uint64_t first_byte, std::uint64_t n, const element& type) {
  return {buffer, static_cast<std::size_t>(n), static_cast<std::size_t>(first_byte / type.size), &type};
}

namespace {

error told_as(const error& trouble, const std::string& who, const call_site& site) {
  const std::string_view all = trouble.what();
  error_details details = trouble.details();
  if (details.device.empty() && site.on.facts != nullptr) details.device = site.on.facts->name.value_or("");
  return {trouble.kind(), who + std::string(all.substr(0, all.find('\n'))), trouble.code(),
          std::move(details)};
}

}  // namespace

error with_device(const error& trouble, const call_site& site) { return told_as(trouble, "", site); }

error of_shard(const error& trouble, std::size_t k, std::size_t count, const call_site& site) {
  return told_as(trouble, "shard " + std::to_string(k + 1) + " of " + std::to_string(count) + ": ", site);
}

}  // namespace clwave::detail
