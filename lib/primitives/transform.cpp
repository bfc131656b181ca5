// transform: what a call is, and the entry.
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

// The outputs beside the first one.
constexpr std::size_t most_further = 3;
constexpr const char* further_words[most_further] = {"OUT_1", "OUT_2", "OUT_3"};
constexpr const char* further_names[most_further] = {"out_1", "out_2", "out_3"};
constexpr const char* further_offsets[most_further] = {"out_1_offset", "out_2_offset", "out_3_offset"};
constexpr std::string_view output_names[most_further] = {"the second output", "the third output",
                                                         "the fourth output"};

}  // namespace

program_spec spec_of(const transform_variant& v) {
  program_spec spec;
  spec.primitive = transform_variant::primitive;
  add_modules(
      spec, {"blocks/operands.cl", "primitives/transform.cl",
             v.numbers.group_size > 1 ? "primitives/transform_groups.cl" : "primitives/transform_serial.cl"});
  add_count(spec, v.count_bytes);
  for (const element* e : v.in) spec.types += (spec.types.empty() ? "" : ", ") + e->name;
  spec.types += " to " + v.out->name;
  spec.op = v.apply->name;
  add_transform_numbers(spec, v.numbers);
  const char* const letters[] = {"X", "Y", "Z"};
  if (v.streaming) add_word(spec, "STREAMING");
  constexpr std::array names{"x", "y", "z"};
  if (v.lazy.lazy) {
    add_transform_operand(spec, "X", *v.lazy_type, v.numbers);
    spec.types = v.lazy_type->name + " to " + v.out->name;
  }
  for (std::size_t k = 0; k < v.in.size(); ++k) add_transform_operand(spec, letters[k], *v.in[k], v.numbers);
  add_transform_operand(spec, "OUT", *v.out, v.numbers);
  for (std::size_t k = 0; k < v.further.size(); ++k) {
    add_transform_operand(spec, further_words[k], *v.further[k].type, v.numbers);
    spec.types += ", " + v.further[k].type->name;
    spec.op += ", " + v.further[k].apply->name;
  }
  std::string inputs, further;
  for (std::size_t k = 0; k < v.in.size(); ++k)
    inputs += std::string(" M(") + names[k] + ", " + letters[k] + ")";
  for (std::size_t k = 1; k <= v.further.size(); ++k) further += " M(" + std::to_string(k) + ")";
  spec.texts.emplace_back("FOR_EACH_INPUT(M)", inputs);
  spec.texts.emplace_back("FOR_EACH_FURTHER(M)", further);
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
  for (const further_output& each : v.further) all.push_back(each.type);
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
  for (std::size_t k = 0; k < v.further.size(); ++k)
    add_further_map(spec, k + 1, *v.further[k].apply, v.lazy.lazy ? operands_of_text(v.lazy) : operands,
                    *v.further[k].type);
  if (v.lazy.lazy) add_lazy(spec, v.lazy, *v.lazy_type);
  if (keeps) add_predicate(spec, *v.only_if, operands);
  return spec;
}

// ------------------------------------------------------------------------------------------- descriptions

namespace {

constexpr std::string_view input_names[] = {"the first input", "the second input", "the third input"};

// Whether the one input lies nowhere.
bool is_lazy_input(const transform_problem& q) { return q.in.size() == 1 && q.in[0].lazy != nullptr; }

void check_inputs(const transform_problem& q) {
  if (q.further.size() > most_further)
    refuse("transform", "a transform has 1 to 4 outputs, and not " + std::to_string(q.further.size() + 1));
  if (!q.further.empty() && is_lazy_input(q) && !q.zipped)
    refuse("transform", "a transform of several outputs takes arrays, or a zip",
           "zip the input with another one, or transform it into each output");
  for (std::size_t k = 0; k < q.further.size(); ++k) {
    const transform_output& each = q.further[k];
    check_typed("transform", {{output_names[k], each.out}});
    if (q.only_if != nullptr) refuse("transform", "a transform_if has one output");
    if (each.apply.kind != map_kind::user || each.apply.source.empty())
      refuse("transform", "a further output has a map of your own, with a source",
             R"(such as {.name = "itself", .source = "x"})");
  }
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
  for (const transform_output& each : q.further) {
    check_transform_types("transform", q.in, *each.out.type, each.apply);
    check_values("transform", on, each.apply);
    call.variant.further.push_back({each.out.type, &each.apply});
  }
  call.variant.seen = in.size();
  if (q.only_if != nullptr) {
    check_values("transform", on, *q.only_if);
    call.variant.only_if = q.only_if;
    const std::optional<std::size_t> kept = q.in_place ? kept_input(q) : std::nullopt;
    call.variant.kept = kept.value_or(in.size());
    if (!kept) in.push_back(q.out);
  }
  std::array<const any_view*, 4 + most_further> places{};
  call.variant.in.reserve(in.size());
  call.work.operands.reserve(in.size() + 2);
  for (const any_view& each : in) {
    places[call.variant.in.size()] = &each;
    call.variant.in.push_back(each.type);
    call.work.operands.push_back(
        {access::reads, counting{"transform", "an input"}.bytes(each.offset, n, each.type->size)});
  }
  places[in.size()] = &q.out;
  for (std::size_t k = 0; k < q.further.size(); ++k) places[in.size() + 1 + k] = &q.further[k].out;
  const std::span<const any_view* const> all(places.data(), in.size() + 1 + q.further.size());
  call.work.operands.push_back(
      {q.only_if != nullptr ? access::reads_and_writes : access::writes,
       counting{"transform", "the output"}.bytes(q.out.offset, n, q.out.type->size)});
  for (const transform_output& each : q.further)
    call.work.operands.push_back(
        {access::writes, counting{"transform", "an output"}.bytes(each.out.offset, n, each.out.type->size)});
  const std::size_t count_operand = call.work.operands.size();
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
    call.variant.streaming = !q.in_place && q.only_if == nullptr && q.further.empty() &&
                             n * size > cache_bytes(on) / 2 && std::has_single_bit(size) && size <= 64 &&
                             q.out.alignment >= size;
  } else {
    const std::uint64_t phase = phase_of(lazy ? q.out : counted, numbers);
    const bool together = !lazy && std::ranges::all_of(all, [&](const any_view* each) {
      return each->known && phase_of(*each, numbers) == phase;
    });
    if (!together) take_elements_singly(numbers);
    if (numbers.vector > 1) head = std::min<std::uint64_t>((numbers.vector - phase) % numbers.vector, n);
    const std::uint64_t block = std::uint64_t{numbers.group_size} * numbers.items;
    groups = std::max<std::uint64_t>(blocks_of((n - head) / numbers.vector, block), 1);
    if (groups > most_groups) refuse("transform", "more elements than one launch can take");
    // us on an H200, 2^26 of 2^26 counted, and 2^22, with 16, 32, 48 and 64 groups a unit: 140.0, 135.6,
    // 134.1 and 132.9 (uncounted 128.7, in another run), and 7.2, 7.3, 7.8 and 9.0 (6.8). With twice as much
    // loaded at a time 140.9, 139.1, - and 136.9.
    groups = groups_of_counted(groups, call.variant.count_bytes, on, 48);
  }
  if (n == 0) return call;

