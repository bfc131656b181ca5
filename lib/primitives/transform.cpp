// transform and broadcast: what a call is, and the entry.
#include "primitives/transform.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/error.hpp>

#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/lazy_inputs.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"
#include "program/expressions.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// Another text for a word that is there.
void replace_word(program_spec& spec, const std::string& name, const std::string& text) {
  std::ranges::find(spec.words, name, &std::pair<std::string, std::string>::first)->second = text;
}

constexpr const char* chunks = "a contiguous chunk per work-item, loops the compiler widens";

std::string packets_of(const transform_numbers& numbers) {
  return "packets of " + std::to_string(numbers.vector) + " elements";
}

// From a matrix's first element to its last, both counted; 0 for none. Throws for rows that overlap and for
// sizes in bytes beyond 63 bits.
std::uint64_t extent_of_matrix(const broadcast_shape& size, std::uint64_t row, std::uint64_t element_bytes,
                               std::string_view what) {
  if (size.rows == 0 || size.columns == 0) return 0;
  if (row < size.columns)
    refuse("broadcast", std::string(what) + "'s rows overlap: its pitch is less than its columns");
  const counting count{"broadcast", what};
  const std::uint64_t extent = count.plus(count.times(size.rows - 1, row), size.columns);
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {extent, row}) count.times(elements, element_bytes);
  return extent;
}

std::uint64_t in_row_of(const broadcast_shape& size) { return size.in_row != 0 ? size.in_row : size.columns; }
std::uint64_t out_row_of(const broadcast_shape& size) {
  return size.out_row != 0 ? size.out_row : size.columns;
}

}  // namespace

program_spec spec_of(const transform_variant& v) {
  program_spec spec;
  spec.primitive = transform_variant::primitive;
  add_modules(spec, {"blocks/operands.cl", "primitives/transform.cl"});
  add_count(spec, v.count_bytes);
  for (const element* e : v.in) spec.types += (spec.types.empty() ? "" : ", ") + e->name;
  spec.types += " to " + v.out->name;
  spec.op = v.apply->name;
  add_transform_numbers(spec, v.numbers);
  add_word(spec, "INPUTS", std::to_string(v.in.size()));
  const char* const letters[] = {"X", "Y", "Z"};
  if (v.streaming) add_word(spec, "STREAMING");
  constexpr std::array names{"x", "y", "z"};
  if (v.lazy.lazy) {
    add_transform_operand(spec, "X", *v.lazy_type, v.numbers);
    spec.types = v.lazy_type->name + " to " + v.out->name;
  }
  for (std::size_t k = 0; k < v.in.size(); ++k) add_transform_operand(spec, letters[k], *v.in[k], v.numbers);
  add_transform_operand(spec, "OUT", *v.out, v.numbers);
  const bool keeps = v.only_if->kind == map_kind::user;
  const std::size_t seen = keeps ? v.seen : v.in.size();
  if (keeps) {
    add_word(spec, "KEPT", names[v.kept]);
    // What no text sees is taken as it is stored.
    if (v.kept >= seen) {
      replace_word(spec, std::string(letters[v.kept]) + "_LOADED", stored_name(*v.out));
      replace_word(spec, std::string(letters[v.kept]) + "_READ", "AS_IT_IS");
    }
  }
  std::vector<const element*> all = v.in;
  if (v.lazy.lazy) all.push_back(v.lazy_type);
  all.push_back(v.out);
  add_types(spec, all);
  std::vector<text_operand> operands;
  if (v.lazy.lazy) operands.push_back({v.lazy_type, "x"});
  for (std::size_t k = 0; k < seen; ++k) operands.push_back({v.in[k], names[k]});
  operands.push_back({nullptr, "i"});
  if (v.apply->kind == map_kind::user) {
    add_transform_map(spec, *v.apply, operands, *v.out);
  } else {
    spec.texts.emplace_back("TRANSFORM_TEXT",
                            transform_text(*v.apply, v.lazy.lazy ? *v.lazy_type : *v.in[0], *v.out));
  }
  add_values(spec, nullptr, v.apply);
  if (v.lazy.lazy) add_lazy(spec, v.lazy, *v.lazy_type);
  if (keeps) add_predicate(spec, *v.only_if, operands);
  return spec;
}

