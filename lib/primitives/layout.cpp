// aos_to_soa, soa_to_aos and their blocks: what a call is, and the entries.
#include "primitives/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <clwave/error.hpp>

#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// ------------------------------------------------------------------------------------------------- fields

// A layout's fields by where they lie in the structure.
struct sorted_fields {
  explicit sorted_fields(const layout& of) : n(of.fields.size()) {
    std::ranges::copy(of.fields, list.begin());
    std::ranges::sort(all(), {}, &field::offset);
  }
  std::span<field> all() { return {list.data(), n}; }

  std::array<field, most_fields> list;
  std::size_t n;
};

// Throws bad_call for a layout that cannot be.
void check_layout(const layout& fields) {
  if (fields.size == 0 || fields.size > 1024)
    refuse(layout_variant::primitive, "structures have 1 to 1024 bytes, not " + std::to_string(fields.size));
  if (fields.fields.empty() || fields.fields.size() > most_fields)
    refuse(layout_variant::primitive,
           "1 to 16 fields are moved, not " + std::to_string(fields.fields.size()));
  sorted_fields sorted(fields);
  std::size_t at = 0;
  for (const field& f : sorted.all()) {
    const auto no = [&f](const std::string& why) {
      refuse(layout_variant::primitive,
             "the field of " + std::to_string(f.size) + " bytes at byte " + std::to_string(f.offset) + why);
    };
    if (f.size == 0 || f.size > 16) no(" is none of 1 to 16 bytes");
    if (f.offset > fields.size || f.size > fields.size - f.offset)
      no(" ends past the structure's " + std::to_string(fields.size));
    if (f.offset < at) no(" overlaps the one before");
    at = f.offset + f.size;
  }
}

// Bytes of a structure that belong to no field, in order.
std::vector<field> spans_of(const layout& fields) {
  sorted_fields sorted(fields);
  std::vector<field> spans;
  std::size_t at = 0;
  for (const field& f : sorted.all()) {
    if (f.offset > at) spans.push_back({f.offset - at, at});
    at = f.offset + f.size;
  }
  if (at < fields.size) spans.push_back({fields.size - at, at});
  return spans;
}

// Bytes of a structure's fields together.
std::uint64_t packed_size(const layout& fields) {
  std::uint64_t bytes = 0;
  for (const field& f : fields.fields) bytes += f.size;
  return bytes;
}

// Bytes of n structures in blocks; nothing where 63 bits cannot count them.
std::optional<std::uint64_t> bytes_in_blocks(const layout& fields, std::uint64_t n, std::uint64_t block) {
  if (n == 0) return 0;
  const std::uint64_t blocks = (n - 1) / block + 1;
  const auto structures = checked_product(blocks, block);
  return structures ? checked_product(*structures, packed_size(fields)) : std::nullopt;
}

// --------------------------------------------------------------------------------------------- description

// Where a field's first value lies.
struct field_place {
  unsigned array = 0;           // which of the launch's buffers
  std::uint64_t at = 0;         // byte in it
  std::uint64_t alignment = 1;  // of that byte's address
};

// Either problem: all fields' places, and what is reached of their buffers.
struct moved {
  const layout* fields;
  std::uint64_t n;
  std::uint64_t block;  // structures in a block; 0: arrays of their own
  bool to_soa;
  any_view structures;  // as bytes
  std::array<field_place, most_fields> places = {};
  unsigned arrays = 0;  // buffers that arrays lie in, in the order in which they come up
  std::array<std::uint64_t, most_arrays> array_bytes = {};
  std::array<cl_mem, most_arrays> buffers = {};
};

constexpr counting count_structures{layout_variant::primitive, "the structures"},
    count_arrays{layout_variant::primitive, "the arrays"};

constexpr std::string_view array_names[most_fields] = {
    "array 0", "array 1", "array 2",  "array 3",  "array 4",  "array 5",  "array 6",  "array 7",
    "array 8", "array 9", "array 10", "array 11", "array 12", "array 13", "array 14", "array 15"};

