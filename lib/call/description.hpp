// A call, described once. A primitive's describe() makes it from the problem and the target alone, without a
// device: the variant that the program is built from, and the launches with their arguments.
// execute() enqueues it; plans, which `clwave why`, emulation and the proofs without a device read, print it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/named_value.hpp>
#include <clwave/plan.hpp>

#include "base/short_list.hpp"
#include "call/planning.hpp"
#include "program/key.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// What a call does to a buffer.
enum class access { reads, writes, reads_and_writes };

// A buffer of the caller's: what the call does to it, and how many bytes from its first byte the call
// reaches.
struct described_operand {
  access use = access::reads;
  std::uint64_t n_bytes = 0;
};

// What an argument of a kernel is. Vectors have 16 components; an element is a value of one of the call's
// types.
enum class argument_kind : unsigned char {
  operand,
  workspace,
  u32,
  u64,
  f32,
  f64,
  u32x16,
  u64x16,
  element,
  host_address,  // a ulong: where the kernel may write to the host's memory; 0: nowhere
  call_number,   // a uint that tells the messages of one call from those of others
};

// One kernel's launch: its arguments in the kernel's order, each with the kernel's own name for it.
class described_launch {
 public:
  struct argument {
    const char* name;
    argument_kind kind;
    unsigned char operand;  // which, where it is one; of an element its bytes
    std::uint16_t at;       // of a scalar's bytes
  };

  // The names are literals: they are not copied.
  described_launch(const char* kernel, std::uint64_t groups, unsigned group_size)
      : kernel(kernel), groups(groups), group_size(group_size) {}

  // The buffer of one of the call's operands, by its number.
  described_launch& buffer(const char* name, std::size_t operand);
  described_launch& workspace(const char* name);
  template <class T>
  described_launch& value(const char* name, const T& number) {
    return add_value(name, kind_of<T>(), &number, sizeof number);
  }
  // Bytes of a whole scalar or vector, whatever it holds.
  described_launch& bits(const char* name, argument_kind kind, const void* bytes) {
    return add_value(name, kind, bytes, size_of(kind));
  }
  // A value of a type of the call's, which only the call knows: nothing but zeros until set_element().
  described_launch& element(const char* name, const clwave::element& type);
  void set_element(std::string_view name, const void* bytes);
  described_launch& call_number(const char* name) {
    return add_value(name, argument_kind::call_number, "\0\0\0", 4);
  }
  // The values of the call's operator, its map, and the operator that compares keys, behind all other
  // arguments. Refers to them.
  described_launch& values(std::span<const named_value> of_op, std::span<const named_value> of_map,
                           std::span<const named_value> of_same = {}) {
    values_[0] = of_op;
    values_[1] = of_map;
    values_[2] = of_same;
    return *this;
  }
  // Those of the k-th map of a call that has several.
  described_launch& values_of_map(std::size_t k, std::span<const named_value> of_map) {
    values_[k] = of_map;
    return *this;
  }
  described_launch& host_address(const char* name) {
    return add_value(name, argument_kind::host_address, "\0\0\0\0\0\0\0", 8);
  }
  // Only the call knows it. Until then, and again after nullptr, it is 0.
  void set_host_address(std::string_view name, const void* to) {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(to));
    replace(name, argument_kind::host_address, &address);
  }

  std::span<const argument> arguments() const { return {arguments_.data(), n_arguments_}; }
  // The operator's, the map's, and those of the operator that compares keys; or those of several maps.
  std::span<const std::span<const named_value>> values() const { return values_; }
  const unsigned char* bytes_of(const argument& a) const { return bytes_.data() + a.at; }

  static std::size_t size_of(argument_kind kind);
  static std::size_t size_of(const argument& a) {
    return a.kind == argument_kind::element ? a.operand : size_of(a.kind);
  }

  const char* kernel;
  std::uint64_t groups = 0;
  unsigned group_size = 1;
  // Of a group, where the description decides it and not the compiler alone.
  std::optional<std::uint64_t> local_bytes = {};
  // Those of the call's lazy input come behind all other arguments but the values.
  bool takes_sources = false;

 private:
  template <class T>
  static constexpr argument_kind kind_of() {
    if constexpr (std::same_as<T, std::uint32_t>) {
      return argument_kind::u32;
    } else if constexpr (std::same_as<T, std::uint64_t>) {
      return argument_kind::u64;
    } else if constexpr (std::same_as<T, float>) {
      return argument_kind::f32;
    } else if constexpr (std::same_as<T, double>) {
      return argument_kind::f64;
    } else if constexpr (std::same_as<T, std::array<std::uint32_t, 16>>) {
      return argument_kind::u32x16;
    } else {
      static_assert(std::same_as<T, std::array<std::uint64_t, 16>>,
                    "no kernel takes an argument of this type");
      return argument_kind::u64x16;
    }
  }
  void add(const argument& a);
  described_launch& add_value(const char* name, argument_kind kind, const void* bytes, std::size_t size);
  void replace(std::string_view name, argument_kind kind, const void* bytes);

  std::array<argument, 24> arguments_;
  std::size_t n_arguments_ = 0;
  std::array<unsigned char, 512> bytes_;
  std::size_t n_bytes_ = 0;
  std::array<std::span<const named_value>, 8> values_;
};

// An argument of what a call's lazy input is made of.
struct source_argument {
  std::string name;
  argument_kind kind = argument_kind::u64;
  std::size_t operand = 0;                   // which, where it is one
  std::array<unsigned char, 8> number = {};  // of a u64
  std::vector<unsigned char> bytes = {};     // of an element
  const named_value* value = nullptr;        // where it is one of the text's
};

// All launches of a call, in order: each begins when the one before has ended.
struct described_work {
  std::uint64_t n = 0;  // elements that the call goes over
  std::vector<described_operand> operands = {};
  short_list<described_launch, 2> launches = {};
  std::vector<source_argument> sources = {};
  // The call's own part of the workspace (workspace.hpp); launches that take none need none.
  std::uint64_t workspace_bytes = 0;
  // Its workspace holds messages between groups, which are told from earlier ones by the call's number.
  bool messages = false;
  // So many bytes of the workspace, from its counters on, must be 0 before the call. A block's counters are;
  // memory that the caller gives is cleared.
  std::uint64_t zeroed_bytes = 0;

  // One launch more.
  described_launch& launch(const char* kernel, std::uint64_t groups, unsigned group_size) {
    return launches.emplace_back(kernel, groups, group_size);
  }
};

// Whether a launch of the call takes its workspace.
bool takes_workspace(const described_work& work);

template <class Variant>
struct described {
  Variant variant;
  described_work work;
};

// For people: what was chosen, and what was not. Made only where somebody asks.
struct told {
  std::string variant;
  std::vector<rejected_variant> rejected = {};
};

// A plan without what depends on the variant: its kernels, sizes and what is told of it.
call_plan begin_plan(const plan_target& asked, const described_work& work, told people);
// A program by its key, which names it among a context's.
struct planned_program {
  std::string key;
  program_spec spec;
};

// Adds the program.
void add_program(call_plan& plan, const plan_target& asked, planned_program program);

// The plan of a problem, from the description that a call would carry out. A primitive has
// describe(problem, target), tell(problem, target, described), and spec_of(variant).
template <class Problem>
call_plan plan_of(const Problem& problem, const plan_target& asked) {
  const target on = target_of(asked);
  const auto call = describe(problem, on);
  call_plan plan = begin_plan(asked, call.work, tell(problem, on, call));
  add_program(plan, asked, {key_of(call.variant), spec_of(call.variant)});
  return plan;
}

}  // namespace clwave::detail