program_spec spec_of(const broadcast_variant& v) {
  program_spec spec;
  spec.primitive = broadcast_variant::primitive;
  add_modules(spec, {"blocks/operands.cl", "primitives/broadcast.cl"});
  spec.types = v.in->name + ", " + v.vector->name + " to " + v.out->name;
  spec.op = v.apply->name;
  add_transform_numbers(spec, v.numbers);
  if (v.which == per::row) add_word(spec, "PER_ROW");
  if (v.staged) add_word(spec, "STAGED");
  add_transform_operand(spec, "X", *v.in, v.numbers);
  add_transform_operand(spec, "B", *v.vector, v.numbers);
  add_transform_operand(spec, "OUT", *v.out, v.numbers);
  const element* const all[] = {v.in, v.vector, v.out};
  add_types(spec, all);
  add_transform_map(spec, *v.apply, {{v.in, "x"}, {v.vector, "b"}}, *v.out);
  add_values(spec, nullptr, v.apply);
  return spec;
}

// ------------------------------------------------------------------------------------------- descriptions

namespace {

constexpr std::string_view input_names[] = {"the first input", "the second input", "the third input"};

// Whether the one input lies nowhere.
bool is_lazy_input(const transform_problem& q) { return q.in.size() == 1 && q.in[0].lazy != nullptr; }

void check_inputs(const transform_problem& q) {
  if (q.in.size() > 3) refuse("transform", "a transform has 0 to 3 inputs", "zip them (lazy_view.hpp)");
  if (is_lazy_input(q)) {
    check_typed("transform", {{"the first input", array_given_for(q.in[0])}, {"the output", q.out}});
    if (q.apply == nullptr) refuse("transform", "there is no function to apply");
    if (q.only_if != nullptr) refuse("transform", "the input of a transform_if is an array");
    return;
  }
  // The first input's count is that of all.
  for (std::size_t k = 0; k < q.in.size(); ++k)
    check_typed("transform", {{input_names[k], k == 0 ? all_of(q.in[0]) : q.in[k]}});
  check_typed("transform", {{"the output", q.in.empty() ? all_of(q.out) : q.out}});
  if (q.apply == nullptr) refuse("transform", "there is no function to apply");
  if (q.only_if == nullptr) return;
  if (q.in.empty() || q.in.size() > 2) refuse("transform", "a transform_if has 1 or 2 inputs");
  if (q.only_if->kind != map_kind::user || q.only_if->source.empty())
    refuse("transform", "a predicate is a map of your own, with a source",
           R"(such as {.name = "positive", .source = "x > 0"})");
}

// Which input of a transform_if the results take the place of, as it is stored: where texts see another type,
// the output is read once more. Nothing where they take the place of none.
std::optional<std::size_t> kept_input(const transform_problem& q) {
  for (std::size_t k = 0; k < q.in.size(); ++k) {
    const element& type = *q.in[k].type;
    if (are_alike(type, *q.out.type) && read_name(type) == "AS_IT_IS") return k;
  }
  return std::nullopt;
}

void check_operand_types(const broadcast_problem& q) {
  check_typed("broadcast", {{"the input", q.in}, {"the vector", q.vector}, {"the output", q.out}});
  if (q.apply == nullptr) refuse("broadcast", "there is no function to apply");
}

}  // namespace