// The same memory as bytes.
any_view as_bytes_of(const any_view& view) {
  if (view.type->size == 1) return view;
  constexpr counting count{layout_variant::primitive, "a view"};
  any_view bytes = view;
  bytes.n = count.times(view.n, view.type->size);
  bytes.offset = count.times(view.offset, view.type->size);
  bytes.type = &element_of<std::uint8_t>();
  return bytes;
}

// The structures' number. Throws bad_call where the layout cannot be or is another structure's.
std::uint64_t count_of(const layout* fields, const any_view& structures) {
  if (fields == nullptr) refuse(layout_variant::primitive, "there is no layout");
  check_typed(layout_variant::primitive, {{"the view of the structures", structures}});
  check_layout(*fields);
  const std::size_t size = structures.type->size;
  if (size != 1 && size != fields->size)
    refuse(layout_variant::primitive, "the layout is of structures of " + std::to_string(fields->size) +
                                          " bytes, the view's have " + std::to_string(size));
  return as_bytes_of(structures).n / fields->size;
}

// The array of a field for n structures, as bytes. Throws bad_call where its elements are of another size, or
// too few.
any_view array_of(const any_view& values, std::size_t f, const field& of, std::uint64_t n) {
  check_typed(layout_variant::primitive, {{array_names[f], values}});
  const std::size_t size = values.type->size;
  if (size != 1 && size != of.size)
    refuse(layout_variant::primitive, std::string(array_names[f]) + " has elements of " +
                                          std::to_string(size) + " bytes, the field has " +
                                          std::to_string(of.size));
  any_view bytes = as_bytes_of(values);
  if (bytes.n / of.size < n)
    refuse(layout_variant::primitive, std::string(array_names[f]) + " has " +
                                          std::to_string(bytes.n / of.size) + " elements for " +
                                          std::to_string(n) + " structures");
  bytes.n = n * of.size;
  return bytes;
}

void check_number_of_arrays(const layout_problem& q) {
  const std::size_t fields = q.fields->fields.size();
  if (q.arrays.size() != fields)
    refuse(layout_variant::primitive, "the layout has " + std::to_string(fields) + " fields, but " +
                                          std::to_string(q.arrays.size()) + " arrays were given");
}

// The bytes of all blocks. Throws bad_call where there are fewer.
std::uint64_t check_blocks(const layout_blocks_problem& q, std::uint64_t n) {
  check_typed(layout_variant::primitive, {{"the view of the blocks", q.blocks}});
  if (q.block == 0) refuse(layout_variant::primitive, "a block has one structure at least");
  const auto bytes = bytes_in_blocks(*q.fields, n, q.block);
  if (!bytes || *bytes > as_bytes_of(q.blocks).n)
    refuse(layout_variant::primitive, "the blocks' view has " + std::to_string(as_bytes_of(q.blocks).n) +
                                          " bytes; it needs " +
                                          (bytes ? std::to_string(*bytes) : "more than 63 bits can count"));
  return *bytes;
}

moved resolved(const layout_problem& q) {
  const std::uint64_t n = count_of(q.fields, q.structures);
  const std::vector<field>& fields = q.fields->fields;
  moved m{q.fields, n, 0, q.to_soa, as_bytes_of(q.structures)};
  if (q.arrays.empty()) {
    m.arrays = 1;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const std::uint64_t at = count_arrays.plus(m.array_bytes[0], 127) / 128 * 128;
      m.places[f] = {0, at, 128};
      m.array_bytes[0] = count_arrays.plus(at, count_arrays.times(n, fields[f].size));
    }
    return m;
  }
  check_number_of_arrays(q);
  if (n == 0) return m;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const any_view values = array_of(q.arrays[f], f, fields[f], n);
    const auto known = std::find(m.buffers.begin(), m.buffers.begin() + m.arrays, values.buffer);
    const auto buffer = static_cast<unsigned>(known - m.buffers.begin());
    if (buffer == most_arrays)
      refuse(layout_variant::primitive,
             "the arrays lie in more than " + std::to_string(most_arrays) + " buffers",
             "place several arrays in one buffer, at offsets");
    m.buffers[buffer] = values.buffer;
    m.arrays = std::max(m.arrays, buffer + 1);
    m.places[f] = {buffer, values.offset, values.alignment};
    m.array_bytes[buffer] = std::max(m.array_bytes[buffer], count_arrays.plus(values.offset, values.n));
  }
  return m;
}

