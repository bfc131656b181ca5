// Inputs that are no arrays.
#include "call/lazy_inputs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "call/planning.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

constexpr std::size_t most_sources = 8;

constexpr std::array<const char*, 4> few_names{"x", "y", "z", "w"};
constexpr std::array<const char*, most_sources> many_names{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};

std::string argument_of(std::size_t k, const char* part = "") { return "source_" + std::to_string(k) + part; }

// The last element that a source reads lies in its view, and the first one does.
bool stays_inside(const any_source& source) {
  if (source.n == 0) return true;
  if (source.first >= source.of.n) return false;
  const auto step = static_cast<std::uint64_t>(source.step);
  const std::uint64_t steps = source.n - 1;
  if (source.step >= 0) return steps == 0 || step == 0 || steps <= (source.of.n - 1 - source.first) / step;
  return steps <= source.first / (0 - step);
}

void check_source(std::string_view primitive, const any_view& input, const any_source& source,
                  const target& on) {
  check_typed(primitive, {{"what the input is made of", source.of}, {"the indices", source.indices}});
  const element& type = *source.of.type;
  if (type.kind == element_kind::opaque)
    refuse(primitive, type.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  if (type.size > 128) refuse(primitive, "elements have 1 to 128 bytes");
  if (is_of_doubles(type) && on.facts != nullptr && !on.facts->fp64.value_or(false))
    refuse(primitive, "what the input is made of is of doubles, which this device does not have");
  const std::uint64_t n = source.indices ? source.indices->n : source.n;
  if (n != input.n)
    refuse(primitive, "the input has " + std::to_string(input.n) + " elements, and what it is made of has " +
                          std::to_string(n));
  if (!source.outside.empty() && source.outside.size() != type.size)
    refuse(primitive, "what an index outside gives is no element of " + type.name);
  if (source.indices) {
    const std::string& index = source.indices->type->opencl_name;
    if (index != "uint" && index != "ulong")
      refuse(primitive, "indices of " + source.indices->type->name,
             "indices are of 32 or 64 bits, without a sign");
  } else if (!stays_inside(source)) {
    refuse(primitive, "the steps of the input leave the view that it is made of");
  }
}

// How kernels say the element of a source, in V's members (named_values.cl): as a text sees it, or `stored`.
std::string text_of_source(const lazy_source& source, std::size_t k, bool stored) {
  const auto member = [k](const char* part) { return "given." + argument_of(k, part); };
  const std::string from = (stored ? "AS_IT_IS" : read_name(*source.type)) + ", " + member("");
  if (source.index_bytes != 0)
    return "BY_INDEX(" + from + ", " + member("_at") + ", " + member("_n") + ", " + member("_indices") +
           ", " + member("_indices_at") + ", " + member("_outside") + ")";
  if (source.by_steps) return "BY_STEPS(" + from + ", " + member("_at") + ", " + member("_step") + ")";
  return "AS_IT_LIES(" + from + ", " + member("_at") + ")";
}

std::string declared(const std::string& type, const std::string& name) {
  return "V(" + type + ", " + name + ") ";
}

}  // namespace

any_view array_given_for(const any_view& input) {
  any_view array = input;
  array.count = nullptr;
  if (array.lazy == nullptr) return array;
  array.lazy = nullptr;
  array.n = 0;
  return array;
}

