// Plans against what is enqueued: random calls of every primitive under several rows, with the kernels, the
// sizes and the arguments that the driver was given. A plan that people, emulation and the proofs without a
// GPU read must be the launch itself. For a program that links recorder.cpp.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "harness/devices.hpp"
#include "harness/parts.hpp"
#include "harness/recorder.hpp"
#include "program/element_words.hpp"
#include "program/kernel_prefix.hpp"
#include "program/named_values.hpp"

namespace testing::plan_runs_test {
namespace {

// The bytes of one number, or of a vector's components with commas between them.
template <class T>
std::vector<unsigned char> bytes_of(const std::string& text) {
  std::vector<unsigned char> all;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    T value{};
    const auto [end, code] = std::from_chars(text.data() + from, text.data() + to, value);
    if (code != std::errc() || end != text.data() + to) return {};
    const std::size_t at = all.size();
    all.resize(at + sizeof value);
    std::memcpy(all.data() + at, &value, sizeof value);
    from = to + 1;
  }
  return all;
}

// A kernel's name for an argument; a value has its own name in plans.
std::string name_in_plans(std::string name) {
  for (const std::string_view prefix : clwave::detail::value_prefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  constexpr std::string_view of_kernels = clwave::detail::reserved_prefix;
  if (name.starts_with(of_kernels)) return name.substr(of_kernels.size());
  return name;
}

// "" where the argument that was set is the planned one.
std::string compare(const clwave::planned_argument& planned, const std::vector<unsigned char>& given,
                    const std::string& type) {
  const std::string& kind = planned.kind;
  const auto differ = [&](const std::vector<unsigned char>& expected, const std::string& expected_type) {
    if (!type.empty() && type != expected_type) return "is a " + type + ", the plan says " + kind;
    return given == expected ? std::string() : "is not the plan's " + planned.value;
  };
  if (kind == "element")
    return given.size() == std::stoull(planned.value) ? "" : "has not the plan's " + planned.value + " bytes";
  if (kind == "host address")
    return given.size() == 8 && (type.empty() || type == "ulong") ? "" : "is no ulong";
  if (kind == "call number") return given.size() == 4 && (type.empty() || type == "uint") ? "" : "is no uint";
  if (const element* const type = clwave::find_element(kind))
    return clwave::detail::with_scalar(clwave::detail::scalar_name(*type), [&](auto zero) {
      return differ(bytes_of<decltype(zero)>(planned.value), type->opencl_name);
    });
  if (kind == "u32x16") return differ(bytes_of<u32>(planned.value), "uint16");
  if (kind == "u64x16") return differ(bytes_of<u64>(planned.value), "ulong16");
  if (kind != "input" && kind != "output" && kind != "workspace") return "has the kind " + kind;
  cl_mem buffer = nullptr;
  if (given.size() != sizeof(cl_mem)) return "is no buffer";
  std::memcpy(static_cast<void*>(&buffer), given.data(), sizeof(cl_mem));
  // A view of no elements may have none; the workspace is the library's own.
  if (buffer == nullptr && kind != "workspace") return "";
  std::size_t size = 0;
  if (clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, nullptr) != CL_SUCCESS)
    return "is no buffer";
  return size < std::stoull(planned.value) ? "is smaller than the plan's " + planned.value : "";
}

std::string compare(const planned_kernel& planned, const recorder::recorded_launch& given) {
  if (given.kernel != planned.name) return "the kernel " + given.kernel + ", planned " + planned.name;
  if (given.dimensions != 1 || given.has_offset) return "another range than of one dimension from 0";
  if (given.local != planned.group_size || given.global != planned.groups * planned.group_size)
    return std::to_string(given.global) + " work-items in groups of " + std::to_string(given.local) +
           ", planned " + std::to_string(planned.groups) + " of " + std::to_string(planned.group_size);
  if (given.parameters != planned.arguments.size() || given.values.size() != planned.arguments.size())
    return std::to_string(given.parameters) + " parameters, " + std::to_string(given.values.size()) +
           " of them set, planned " + std::to_string(planned.arguments.size());
  // Drivers may forget the parameters of a stored binary.
  if (!given.source.empty() && given.names.empty()) return planned.name + "'s parameters have no names";
  for (cl_uint k = 0; k < given.parameters; ++k) {
    const clwave::planned_argument& argument = planned.arguments[k];
    const std::string wrong =
        compare(argument, given.values.at(k), given.types.empty() ? "" : given.types[k]);
    if (!given.names.empty() && name_in_plans(given.names[k]) != argument.name)
      return planned.name + "'s " + given.names[k] + " is planned as " + argument.name;
    if (!wrong.empty()) return planned.name + "'s " + argument.name + " " + wrong;
  }
  return {};
}

// The first lines in which two sources differ.
std::string first_difference(const std::string& given, const std::string& planned) {
  std::istringstream a(given), b(planned);
  std::string of_a, of_b;
  for (std::size_t line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(a, of_a));
    const bool more_b = static_cast<bool>(std::getline(b, of_b));
    if (!more_a) of_a.clear();
    if (!more_b) of_b.clear();
    if (of_a != of_b || !more_a || !more_b)
      return "line " + std::to_string(line) + " is '" + of_a + "', planned '" + of_b + "'";
  }
}