moved resolved(const layout_blocks_problem& q) {
  const std::uint64_t n = count_of(q.fields, q.structures);
  const any_view blocks = as_bytes_of(q.blocks);
  // One block for all is a structure of arrays in one buffer.
  moved m{q.fields, n, q.block >= n ? 0 : q.block, q.to_soa, as_bytes_of(q.structures)};
  m.arrays = 1;
  m.array_bytes[0] = count_arrays.plus(blocks.offset, check_blocks(q, n));
  m.buffers[0] = blocks.buffer;
  if (n == 0) return m;
  std::uint64_t before = 0;
  for (std::size_t f = 0; f < q.fields->fields.size(); ++f) {
    const std::uint64_t start = q.block * before;
    m.places[f] = {0, blocks.offset + start, low_bit(start | blocks.alignment)};
    before += q.fields->fields[f].size;
  }
  return m;
}

field_access access_of(const moved& m, const field& one, const field_place& place, std::uint64_t structures,
                       const target& on) {
  std::uint64_t values = place.alignment;
  // A block holds the others' bytes too.
  if (m.block != 0) values = low_bit(values | m.block * packed_size(*m.fields));
  const auto unit =
      static_cast<unsigned>(low_bit(one.size | one.offset | m.fields->size | structures | values | 16));
  const bool is_short = one.size < 4 && one.size == unit;
  const std::uint64_t run = 4 / std::min<std::uint64_t>(one.size, 4);
  const bool in_runs = is_short && !is_cpu(on) && values >= 4 && (m.block == 0 || m.block % run == 0);
  return {place.array, unit, in_runs ? static_cast<unsigned>(run) : 1};
}

constexpr const char* plane_names[most_arrays] = {"plane_0", "plane_1", "plane_2", "plane_3",
                                                  "plane_4", "plane_5", "plane_6", "plane_7"};

described<layout_variant> describe(const moved& m, const target& on) {
  described<layout_variant> call{
      {.fields = m.fields, .arrays = m.arrays, .block = m.block, .to_soa = m.to_soa}, {.n = m.n}};
  layout_variant& v = call.variant;
  const tuning& tuned = layout_tuning(*on.choice.profile);
  const std::uint64_t stride = m.fields->size;
  const unsigned group = on.group_limit != 0 ? std::min(tuned.group_size, on.group_limit) : tuned.group_size;
  std::uint64_t wanted = std::uint64_t{group} * std::max(tuned.items, 1u) * tuned.vector_bytes;
  if (!is_cpu(on))
    wanted = std::min(
        wanted, on.facts != nullptr ? on.facts->local_memory.value_or(usual_local_bytes) : usual_local_bytes);
  v.tile = static_cast<unsigned>(std::bit_floor(std::clamp<std::uint64_t>(wanted / stride, 16, 4096)));
  const std::uint64_t structures = low_bit(m.structures.alignment | 16);
  // A tile is a multiple of 16 structures, and so of 16 bytes.
  v.packet_bytes =
      static_cast<unsigned>(std::min<std::uint64_t>(structures, std::min(tuned.vector_bytes, 16u)));
  for (std::size_t f = 0; f < m.fields->fields.size(); ++f)
    v.accesses[f] = access_of(m, m.fields->fields[f], m.places[f], structures, on);
  std::uint64_t groups = 0;
  if (is_cpu(on)) {
    const std::uint64_t most = std::uint64_t{on.compute_units} * tuned.groups_per_unit;
    groups = std::clamp<std::uint64_t>(m.n / v.tile, 1, std::max<std::uint64_t>(most, 1));
  } else {
    v.group_size = group_size_within(on, std::min(tuned.group_size, v.tile));
    groups = blocks_of(m.n, v.tile);
    if (groups > most_groups) refuse(layout_variant::primitive, "more structures than one launch can move");
  }

  const access of_structures = m.to_soa ? access::reads : access::writes;
  const access of_arrays = m.to_soa ? access::writes : access::reads;
  call.work.operands.reserve(1 + m.arrays);
  call.work.operands.push_back(
      {of_structures, count_structures.plus(m.structures.offset, count_structures.times(m.n, stride))});
  for (unsigned a = 0; a < m.arrays; ++a) call.work.operands.push_back({of_arrays, m.array_bytes[a]});
  if (m.n == 0) return call;

  described_launch& launch = call.work.launch(m.to_soa ? "aos_to_soa" : "soa_to_aos", groups, v.group_size);
  launch.buffer("aos", 0).value("aos_offset", m.structures.offset).value("n", m.n);
  std::array<std::uint64_t, most_fields> starts{};
  std::ranges::transform(m.places, starts.begin(), &field_place::at);
  launch.value("at", starts);
  for (unsigned a = 0; a < m.arrays; ++a) launch.buffer(plane_names[a], 1 + a);
  launch.local_bytes = is_cpu(on) ? 0 : round_up(v.tile * stride, 16);
  return call;
}