lazy_variant lazy_of(std::string_view primitive, const any_view& input, const target& on) {
  lazy_variant v;
  if (input.lazy == nullptr) return v;
  const any_lazy& made = *input.lazy;
  if (input.count != nullptr) refuse(primitive, "the input has a count on the device and lies nowhere");
  // Kernels take its place for an index, and load its elements one by one.
  if (input.buffer != nullptr || input.offset != 0 || input.known)
    refuse(primitive, "an input that lies nowhere has a place", "make it of a lazy_view");
  if (made.sources.size() > most_sources)
    refuse(primitive, "the input is made of " + std::to_string(made.sources.size()) + " inputs, and " +
                          std::to_string(most_sources) + " are the most");
  if (!made.apply && made.sources.size() != 1) refuse(primitive, "nothing says how the input is made");
  if (made.apply &&
      (made.apply->kind != map_kind::user || made.apply->name.empty() || made.apply->source.empty()))
    refuse(primitive, "what makes the input is a map of your own, with a name and a source");
  if (is_of_doubles(*input.type) && on.facts != nullptr && !on.facts->fp64.value_or(false))
    refuse(primitive, "the input is of doubles, which this device does not have");
  v.lazy = true;
  for (const any_source& source : made.sources) {
    check_source(primitive, input, source, on);
    v.sources.push_back({source.of.type, !source.indices && source.step != 1,
                         source.indices ? static_cast<unsigned>(source.indices->type->size) : 0u});
  }
  if (!made.apply && !are_alike(*made.sources.front().of.type, *input.type))
    refuse(primitive, "the input is of " + input.type->name + ", and what it is made of is not");
  if (made.apply) {
    check_values(primitive, on, *made.apply);
    v.apply = &*made.apply;
    v.makes = true;
  }
  return v;
}

std::vector<text_operand> operands_of_text(const lazy_variant& v) {
  std::vector<text_operand> operands;
  for (std::size_t k = 0; k < v.sources.size(); ++k)
    operands.push_back({v.sources[k].type,
                        v.sources.size() <= few_names.size() ? few_names[k] : many_names[k],
                        text_of_source(v.sources[k], k, !v.makes)});
  operands.push_back({nullptr, "i"});
  return operands;
}

void add_lazy(program_spec& spec, const lazy_variant& v, const element& type, bool bits) {
  if (!v.lazy) return;
  add_modules(spec, {"blocks/lazy.cl"});
  const std::string whole = !bits ? "" : type.size == 8 ? "ulong" : bits_of(type.size);
  add_word(spec, "LAZY_STORED", bits ? whole : stored_name(type));
  add_word(spec, "LAZY_AS_BITS", bits ? "as_" + whole : "AS_IT_IS");
  add_word(spec, "LAZY_BYTES", std::to_string(type.size));
  // What no text makes keeps the bits that it has.
  add_word(spec, "LAZY_WRITE", v.makes ? add_write(spec, type) : "AS_IT_IS");
  std::string arguments;
  std::vector<const element*> types{&type};
  for (std::size_t k = 0; k < v.sources.size(); ++k) {
    const lazy_source& source = v.sources[k];
    const std::string stored = stored_name(*source.type);
    arguments += declared("const __global " + stored + " *", argument_of(k));
    arguments += declared("ulong", argument_of(k, "_at"));
    if (source.index_bytes != 0) {
      arguments += declared("ulong", argument_of(k, "_n"));
      arguments += declared(source.index_bytes == 8 ? "const __global ulong *" : "const __global uint *",
                            argument_of(k, "_indices"));
      arguments += declared("ulong", argument_of(k, "_indices_at"));
      arguments += declared(stored, argument_of(k, "_outside"));
    } else if (source.by_steps) {
      arguments += declared("ulong", argument_of(k, "_step"));
    }
    types.push_back(source.type);
  }
  check_elements(spec.primitive, types);
  // Each name once, and the input's is there.
  std::vector<const element*> further;
  for (const element* each : types) {
    const auto same = [&](const element* other) { return other->opencl_name == each->opencl_name; };
    if (!same(&type) && std::ranges::none_of(further, same)) further.push_back(each);
  }
  add_types(spec, further);
  add_lazy_text(spec, *v.apply, operands_of_text(v), type, arguments);
}

described_operand described_input(std::string_view primitive, const any_view& input) {
  if (input.lazy != nullptr) return {access::reads, 0};
  return {access::reads, counting{primitive, "the input"}.bytes(input.offset, input.n, input.type->size)};
}

