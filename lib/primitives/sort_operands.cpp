// The operands of sorts.
#include "primitives/sort_operands.hpp"

#include <string>

#include <clwave/error.hpp>

#include "blocks/segments.hpp"
#include "call/counted.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {

void check_sort_types(std::string_view primitive, const sort_problem& q) {
  const auto no = [&](const std::string& message, std::string_view advice = {}) {
    throw error(
        failure::bad_call, message, CL_SUCCESS,
        {.primitive = std::string(primitive), .types = q.keys.type->name, .advice = std::string(advice)});
  };
  if (!q.keys_out) {
    if (q.values || !q.values_out) no("an argsort has no values, and an output for its indices");
    const std::string& index = q.values_out->type->opencl_name;
    if (index != "uint" && index != "ulong")
      no("indices of " + q.values_out->type->name, "indices are of 32 or 64 bits, without a sign");
    if (index == "uint" && q.keys.n > std::uint64_t{1} << 32)
      no(std::to_string(q.keys.n) + " keys have indices that 32 bits do not hold", "give indices of 64 bits");
    return;
  }
  if (!are_alike(*q.keys_out->type, *q.keys.type))
    no("the output of the keys is of " + q.keys_out->type->name);
  if (q.values.has_value() != q.values_out.has_value())
    no("there are values without an output for them, or such an output without values");
  if (!q.values) return;
  const element& values = *q.values->type;
  if (!are_alike(values, *q.values_out->type))
    no("the values are of " + values.name + ", their output of " + q.values_out->type->name);
  if (values.size == 0 || values.size > 128) no("values have 1 to 128 bytes");
}

void add_place(described_launch& launch, const char* name, const char* at_name, const sort_place& where) {
  if (where.operand)
    launch.buffer(name, *where.operand);
  else
    launch.workspace(name);
  launch.value(at_name, where.at);
}

sort_places add_sort_operands(std::string_view primitive, described_work& work, const sort_problem& q,
                              bool with_values_out) {
  sort_places all;
  const auto add = [&](const any_view& each, access use, std::string_view what) {
    work.operands.push_back({use, counting{primitive, what}.bytes(each.offset, q.keys.n, each.type->size)});
    return sort_place{work.operands.size() - 1, each.offset * each.type->size};
  };
  work.operands.reserve(6);
  all.keys = add(q.keys, access::reads, "the keys");
  if (q.values) all.values = add(*q.values, access::reads, "the values");
  if (q.keys_out) all.keys_out = add(*q.keys_out, access::reads_and_writes, "the output of the keys");
  if (q.values_out && with_values_out)
    all.values_out =
        add(*q.values_out, access::reads_and_writes, q.keys_out ? "the output of the values" : "the indices");
  return all;
}

sorted_segments add_sorted_segments(std::string_view primitive, described_work& work, const sort_problem& q) {
  const any_view& offsets = *q.offsets;
  sorted_segments all{.n = q.keys.n, .segments = offsets.n - 1, .offsets_offset = offsets.offset, .bad = {}};
  const auto add = [&](const any_view& each, std::uint64_t n, access use, std::string_view what) {
    work.operands.push_back({use, counting{primitive, what}.bytes(each.offset, n, each.type->size)});
    return work.operands.size() - 1;
  };
  all.offsets = add(offsets, offsets.n, access::reads, "the offsets");
  if (q.bad) {
    all.bad = add(*q.bad, 1, access::writes, "the number of bad segments");
    all.bad_offset = q.bad->offset;
  }
  if (const unsigned count_bytes = count_bytes_of_segments(primitive, offsets)) {
    all.count = offsets.count;
    all.number = work.operands.size();
    work.operands.push_back(described_count(count_bytes));
  }
  return all;
}

void sort_operands::add(any_view& view, const call_operand& each) {
  views_[count_] = &view;
  buffers_[count_] = view.n > 0 ? view.buffer : nullptr;
  all_[count_++] = each;
}

sort_operands::sort_operands(const call_site& site, std::string_view primitive, sort_problem& q) {
  if (q.bad && q.bad->n == 0) refuse(primitive, "the view of the number of bad segments has no element");
  const bool numbers = q.less == nullptr && q.by.empty();
  const auto add_sorted = [&](any_view& view, access use, std::string_view name, bool as_bits_alone) {
    const bool reads = use == access::reads;
    call_operand each{.view = all_of(as_bits_alone ? as_bits(view) : view),
                      .use = use,
                      .name = name,
                      .gives_its_place = reads && q.keys_out};
    if (!reads) each.reach = q.keys.n;
    add(view, each);
    return count_ - 1;
  };
  const std::size_t keys = add_sorted(q.keys, access::reads, "the keys", numbers);
  std::size_t values = keys, keys_out = keys, values_out = keys;
  if (q.values) values = add_sorted(*q.values, access::reads, "the values", true);
  if (q.keys_out)
    keys_out = add_sorted(*q.keys_out, access::reads_and_writes, "the output of the keys", numbers);
  if (q.values_out)
    values_out = add_sorted(*q.values_out, access::reads_and_writes,
                            q.keys_out ? "the output of the values" : "the output of the indices", true);
  if (q.offsets) add(*q.offsets, {.view = all_of(*q.offsets), .use = access::reads, .name = "the offsets"});
  if (q.bad) {
    q.bad->n = 1;
    add(*q.bad, {.view = *q.bad, .use = access::writes, .name = "the number of bad segments"});
  }
  if (count_bytes_of(primitive, q.keys) != 0) {
    number_ = *q.keys.count;
    add(number_, counting_operand(q.keys));
  } else if (q.offsets && count_bytes_of_segments(primitive, *q.offsets) != 0) {
    number_ = *q.offsets->count;
    add(number_, counting_operand_of_segments(*q.offsets));
  }
  checked_ = check_operands(site, primitive, {all_.data(), count_});
  if (q.values && q.values->n != q.keys.n)
    refuse(primitive,
           "there are " + std::to_string(q.keys.n) + " keys and " + std::to_string(q.values->n) + " values");
  // What gives its place gives it to its own output alone.
  const bool carries = q.values && q.values_out;
  if (carries && (checked_.in_one_place(keys, values_out) || checked_.in_one_place(values, keys_out)))
    refuse(primitive,
           "the keys and the output of the values overlap, or the values and the output of the keys");
  q.keys_in_place = q.keys_out && checked_.in_one_place(keys, keys_out);
  q.values_in_place = carries && checked_.in_one_place(values, values_out);
  for (std::size_t k = 0; k < count_; ++k) checked_.place(k, *views_[k]);
}

}  // namespace clwave::detail