described<transform_variant> describe(const transform_problem& q, const target& on) {
  check_inputs(q);
  const any_view& counted = q.in.empty() ? q.out : q.in.front();
  const std::uint64_t n = counted.n;
  check_transform_types("transform", q.in, *q.out.type, *q.apply);
  check_values("transform", on, *q.apply);
  described<transform_variant> call{{{}, q.out.type, q.apply}, {.n = n}};
  std::vector<any_view> in = q.in;
  const bool lazy = is_lazy_input(q);
  if (lazy) {
    call.variant.lazy_type = q.in[0].type;
    call.variant.lazy = lazy_of("transform", q.in[0], on);
    in.clear();
  }
  call.variant.seen = in.size();
  if (q.only_if != nullptr) {
    check_values("transform", on, *q.only_if);
    call.variant.only_if = q.only_if;
    const std::optional<std::size_t> kept = q.in_place ? kept_input(q) : std::nullopt;
    call.variant.kept = kept.value_or(in.size());
    if (!kept) in.push_back(q.out);
  }
  std::array<const any_view*, 4> places{};
  call.variant.in.reserve(in.size());
  call.work.operands.reserve(in.size() + 2);
  for (const any_view& each : in) {
    places[call.variant.in.size()] = &each;
    call.variant.in.push_back(each.type);
    call.work.operands.push_back(
        {access::reads, counting{"transform", "an input"}.bytes(each.offset, n, each.type->size)});
  }
  places[in.size()] = &q.out;
  const std::span<const any_view* const> all(places.data(), in.size() + 1);
  call.work.operands.push_back(
      {q.only_if != nullptr ? access::reads_and_writes : access::writes,
       counting{"transform", "the output"}.bytes(q.out.offset, n, q.out.type->size)});
  call.variant.count_bytes = count_bytes_of("transform", counted);
  if (call.variant.count_bytes != 0) call.work.operands.push_back(described_count(call.variant.count_bytes));
  if (lazy) describe_sources("transform", q.in[0], call.work);

  const tuning& tuned = transform_tuning(*on.choice.profile);
  transform_numbers& numbers = call.variant.numbers;
  numbers = tuned_transform_numbers(all, in.size(), tuned, on);
  std::uint64_t groups = 0, head = 0;  // `head`: elements before the first packet
  if (is_cpu(on)) {
    std::uint64_t widest = 0;
    for (const any_view* each : all) widest = std::max<std::uint64_t>(widest, each->type->size);
    groups = cpu_groups(n * widest, on, tuned);
    // In place, the lines of the results are those of the elements, which are there.
    const std::size_t size = q.out.type->size;
    call.variant.streaming = !q.in_place && q.only_if == nullptr && n * size > cache_bytes(on) / 2 &&
                             std::has_single_bit(size) && size <= 64 && q.out.alignment >= size;
  } else {
    const std::uint64_t phase = phase_of(lazy ? q.out : counted, numbers);
    const bool together = !lazy && std::ranges::all_of(all, [&](const any_view* each) {
      return each->known && phase_of(*each, numbers) == phase;
    });
    if (!together) take_elements_singly(numbers);
    // Groups that loop start anew less often: they load more at a time (1.03 of the time of groups that do
    // not loop on an H100, instead of 1.06).
    if (call.variant.count_bytes != 0) numbers.items *= 2;
    if (numbers.vector > 1) head = std::min<std::uint64_t>((numbers.vector - phase) % numbers.vector, n);
    const std::uint64_t block = std::uint64_t{numbers.group_size} * numbers.items;
    groups = std::max<std::uint64_t>(blocks_of((n - head) / numbers.vector, block), 1);
    if (groups > most_groups) refuse("transform", "more elements than one launch can take");
    groups = groups_of_counted(groups, call.variant.count_bytes, on);
  }
  if (n == 0) return call;

  constexpr const char* names[] = {"x", "y", "z"};
  constexpr const char* offsets[] = {"x_offset", "y_offset", "z_offset"};
  described_launch& launch = call.work.launch("transform", groups, numbers.group_size);
  for (std::size_t k = 0; k < in.size(); ++k) launch.buffer(names[k], k).value(offsets[k], in[k].offset);
  launch.buffer("out", in.size()).value("out_offset", q.out.offset);
  add_elements(launch, counted, in.size() + 1);
  launch.value("head", head);
  launch.takes_sources = lazy;
  launch.values({}, q.apply->values,
                q.only_if != nullptr ? std::span(q.only_if->values) : std::span<const named_value>());
  launch.local_bytes = 0;
  return call;
}