void describe_sources(std::string_view primitive, const any_view& input, described_work& work) {
  if (input.lazy == nullptr) return;
  const auto buffer = [&](std::string name, const any_view& each) {
    work.sources.push_back(
        {.name = std::move(name), .kind = argument_kind::operand, .operand = work.operands.size()});
    work.operands.push_back({access::reads, counting{primitive, "what the input is made of"}.bytes(
                                                each.offset, each.n, each.type->size)});
  };
  const auto number = [&](std::string name, std::uint64_t n) {
    source_argument a{.name = std::move(name)};
    std::memcpy(a.number.data(), &n, sizeof n);
    work.sources.push_back(std::move(a));
  };
  for (std::size_t k = 0; k < input.lazy->sources.size(); ++k) {
    const any_source& source = input.lazy->sources[k];
    buffer(argument_of(k), source.of);
    if (!source.indices) {
      number(argument_of(k, "_at"), source.of.offset + source.first);
      if (source.step != 1) number(argument_of(k, "_step"), static_cast<std::uint64_t>(source.step));
      continue;
    }
    number(argument_of(k, "_at"), source.of.offset);
    number(argument_of(k, "_n"), source.of.n);
    buffer(argument_of(k, "_indices"), *source.indices);
    number(argument_of(k, "_indices_at"), source.indices->offset);
    std::vector<unsigned char> outside = source.outside;
    outside.resize(source.of.type->size);
    work.sources.push_back(
        {.name = argument_of(k, "_outside"), .kind = argument_kind::element, .bytes = std::move(outside)});
  }
  if (!input.lazy->apply) return;
  for (const named_value& value : input.lazy->apply->values)
    work.sources.push_back({.name = value.name(), .value = &value});
}

std::size_t list_sources(const any_view& input, std::span<call_operand> all, std::span<cl_mem> buffers) {
  if (input.lazy == nullptr) return 0;
  std::size_t n = 0;
  const auto add = [&](const any_view& view, std::string_view name) {
    if (n == all.size() || n == buffers.size()) throw error(failure::internal, "too many sources");
    buffers[n] = view.n > 0 ? view.buffer : nullptr;
    all[n++] = {.view = view, .name = name};
  };
  for (const any_source& source : input.lazy->sources) {
    add(source.of, "what the input is made of");
    if (source.indices) add(*source.indices, "the indices");
  }
  return n;
}

std::string_view words_of_lazy(const any_view& input) {
  return input.lazy != nullptr ? ", elements made where they are needed" : "";
}

// ------------------------------------------------------------------------------------- lazy_view's own

void make_lazy(any_view& view, std::uint64_t n, const element& type, const any_lazy& made) {
  view = any_view(nullptr, n, 0, &type);
  view.lazy = &made;
  // Kernels take its elements one by one.
  view.known = false;
  view.alignment = std::min<std::uint64_t>(type.size & (~type.size + 1), 128);
}

any_source strided_source(const any_view& of, std::size_t step) {
  if (step == 0) refuse("strided", "a step of 0 elements");
  if (step > static_cast<std::uint64_t>(most_size)) refuse("strided", "a step of more than 2^63 elements");
  return {.of = of, .n = blocks_of(of.n, step), .step = static_cast<std::int64_t>(step)};
}

any_source reversed_source(const any_view& of) {
  return {.of = of, .n = of.n, .first = of.n == 0 ? 0 : of.n - 1, .step = -1};
}

any_source source_of_lazy(const any_lazy& made) {
  if (made.apply || made.sources.size() != 1)
    refuse("zip", "elements that a function makes are no input of another",
           "write one function of what they are made of");
  return made.sources.front();
}

std::size_t size_of_sources(const std::vector<any_source>& sources) {
  for (const any_source& each : sources) {
    if (each.n != sources.front().n)
      refuse("zip", "the inputs have " + std::to_string(sources.front().n) + " and " +
                        std::to_string(each.n) + " elements");
  }
  return sources.empty() ? 0 : static_cast<std::size_t>(sources.front().n);
}

}  // namespace clwave::detail