// A device with buffers, whose calls the recorder sees.
class device_with_buffers : public call_comparer {
 public:
  device_with_buffers() {
    for (cl::Buffer& buffer : buffers_) buffer = cl::Buffer(on_.context, CL_MEM_READ_WRITE, buffer_bytes);
  }

  clwave::plan_target target() const override {
    return {.facts = &on_.facts, .choice = clwave::choose_profile(on_.facts), .group_limit = group_limit_};
  }
  const cl::CommandQueue& queue() const override { return on_.queue; }
  const cl::Buffer& buffer(int k) const override { return buffers_[k]; }

 protected:
  fixture& on_ = default_fixture();
  unsigned group_limit_ = 0;

 private:
  cl::Buffer buffers_[4];
};

class runner : public device_with_buffers {
 public:
  void compare_call(const std::string& what, const std::function<call_plan()>& make_plan,
                    const std::function<void()>& call) override {
    ++calls;
    std::string wrong;
    std::optional<call_plan> plan;
    bool refused = false, ran = true;
    try {
      plan = make_plan();
    } catch (const clwave::error& trouble) {
      refused = true;
      wrong = trouble.what();
    }
    const recorder::recording now;
    try {
      call();
    } catch (const clwave::error& trouble) {
      ran = false;
      wrong += std::string(" ") + trouble.what();
    }
    if (refused == ran) {
      FAIL_CHECK(what << (refused ? ": the plan is refused, the call runs: " : ": the call fails: ")
                      << wrong);
      return;
    }
    if (!ran) return;
    auto launches = now.launches();
    wrong.clear();
    // A plan knows the compiled kernel's limit only where it is told, and a call asks the driver.
    const std::size_t group = launches.empty() ? 0 : launches.front().local;
    if (!plan->kernels.empty() && group != 0 && group < plan->kernels.front().group_size &&
        recorder::smallest_group_limit() < plan->kernels.front().group_size) {
      group_limit_ = static_cast<unsigned>(group);
      plan = make_plan();
      group_limit_ = 0;
    }
    // What is recorded does not run. So a value that its kernel was to leave in host memory itself never
    // comes there, and the call, which notices, enqueues the same once more and reads.
    if (on_.facts.host_memory_reached.value_or(false) && launches.size() == 2 * plan->kernels.size())
      launches.resize(plan->kernels.size());
    if (launches.size() != plan->kernels.size())
      wrong = std::to_string(launches.size()) + " launches, planned " + std::to_string(plan->kernels.size());
    for (std::size_t k = 0; wrong.empty() && k < launches.size(); ++k)
      wrong = compare(plan->kernels[k], launches[k]);
    for (const recorder::recorded_launch& each : launches) {
      if (wrong.empty() && each.options != plan->options)
        wrong = "built with " + each.options + ", planned " + plan->options;
      if (wrong.empty() && !each.source.empty() && each.source != plan->source)
        wrong = "another source than planned: " + first_difference(each.source, plan->source);
    }
    if (!wrong.empty()) FAIL_CHECK(what << ": " << wrong << "; " << random.note());
  }

  std::size_t calls = 0;
};

// Makes no call.
class plans_only : public device_with_buffers {
 public:
  void compare_call(const std::string& /*what*/, const std::function<call_plan()>& make_plan,
                    const std::function<void()>& /*call*/) override {
    try {
      primitives.insert(primitive_in(make_plan().options));
    } catch (const clwave::error& refused) {
      CHECK(refused.kind() == clwave::failure::bad_call);
    }
  }
  std::set<std::string> primitives;
};

void compare_calls(const compared_call& of) {
  runner r;
  sample some(std::min<std::size_t>(3, of.rows.size()));
  std::size_t asked = 0;
  for (const char* row : of.rows) {
    if (!some.takes_next()) continue;
    asked += static_cast<std::size_t>(of.calls);
    const forced_profile forced(row);
    INFO("under the row ", std::string(row));
    for (int k = 0; k < of.calls; ++k) of.compare(r);
  }
  CHECK(r.calls == asked);
}

TEST_CASE("plans are what runs") {
  const auto& names = primitive_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    SUBCASE(names[k].c_str()) {
      for (const compared_call& each : all_parts()[k].compared) compare_calls(each);
    }
  }
}

TEST_CASE("every primitive of the kernels is compared") {
  plans_only r;
  for (const primitive_parts& part : all_parts()) {
    for (const compared_call& each : part.compared) {
      for (int k = 0; k < 10; ++k) each.compare(r);
    }
  }
  r.primitives.erase("");
  CHECK(joined(r.primitives) == joined(primitives_of_kernels()));
}

}  // namespace
}  // namespace testing::plan_runs_test