  constexpr const char* names[] = {"x", "y", "z"};
  constexpr const char* offsets[] = {"x_offset", "y_offset", "z_offset"};
  described_launch& launch = call.work.launch("transform", groups, numbers.group_size);
  for (std::size_t k = 0; k < in.size(); ++k) launch.buffer(names[k], k).value(offsets[k], in[k].offset);
  launch.buffer("out", in.size()).value("out_offset", q.out.offset);
  for (std::size_t k = 0; k < q.further.size(); ++k)
    launch.buffer(further_names[k], in.size() + 1 + k).value(further_offsets[k], q.further[k].out.offset);
  add_elements(launch, counted, count_operand);
  launch.value("head", head);
  launch.takes_sources = lazy;
  launch.values({}, q.apply->values,
                q.only_if != nullptr ? std::span(q.only_if->values) : std::span<const named_value>());
  for (std::size_t k = 0; k < q.further.size(); ++k) launch.values_of_map(3 + k, q.further[k].apply.values);
  launch.local_bytes = 0;
  return call;
}

told tell(const transform_problem& q, const target& on, const described<transform_variant>& call) {
  std::string counted(words_of_count(call.variant.count_bytes));
  if (is_lazy_input(q)) counted += words_of_lazy(q.in[0]);
  if (call.variant.kept >= call.variant.seen && call.variant.only_if->kind == map_kind::user)
    counted += ", the output is read for what it keeps";
  return {words_of_numbers(call.variant.numbers, on) +
          (call.variant.streaming ? ", stores past the caches" : "") + counted};
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
  std::array<call_operand, 5 + most_further + most_source_operands> all;
  for (std::size_t k = 0; k < inputs; ++k)
    all[k] = {.view = all_of(q.in[k]), .name = input_names[k], .gives_its_place = true};
  all[inputs] = {.view = inputs == 0 ? all_of(q.out) : q.out,
                 .use = q.only_if != nullptr ? access::reads_and_writes : access::writes,
                 .name = "the output"};
  std::size_t operands = inputs + 1;
  for (std::size_t k = 0; k < q.further.size(); ++k)
    all[operands++] = {.view = q.further[k].out, .use = access::writes, .name = output_names[k]};
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
  for (std::size_t k = 0; k < q.further.size(); ++k) {
    if (q.further[k].out.n != q.out.n)
      refuse(primitive, std::string(output_names[k]) + " has " + std::to_string(q.further[k].out.n) +
                            " elements, the first one " + std::to_string(q.out.n));
  }
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  const std::optional<std::size_t> kept = q.only_if != nullptr ? kept_input(q) : std::nullopt;
  q.in_place = false;
  std::array<cl_mem, 6 + most_further + most_source_operands> buffers{};
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
  for (std::size_t k = 0; k < q.further.size(); ++k) {
    checked.place(inputs + 1 + k, q.further[k].out);
    buffers[n++] = q.further[k].out.buffer;
  }
  if (counted.count != nullptr) buffers[n++] = counted.count->buffer;
  for (std::size_t k = 0; k < n_sources; ++k) buffers[n++] = sources[k];
  return carry_out(site, q, {buffers.data(), n}, after, options.with_event);
}

transform_problem problem_of_outputs(std::vector<any_view> in, const transform_outputs& results) {
  const std::vector<transform_output>& all = results.all;
  if (all.empty()) refuse("transform", "a transform has 1 to 4 outputs, and not 0");
  return {.in = std::move(in),
          .out = all[0].out,
          .apply = &all[0].apply,
          .further = {all.begin() + 1, all.end()}};
}

event transform_zipped(cl_command_queue queue, const zipped_sources& in, const transform_outputs& results,
                       const launch_fields& options) {
  transform_problem asked = problem_of_outputs({}, results);
  const any_lazy made{.sources = in.sources, .apply = results.all[0].apply};
  make_lazy(asked.in.emplace_back(), size_of_sources(in.sources), *asked.out.type, made);
  asked.apply = &identity;
  asked.zipped = true;
  return transform(queue, std::move(asked), options);
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const transform_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event transform(cl_command_queue queue, const transform_problem& asked, const launch_options& options) {
  return detail::transform(queue, asked, options);
}

}  // namespace clwave