told tell_of(const layout_variant& v, const target& on) {
  return {std::string(v.to_soa ? "apart" : "together") + ", " + std::to_string(v.tile) +
          (is_cpu(on) ? " structures at a time, a loop for each field"
                      : " structures of a group in local memory, accesses of " +
                            std::to_string(v.packet_bytes) + " bytes to structures")};
}

}  // namespace

program_spec spec_of(const layout_variant& v) {
  program_spec spec;
  spec.primitive = layout_variant::primitive;
  add_modules(spec, {"primitives/layout.cl",
                     v.group_size > 1 ? "primitives/layout_groups.cl" : "primitives/layout_serial.cl"});
  spec.types = "structures of " + std::to_string(v.fields->size) + " bytes";
  const auto word = [&spec](std::string name, std::uint64_t number) {
    add_word(spec, std::move(name), std::to_string(number));
  };
  word("GROUP_SIZE", v.group_size);
  word("TILE", v.tile);
  word("STRIDE", v.fields->size);
  word("PACKET_BYTES", v.packet_bytes);
  if (v.to_soa) word("TO_SOA", 1);
  if (v.block != 0) word("IN_BLOCKS", 1);
  word("BLOCK", std::max<std::uint64_t>(v.block, 1));
  word("BLOCK_BYTES", v.block * packed_size(*v.fields));
  std::string planes = "ulong16 at";
  for (unsigned a = 0; a < v.arrays; ++a)
    planes += std::string(v.to_soa ? ", __global uchar *" : ", const __global uchar *") + "plane_" +
              std::to_string(a);
  std::string fields;
  for (std::size_t f = 0; f < v.fields->fields.size(); ++f) {
    const field& one = v.fields->fields[f];
    const field_access& access = v.accesses[f];
    fields += "X(" + std::to_string(one.size) + ", " + std::to_string(one.offset) + ", " +
              std::to_string(access.unit) + ", " + std::to_string(access.run) + ", plane_" +
              std::to_string(access.array) + " + at.s" + "0123456789abcdef"[f] + ") ";
  }
  spec.texts.emplace_back("PLANES", planes);
  spec.texts.emplace_back("FIELDS(X)", fields);
  std::string spans;
  for (const field& s : spans_of(*v.fields))
    spans += "X(" + std::to_string(s.offset) + ", " + std::to_string(s.size) + ") ";
  if (!v.to_soa) spec.texts.emplace_back("SPANS(X)", spans);
  if (!v.to_soa && !spans.empty()) word("HAS_SPANS", 1);
  return spec;
}

described<layout_variant> describe(const layout_problem& q, const target& on) {
  return describe(resolved(q), on);
}
described<layout_variant> describe(const layout_blocks_problem& q, const target& on) {
  return describe(resolved(q), on);
}

