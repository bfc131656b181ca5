// Memory of calls on shards, and their errors.
#include "distributed/shard.hpp"

#include <string_view>
#include <utility>

namespace clwave::detail {

void check_has_shards(std::string_view primitive, std::size_t count) {
  if (count == 0) refuse(primitive, "there are no shards", "add one shard at least, if it is an empty one");
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