told tell(const transform_problem& q, const target& on, const described<transform_variant>& call) {
  std::string counted(words_of_count(call.variant.count_bytes));
  if (is_lazy_input(q)) counted += words_of_lazy(q.in[0]);
  if (call.variant.kept >= call.variant.seen && call.variant.only_if->kind == map_kind::user)
    counted += ", the output is read for what it keeps";
  if (!is_cpu(on)) return {packets_of(call.variant.numbers) + counted};
  return {std::string(chunks) + (call.variant.streaming ? ", stores past the caches" : "") + counted};
}

described<broadcast_variant> describe(const broadcast_problem& q, const target& on) {
  check_operand_types(q);
  if (q.apply->kind != map_kind::user)
    refuse_map("broadcast", "a broadcast takes a map of your own, in x and b",
               q.in.type->name + " to " + q.out.type->name);
  const any_view in[] = {q.in, q.vector};
  check_transform_types("broadcast", in, *q.out.type, *q.apply);
  check_values("broadcast", on, *q.apply);
  const std::uint64_t rows = q.size.rows, columns = q.size.columns;
  const std::uint64_t in_row = in_row_of(q.size), out_row = out_row_of(q.size);
  const std::uint64_t in_extent = extent_of_matrix(q.size, in_row, q.in.type->size, "the input");
  const std::uint64_t out_extent = extent_of_matrix(q.size, out_row, q.out.type->size, "the output");
  const std::uint64_t values = q.which == per::row ? rows : columns;

  const tuning& tuned = broadcast_tuning(*on.choice.profile);
  const any_view* const all[] = {&q.in, &q.vector, &q.out};
  described<broadcast_variant> call{{.in = q.in.type,
                                     .vector = q.vector.type,
                                     .out = q.out.type,
                                     .apply = q.apply,
                                     .which = q.which,
                                     .numbers = tuned_transform_numbers(all, 1, tuned, on)},
                                    {.n = in_extent == 0 ? 0 : rows * columns}};
  const auto reach = [](const any_view& each, std::uint64_t n, std::string_view what) {
    return counting{"broadcast", what}.bytes(each.offset, n, each.type->size);
  };
  call.work.operands = {{access::reads, reach(q.in, in_extent, "the input")},
                        {access::reads, reach(q.vector, values, "the vector")},
                        {access::writes, reach(q.out, out_extent, "the output")}};
  if (in_extent == 0) return call;

  transform_numbers& numbers = call.variant.numbers;
  bool& staged = call.variant.staged;
  staged = !is_cpu(on) && q.which == per::row && on.choice.profile->local_staging_for_broadcast;
  std::uint64_t groups = 0;
  std::uint32_t tile_width = 1;
  if (is_cpu(on)) {
    groups = cpu_groups(rows * columns * std::max(q.in.type->size, q.out.type->size), on, tuned);
  } else {
    const auto starts_packets = [&](const any_view& each, std::uint64_t row) {
      return each.known && phase_of(each, numbers) == 0 && row % numbers.vector == 0;
    };
    // One row needs no pitch.
    if (!starts_packets(q.in, rows > 1 ? in_row : 0) || !starts_packets(q.out, rows > 1 ? out_row : 0) ||
        (q.which == per::column && !starts_packets(q.vector, 0)))
      take_elements_singly(numbers);
    const std::uint64_t width = blocks_of(columns, numbers.vector);
    // As wide as the group where the rows are long; along a row, its items reach on.
    const std::uint64_t along = q.which == per::row ? numbers.items : 1;
    const std::uint64_t wanted = blocks_of(width, along);
    tile_width =
        static_cast<std::uint32_t>(wanted >= numbers.group_size ? numbers.group_size : std::bit_ceil(wanted));
    const std::uint64_t tile_height = numbers.group_size / tile_width;
    const std::uint64_t across = blocks_of(width, tile_width * along);
    const std::uint64_t down = blocks_of(rows, tile_height * (q.which == per::row ? 1 : numbers.items));
    if (across > most_groups / down) refuse("broadcast", "more elements than one launch can take");
    groups = across * down;
  }
  described_launch& launch = call.work.launch("broadcast", groups, numbers.group_size);
  launch.buffer("x", 0).value("x_offset", q.in.offset).value("x_row", in_row);
  launch.buffer("b", 1).value("b_offset", q.vector.offset);
  launch.buffer("out", 2).value("out_offset", q.out.offset).value("out_row", out_row);
  launch.value("rows", rows).value("columns", columns).value("tile_width", tile_width);
  launch.values({}, q.apply->values);
  launch.local_bytes = staged ? numbers.group_size * q.vector.type->size : 0;
  return call;
}

