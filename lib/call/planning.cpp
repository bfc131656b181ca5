// Checked arithmetic of sizes, and what every plan begins with.
#include "call/planning.hpp"

#include <algorithm>
#include <string>

#include <clwave/error.hpp>
#include <clwave/view.hpp>

#include "call/call.hpp"

namespace clwave::detail {

std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > most_size / b) return std::nullopt;
  return a * b;
}

std::optional<std::uint64_t> checked_sum(std::uint64_t a, std::uint64_t b) {
  if (a > most_size || b > most_size - a) return std::nullopt;
  return a + b;
}

void counting::too_large() const {
  refuse(primitive, std::string(what) + " is larger than 63 bits can count");
}

std::uint64_t counting::times(std::uint64_t a, std::uint64_t b) const {
  if (const auto all = checked_product(a, b)) return *all;
  too_large();
}

std::uint64_t counting::plus(std::uint64_t a, std::uint64_t b) const {
  if (const auto all = checked_sum(a, b)) return *all;
  too_large();
}

void check_typed(std::string_view primitive, std::initializer_list<typed_operand> all) {
  for (const typed_operand& each : all) {
    if (each.view == nullptr) continue;
    if (!each.view->has_type()) refuse(primitive, std::string(each.name) + " has no type");
    if (each.view->lazy != nullptr)
      refuse(primitive, "this call takes no elements that lie nowhere for " + std::string(each.name),
             "transform them into a buffer, and give a view of it");
    if (each.view->count != nullptr)
      refuse(primitive, "this call takes no count on the device for " + std::string(each.name),
             "read the count, and give a view of so many elements");
  }
}

std::uint64_t cache_bytes(const target& on) {
  constexpr std::uint64_t usual = 16 << 20;
  // A part of a larger machine is told of the caches of all of it (480 MiB for two cores); of their last
  // level a core of most processors has 1 to 4 MiB.
  constexpr std::uint64_t most_of_unit = 4 << 20;
  const std::uint64_t all = on.facts != nullptr ? on.facts->global_cache.value_or(usual) : usual;
  return std::min(all, most_of_unit * std::max(on.compute_units, 1u));
}

std::string_view why_no_messages(const target& on) {
  if (on.choice.order == group_order::two_launches)
    return "nothing on this device lets a group see what another writes in the same kernel";
  if (on.choice.order == group_order::opencl_atomics && on.facts != nullptr &&
      !on.facts->int64_atomics.value_or(false))
    return "the device has no atomics of 64 bits, which messages are";
  return {};
}

std::uint64_t cpu_groups(std::uint64_t bytes, const target& on, const tuning& tuned) {
  constexpr std::uint64_t least_chunk_bytes = 4096;
  const std::uint64_t most = std::uint64_t{on.compute_units} * tuned.groups_per_unit;
  return std::clamp<std::uint64_t>(bytes / least_chunk_bytes, 1, std::max<std::uint64_t>(most, 1));
}

target target_of(const plan_target& asked) {
  const unsigned units =
      asked.facts != nullptr ? asked.facts->compute_units.value_or(1) : std::max(asked.compute_units, 1u);
  return {asked.facts, asked.choice, asked.group_limit, units};
}

void refuse_subview(std::size_t first, std::size_t n, std::size_t size, std::size_t offset) {
  const bool past_view = first > size || n > size - first;
  throw error(
      failure::bad_call,
      "a subview of " + std::to_string(n) + " elements from element " + std::to_string(first) +
          (past_view ? " ends past its view of " + std::to_string(size)
                     : " ends past every buffer: its view begins at element " + std::to_string(offset)));
}

}  // namespace clwave::detail
