// select: what its programs are built from.
#include <string>
#include <string_view>

#include "blocks/flags.hpp"
#include "blocks/fold.hpp"
#include "blocks/kept.hpp"
#include "call/counted.hpp"
#include "call/workspace.hpp"
#include "primitives/select.hpp"
#include "primitives/select_kinds.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// The part that stores what a tile keeps, and what goes with it.
std::string_view outputs_of(select_kind kind) {
  if (has_three_outputs(kind)) return "blocks/select_three.cl";
  if (has_others_out(kind)) return "blocks/give_others.cl";
  if (carries(kind)) return "blocks/give_carried.cl";
  if (measures(kind)) return "blocks/give_lengths.cl";
  return is_of_offsets(kind) ? "blocks/give_offsets.cl" : "blocks/give_kept.cl";
}

// The part that decides which elements are kept.
std::string_view decision_of(select_kind kind) {
  if (compares(kind)) return "blocks/keeps_unlike.cl";
  return has_flags(kind) ? "blocks/keeps_flagged.cl" : "blocks/keeps_if.cl";
}

}  // namespace

program_spec spec_of(const select_variant& v) {
  program_spec spec;
  spec.primitive = select_variant::primitive;
  add_folding(spec, folding_of(*v.value, *v.predicate));
  add_lazy(spec, v.lazy, *v.value);
  spec.op = compares(v.kind) ? v.same->name : v.predicate->name;
  spec.types = v.value->name;
  const auto number = [&spec](const char* name, std::uint64_t n) { add_word(spec, name, std::to_string(n)); };
  if (v.kind == select_kind::partition && !v.messages.one_pass) {
    add_kept(spec, v.messages, v.group_size);
    add_modules(spec, {"primitives/select.cl", "primitives/select_split.cl"});
  } else {
    add_selection(spec, v.messages, v.group_size);
  }
  if (!has_three_outputs(v.kind)) add_two_ways(spec, v.group_size);
  number("GROUP_SIZE", v.group_size);
  number("VECTOR", v.vector);
  number("KEPT_ITEMS", v.items);
  number("KEPT_VECTOR", v.vector);
  number("KEPT_BYTES", v.value->size);
  number("COUNTER_AT", workspace::counter_at);
  number("OWN_AT", workspace::own_at);
  add_count(spec, v.count_bytes);
  add_packets(spec, *v.value, v.vector, v.by_element);
  if (v.kind == select_kind::partition) {
    add_modules(spec, {"blocks/select_others.cl"});
    add_word(spec, "SPLIT");
  }
  if (v.kind == select_kind::partition && !v.messages.one_pass) number("COUNT_WORDS", v.messages.count_words);
  if (has_others_out(v.kind)) {
    add_modules(spec, {"blocks/select_others.cl"});
    add_word(spec, "OTHERS_OUT");
  }
  if (keeps_places(v.kind)) add_word(spec, "KEEPS_PLACES");
  add_modules(spec, {"blocks/kept_elements.cl", decision_of(v.kind), outputs_of(v.kind)});
  if (has_three_outputs(v.kind)) {
    add_modules(spec, {v.group_size > 1 ? "blocks/select_three_groups.cl" : "blocks/select_three_serial.cl"});
    add_word(spec, "THREE_WAYS");
    add_predicate(spec, *v.second, {{v.value, "x"}, {nullptr, "i"}});
  }
  if (has_flags(v.kind)) {
    if (v.second->kind == map_kind::user) {
      spec.types += ", " + v.beside->name;
      spec.op = v.second->name;
      add_flags(spec, *v.beside, {&v.value, 1}, *v.second, {{v.value, "x"}, {v.beside, "y"}, {nullptr, "i"}});
    } else {
      add_flags(spec, *v.beside, "y");
    }
    if (v.flag_packets) add_word(spec, "FLAGS_BITS", bits_of(v.vector * v.beside->size));
  }
  if (carries(v.kind)) {
    const element* const both[] = {v.value, v.beside};
    check_elements(select_variant::primitive, both);
    add_word(spec, "CARRIED", stored_name(*v.beside));
    if (v.beside->opencl_name != v.value->opencl_name) add_types(spec, {&v.beside, 1});
    spec.types += ", " + v.beside->name;
  }
  if (measures(v.kind)) {
    add_word(spec, "RUN_LENGTH", stored_name(*v.beside));
    add_word(spec, "TELLS_LAST");
  }
  if (is_of_offsets(v.kind)) {
    add_word(spec, "RUN_OFFSETS", "ulong");
    add_word(spec, "ONLY_PLACES");
  }
  if (compares(v.kind)) add_comparison(spec, "SAME_TEXT", *v.same, *v.value);
  return spec;
}

}  // namespace clwave::detail
