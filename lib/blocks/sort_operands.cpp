// The operands of sorts.
#include "blocks/sort_operands.hpp"

#include <string>

#include <clwave/error.hpp>

#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
void check_sort_types(std::string_view primitive, const sort_types& types, std::uint64_t n) {
  const auto no = [&](const std::string& message, std::string_view advice = {}) {
    throw error(
        failure::bad_call, message, CL_SUCCESS,
        {.primitive = std::string(primitive), .types = types.keys->name, .advice = std::string(advice)});
  };
  if (types.keys_out == nullptr) {
    if (types.values != nullptr || types.values_out == nullptr)
      no("an argsort has no values, and an output for its indices");
    const std::string& index = types.values_out->opencl_name;
    if (index != "uint" && index != "ulong")
      no("indices of " + types.values_out->name, "indices are of 32 or 64 bits, without a sign");
    if (index == "uint" && n > std::uint64_t{1} << 32)
      no(std::to_string(n) + " keys have indices that 32 bits do not hold", "give indices of 64 bits");
    return;
  }
  if (!are_alike(*types.keys_out, *types.keys)) no("the output of the keys is of " + types.keys_out->name);
  if ((types.values == nullptr) != (types.values_out == nullptr))
    no("there are values without an output for them, or such an output without values");
  if (types.values == nullptr) return;
  if (!are_alike(*types.values, *types.values_out))
    no("the values are of " + types.values->name + ", their output of " + types.values_out->name);
  if (types.values->size == 0 || types.values->size > 128) no("values have 1 to 128 bytes");
}

void add_place(described_launch& launch, const char* name, const char* at_name, const sort_place& where) {
  if (where.operand)
    launch.buffer(name, *where.operand);
  else
    launch.workspace(name);
  launch.value(at_name, where.at);
}

std::size_t sort_operands::add(const call_operand& each, const element* type) {
  types_[count_] = type;
  buffers_[count_] = each.view.n > 0 ? each.view.buffer : nullptr;
  all_[count_] = each;
  return count_++;
}

std::size_t sort_operands::add_sorted(const any_view& view, access use, std::string_view name,
                                      bool as_bits_alone) {
  const bool reads = use == access::reads;
  call_operand each{.view = as_bits_alone ? as_bits(view) : view,
                    .use = use,
                    .name = name,
                    .gives_its_place = reads && call_.keys_out};
  if (!reads) each.reach = call_.keys.n;
  return add(each, view.type);
}

sort_operands::sort_operands(const call_site& site, std::string_view primitive, const views& call,
                             bool numbers)
    : call_(call) {
  if (call.offsets != nullptr && call.offsets->n == 0)
    refuse(primitive, "there are no offsets", "give one offset more than there are segments");
  if (call.bad != nullptr && call.bad->n == 0)
    refuse(primitive, "the view of the number of bad segments has no element");
  add_sorted(call.keys, access::reads, "the keys", numbers);
  if (call.values) values_ = add_sorted(*call.values, access::reads, "the values", true);
  if (call.keys_out)
    keys_out_ = add_sorted(*call.keys_out, access::reads_and_writes, "the output of the keys", numbers);
  if (call.values_out)
    values_out_ = add_sorted(*call.values_out, access::reads_and_writes,
                             call.keys_out ? "the output of the values" : "the output of the indices", true);
  if (call.offsets != nullptr)
    offsets_ = add({.view = *call.offsets, .use = access::reads, .name = "the offsets"}, call.offsets->type);
  if (call.bad != nullptr) {
    bad_ = {call.bad->buffer, 1, call.bad->offset, call.bad->type};
    add({.view = bad_, .use = access::writes, .name = "the number of bad segments"}, bad_.type);
  }
  checked_ = check_operands(site, primitive, {all_.data(), count_});
  if (call.values && call.values->n != call.keys.n)
    refuse(primitive, "there are " + std::to_string(call.keys.n) + " keys and " +
                          std::to_string(call.values->n) + " values");
  // What gives its place gives it to its own output alone.
  if (call.values && (checked_.in_one_place(0, values_out_) || checked_.in_one_place(values_, keys_out_)))
    refuse(primitive,
           "the keys and the output of the values overlap, or the values and the output of the keys");
}

any_view sort_operands::asked(std::size_t k) const {
  any_view each = checked_[k];
  each.type = types_[k];
  return each;
}

bool sort_operands::keys_in_place() const { return call_.keys_out && checked_.in_one_place(0, keys_out_); }

bool sort_operands::values_in_place() const {
  return call_.values && checked_.in_one_place(values_, values_out_);
}

}  // namespace clwave::detail