told tell(const broadcast_problem& q, const target& on, const described<broadcast_variant>& call) {
  if (is_cpu(on)) return {chunks};
  return {packets_of(call.variant.numbers) +
          (q.which == per::column ? ", a column's values in registers down the rows"
           : call.variant.staged  ? ", a row's value staged in local memory"
                                  : ", a row's value read at one address by all lanes")};
}

// ------------------------------------------------------------------------------------------- maps of numbers

namespace {

template <class T>
T number_or(const void* number, T otherwise) {
  if (number != nullptr) std::memcpy(&otherwise, number, sizeof otherwise);
  return otherwise;
}

}  // namespace

map iota_map(const element& type, const void* first, const void* step) {
  if (first == nullptr && step == nullptr) return {.name = "iota", .source = "i"};
  std::optional<map> made;
  const auto add = [&]<class... T>(std::type_identity<T>...) {
    ((&type == &element_of<T>() ? void(made = steps_from<T>(number_or(first, T(0)), number_or(step, T(1))))
                                : void()),
     ...);
  };
  add(std::type_identity<std::int8_t>(), std::type_identity<std::int16_t>(),
      std::type_identity<std::int32_t>(), std::type_identity<std::int64_t>(),
      std::type_identity<std::uint8_t>(), std::type_identity<u16>(), std::type_identity<std::uint32_t>(),
      std::type_identity<std::uint64_t>(), std::type_identity<float>(), std::type_identity<double>(),
      std::type_identity<half>(), std::type_identity<bfloat16>());
  if (!made) refuse("transform", "an iota with a step is of numbers, and not of elements of " + type.name);
  return std::move(*made);
}

map constant_map(const element& type, const void* value) {
  return {
      .name = "replacement", .source = "replacement", .values = {named_value_of("replacement", type, value)}};
}

// ---------------------------------------------------------------------------------------------- the entry