told tell(const layout_problem& /*q*/, const target& on, const described<layout_variant>& call) {
  return tell_of(call.variant, on);
}
told tell(const layout_blocks_problem& /*q*/, const target& on, const described<layout_variant>& call) {
  return tell_of(call.variant, on);
}

// --------------------------------------------------------------------------------------------- the entries

std::vector<any_view> views_of(const std::vector<soa_field>& arrays, bool writes) {
  std::vector<any_view> views;
  views.reserve(arrays.size());
  for (const soa_field& each : arrays) {
    if (writes && each.is_const())
      refuse(layout_variant::primitive,
             "array " + std::to_string(views.size()) + " is written, and is a view of const elements",
             "give a view of elements without const");
    views.push_back(each.values());
  }
  return views;
}

namespace {

// The buffers of a launch: that of the structures, then those of the arrays.
template <class Problem>
event start(const call_site& site, const Problem& q, std::span<const cl_event> after, bool wanted) {
  const moved all = resolved(q);
  std::array<cl_mem, 1 + most_arrays> buffers;
  buffers[0] = q.structures.buffer;
  std::copy_n(all.buffers.begin(), all.arrays, buffers.begin() + 1);
  return carry_out(site, q, {buffers.data(), 1 + all.arrays}, after, wanted);
}

event start_fields(const call_site& site, layout_problem q, const launch_options& options) {
  const std::uint64_t n = count_of(q.fields, q.structures);
  const std::vector<field>& fields = q.fields->fields;
  check_number_of_arrays(q);
  std::array<call_operand, 1 + most_fields> all;
  all[0] = {.view = as_bytes_of(q.structures),
            .use = q.to_soa ? access::reads : access::writes,
            .name = "the structures"};
  for (std::size_t f = 0; f < fields.size(); ++f)
    all[1 + f] = {.view = array_of(q.arrays[f], f, fields[f], n),
                  .use = q.to_soa ? access::writes : access::reads,
                  .name = array_names[f]};
  const checked_operands checked =
      check_operands(site, layout_variant::primitive, {all.data(), 1 + fields.size()});
  const std::span<const cl_event> after = check_events(site, options.after, layout_variant::primitive);
  checked.place(0, q.structures);
  for (std::size_t f = 0; f < fields.size(); ++f) checked.place(1 + f, q.arrays[f]);
  return start(site, q, after, options.with_event);
}

event start_blocks(const call_site& site, layout_blocks_problem q, const launch_options& options) {
  const std::uint64_t n = count_of(q.fields, q.structures);
  any_view blocks = as_bytes_of(q.blocks);
  blocks.n = check_blocks(q, n);
  const call_operand all[] = {
      {.view = as_bytes_of(q.structures),
       .use = q.to_soa ? access::reads : access::writes,
       .name = "the structures"},
      {.view = blocks, .use = q.to_soa ? access::writes : access::reads, .name = "the blocks"}};
  const checked_operands checked = check_operands(site, layout_variant::primitive, all);
  const std::span<const cl_event> after = check_events(site, options.after, layout_variant::primitive);
  checked.place(0, q.structures);
  checked.place(1, q.blocks);
  return start(site, q, after, options.with_event);
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const layout_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }
call_plan plan(const layout_blocks_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event move_fields(cl_command_queue queue, const layout_problem& asked, const launch_options& options) {
  return detail::start_fields(detail::site_of(queue, detail::layout_variant::primitive), asked, options);
}

event move_blocks(cl_command_queue queue, const layout_blocks_problem& asked, const launch_options& options) {
  return detail::start_blocks(detail::site_of(queue, detail::layout_variant::primitive), asked, options);
}

std::size_t aosoa_bytes(const layout& fields, std::size_t n, std::size_t block) {
  detail::check_layout(fields);
  if (block == 0) detail::refuse(detail::layout_variant::primitive, "a block has one structure at least");
  const auto bytes = detail::bytes_in_blocks(fields, n, block);
  if (!bytes)
    detail::refuse(detail::layout_variant::primitive, "the blocks have more bytes than 63 bits can count");
  return static_cast<std::size_t>(*bytes);
}

}  // namespace clwave
