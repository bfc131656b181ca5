// Descriptions of calls: their arguments, and the plans that print them.
#include "call/description.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <clwave/error.hpp>

#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/expressions.hpp"

namespace clwave::detail {
namespace {

template <class T>
std::string number_text(const unsigned char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

template <class T>
std::string number_text_16(const unsigned char* bytes) {
  std::string text;
  for (unsigned k = 0; k < 16; ++k) text += (k == 0 ? "" : ",") + number_text<T>(bytes + k * sizeof(T));
  return text;
}

planned_argument planned(const named_value& value) {
  const element& type = value.type();
  planned_argument argument{value.name(), type.name, {}};
  with_scalar(scalar_name(type), [&](auto zero) {
    for (unsigned c = 0; c < type.components; ++c)
      argument.value +=
          (c == 0 ? "" : ",") + number_text<decltype(zero)>(value.bytes().data() + c * sizeof zero);
  });
  return argument;
}

planned_argument planned_operand(const described_work& work, std::string name, std::size_t k) {
  const described_operand& operand = work.operands.at(k);
  return {std::move(name), operand.use == access::reads ? "input" : "output",
          std::to_string(operand.n_bytes)};
}

planned_argument planned(const described_work& work, const source_argument& a) {
  if (a.value != nullptr) return planned(*a.value);
  if (a.kind == argument_kind::operand) return planned_operand(work, a.name, a.operand);
  if (a.kind == argument_kind::element) return {a.name, "element", std::to_string(a.bytes.size())};
  return {a.name, "u64", number_text<std::uint64_t>(a.number.data())};
}

planned_argument planned(const described_work& work, const described_launch& launch,
                         const described_launch::argument& a) {
  const unsigned char* bytes = launch.bytes_of(a);
  switch (a.kind) {
    case argument_kind::operand:
      return planned_operand(work, a.name, a.operand);
    case argument_kind::workspace:
      return {a.name, "workspace", std::to_string(workspace::own_at + work.workspace_bytes)};
    case argument_kind::u32:
      return {a.name, "u32", number_text<std::uint32_t>(bytes)};
    case argument_kind::u64:
      return {a.name, "u64", number_text<std::uint64_t>(bytes)};
    case argument_kind::f32:
      return {a.name, "f32", number_text<float>(bytes)};
    case argument_kind::f64:
      return {a.name, "f64", number_text<double>(bytes)};
    case argument_kind::u32x16:
      return {a.name, "u32x16", number_text_16<std::uint32_t>(bytes)};
    case argument_kind::u64x16:
      return {a.name, "u64x16", number_text_16<std::uint64_t>(bytes)};
    case argument_kind::element:
      return {a.name, "element", std::to_string(a.operand)};
    case argument_kind::host_address:
      return {a.name, "host address", {}};
    case argument_kind::call_number:
      return {a.name, "call number", {}};
  }
  return {};
}

}  // namespace

std::size_t described_launch::size_of(argument_kind kind) {
  switch (kind) {
    case argument_kind::operand:
    case argument_kind::workspace:
      return sizeof(cl_mem);
    case argument_kind::u32:
    case argument_kind::f32:
    case argument_kind::call_number:
      return 4;
    case argument_kind::u64:
    case argument_kind::f64:
    case argument_kind::host_address:
      return 8;
    case argument_kind::u32x16:
      return 64;
    case argument_kind::u64x16:
      return 128;
    case argument_kind::element:
      break;
  }
  return 0;
}

void described_launch::add(const argument& a) {
  if (n_arguments_ == arguments_.size()) throw error(failure::internal, "too many kernel arguments");
  arguments_[n_arguments_++] = a;
}

described_launch& described_launch::buffer(const char* name, std::size_t operand) {
  add({name, argument_kind::operand, static_cast<unsigned char>(operand), 0});
  return *this;
}

described_launch& described_launch::workspace(const char* name) {
  add({name, argument_kind::workspace, 0, 0});
  return *this;
}

described_launch& described_launch::add_value(const char* name, argument_kind kind, const void* bytes,
                                              std::size_t size) {
  if (size > bytes_.size() - n_bytes_) throw error(failure::internal, "too large kernel arguments");
  add({name, kind, 0, static_cast<std::uint16_t>(n_bytes_)});
  std::memcpy(bytes_.data() + n_bytes_, bytes, size);
  n_bytes_ += size;
  return *this;
}

described_launch& described_launch::element(const char* name, const clwave::element& type) {
  constexpr std::array<unsigned char, 128> zeros{};
  add_value(name, argument_kind::element, zeros.data(), type.size);
  arguments_[n_arguments_ - 1].operand = static_cast<unsigned char>(type.size);
  return *this;
}

void described_launch::set_element(std::string_view name, const void* bytes) {
  for (const argument& a : arguments()) {
    if (a.kind == argument_kind::element && a.name == name)
      std::memcpy(bytes_.data() + a.at, bytes, size_of(a));
  }
}

void described_launch::replace(std::string_view name, argument_kind kind, const void* bytes) {
  const auto all = arguments();
  const auto found = std::ranges::find(all, name, [](const argument& a) { return std::string_view(a.name); });
  if (found == all.end() || found->kind != kind)
    throw error(failure::internal,
                "the kernel " + std::string(kernel) + " has no such argument " + std::string(name));
  std::memcpy(bytes_.data() + found->at, bytes, size_of(kind));
}

bool takes_workspace(const described_work& work) {
  return std::ranges::any_of(work.launches, [](const described_launch& launch) {
    return std::ranges::any_of(launch.arguments(), [](const described_launch::argument& a) {
      return a.kind == argument_kind::workspace;
    });
  });
}

call_plan begin_plan(const plan_target& asked, const described_work& work, told people) {
  call_plan plan;
  plan.variant = std::move(people.variant);
  plan.rejected = std::move(people.rejected);
  plan.choice = asked.choice;
  plan.n = work.n;
  if (takes_workspace(work)) plan.workspace_bytes = workspace::own_at + work.workspace_bytes;
  for (const described_launch& launch : work.launches) {
    planned_kernel kernel{launch.kernel, launch.groups, launch.group_size, {}, launch.local_bytes};
    for (const described_launch::argument& a : launch.arguments())
      kernel.arguments.push_back(planned(work, launch, a));
    for (const source_argument& a : work.sources)
      if (launch.takes_sources) kernel.arguments.push_back(planned(work, a));
    for (const std::span<const named_value> list : launch.values()) {
      for (const named_value& each : list) kernel.arguments.push_back(planned(each));
    }
    plan.kernels.push_back(std::move(kernel));
  }
  return plan;
}

void add_program(call_plan& plan, const plan_target& asked, planned_program program) {
  const program_spec& spec = program.spec;
  plan.primitive = spec.primitive;
  plan.words = spec.words;
  plan.modules = modules_of(spec);
  if (spec.marked) plan.second_target = asked.choice.profile->beyond.target;
  if (asked.with_source) {
    plan.remarks = remarks_on(spec);
    plan.source = compose_source(spec);
    plan.options = option_line(spec, target_of(asked));
  }
  if (!plan.kernels.empty()) plan.program = std::make_shared<const planned_program>(std::move(program));
}

}  // namespace clwave::detail