event transform(cl_command_queue queue, transform_problem q, const launch_fields& options) {
  constexpr std::string_view primitive = "transform";
  const call_site site = site_of(queue, primitive);
  check_inputs(q);
  const bool lazy = is_lazy_input(q);
  const std::size_t inputs = lazy ? 0 : q.in.size();
  std::array<call_operand, 5 + most_source_operands> all;
  for (std::size_t k = 0; k < inputs; ++k)
    all[k] = {.view = all_of(q.in[k]), .name = input_names[k], .gives_its_place = true};
  all[inputs] = {.view = inputs == 0 ? all_of(q.out) : q.out,
                 .use = q.only_if != nullptr ? access::reads_and_writes : access::writes,
                 .name = "the output"};
  std::size_t operands = inputs + 1;
  const any_view counted = inputs == 0 ? q.out : q.in[0];
  std::array<cl_mem, most_source_operands> sources{};
  std::size_t n_sources = 0;
  if (lazy) {
    n_sources = list_sources(q.in[0], std::span(all).subspan(operands), sources);
    operands += n_sources;
    if (q.in[0].n != q.out.n)
      refuse(primitive, std::string(input_names[0]) + " has " + std::to_string(q.in[0].n) +
                            " elements, the output " + std::to_string(q.out.n));
  }
  if (count_bytes_of(primitive, counted) != 0) all[operands++] = counting_operand(counted);
  const checked_operands checked = check_operands(site, primitive, {all.data(), operands});
  for (std::size_t k = 0; k < inputs; ++k) {
    if (q.in[k].n != q.out.n)
      refuse(primitive, std::string(input_names[k]) + " has " + std::to_string(q.in[k].n) +
                            " elements, the output " + std::to_string(q.out.n));
  }
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  const std::optional<std::size_t> kept = q.only_if != nullptr ? kept_input(q) : std::nullopt;
  q.in_place = false;
  std::array<cl_mem, 6 + most_source_operands> buffers{};
  for (std::size_t k = 0; k < inputs; ++k) {
    checked.place(k, q.in[k]);
    // A transform_if asks of one input alone whether it gives its place.
    if (q.only_if == nullptr || kept == k) q.in_place = q.in_place || checked.in_one_place(k, inputs);
    buffers[k] = q.in[k].buffer;
  }
  checked.place(inputs, q.out);
  std::size_t n = inputs;
  if (q.only_if != nullptr && !q.in_place) buffers[n++] = q.out.buffer;
  buffers[n++] = q.out.buffer;
  if (counted.count != nullptr) buffers[n++] = counted.count->buffer;
  for (std::size_t k = 0; k < n_sources; ++k) buffers[n++] = sources[k];
  return carry_out(site, q, {buffers.data(), n}, after, options.with_event);
}

event broadcast(cl_command_queue queue, const broadcast_problem& asked, const launch_fields& options) {
  constexpr std::string_view primitive = "broadcast";
  const call_site site = site_of(queue, primitive);
  broadcast_problem q = asked;
  check_operand_types(q);
  const broadcast_shape& size = q.size;
  const std::uint64_t in_extent = extent_of_matrix(size, in_row_of(size), q.in.type->size, "the input");
  const std::uint64_t out_extent = extent_of_matrix(size, out_row_of(size), q.out.type->size, "the output");
  const std::size_t values = q.which == per::row ? size.rows : size.columns;
  if (q.vector.n != values)
    refuse(primitive, "the vector has " + std::to_string(q.vector.n) + " elements, the matrix " +
                          std::to_string(values) + (q.which == per::row ? " rows" : " columns"));
  const call_operand all[] = {
      {.view = q.in,
       .name = "the input",
       .reach = in_extent,
       .gives_its_place = size.rows <= 1 || in_row_of(size) == out_row_of(size)},
      {.view = q.vector, .name = "the vector"},
      {.view = q.out, .use = access::writes, .name = "the output", .reach = out_extent}};
  const checked_operands checked = check_operands(site, primitive, all);
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  for (std::size_t k = 0; any_view* const view : {&q.in, &q.vector, &q.out}) checked.place(k++, *view);
  const cl_mem buffers[] = {q.in.buffer, q.vector.buffer, q.out.buffer};
  return carry_out(site, q, buffers, after, options.with_event);
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const transform_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }
call_plan plan(const broadcast_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event transform(cl_command_queue queue, const transform_problem& asked, const launch_options& options) {
  return detail::transform(queue, asked, options);
}
event broadcast(cl_command_queue queue, const broadcast_problem& asked, const launch_options& options) {
  return detail::broadcast(queue, asked, options);
}

}  // namespace clwave
