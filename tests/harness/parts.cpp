// All primitives' parts. CMake says which primitives there are.
#include "harness/parts.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

#include <clwave/error.hpp>
#include <clwave/sharded.hpp>

#include "base/opencl.hpp"
#include "program/embedded_kernels.hpp"
#include "program/program.hpp"

namespace testing {
namespace {

// Gathers the plans that there are.
class gathering_planner : public planner {
 public:
  using planner::planner;
  void plan(const std::string& /*what*/, const clwave::plan_target& /*on*/,
            const std::vector<wide>& /*bytes*/, const std::function<call_plan()>& make,
            const std::function<std::string(const call_plan&)>& /*check*/) override {
    try {
      plans.push_back(make());
    } catch (const clwave::error& refused) {
      if (refused.kind() != clwave::failure::bad_call) throw;
    }
  }
  std::vector<call_plan> plans;
};

const std::regex& primitive_word() {
  static const auto& word = *new std::regex("PRIMITIVE_[A-Z_]+");
  return word;
}

// A call that returns a count or nothing, as one that returns a value: the count, and what was written.
value_call with_outputs(const count_call& call) {
  return {.name = call.name + ", counted",
          .operands = call.operands,
          .value =
              [call](const cl::CommandQueue& queue, const buffers& given, bool empty,
                     const launch_options& options) {
                bytes all = bytes_of_value(call.count(queue, given, empty, options));
                // Not on the call's queue, where drivers may wait for all that it holds.
                const cl::CommandQueue reader(queue.getInfo<CL_QUEUE_CONTEXT>(),
                                              queue.getInfo<CL_QUEUE_DEVICE>());
                for (std::size_t k = 0; k < given.size(); ++k) {
                  if (call.operands[k].use == access::reads) continue;
                  bytes written(call.operands[k].n * 4);
                  const cl_int code = clEnqueueReadBuffer(reader(), given[k](), CL_TRUE, 0, written.size(),
                                                          written.data(), 0, nullptr, nullptr);
                  if (code == CL_INVALID_OPERATION) continue;  // a buffer that the host may not read
                  clwave::detail::check(code, "read what a call wrote");
                  all.insert(all.end(), written.begin(), written.end());
                }
                return all;
              },
          .later = nullptr};
}

// A reduction of one array in two pieces, of which the second begins inside a tile.
template <class Reduce>
value_call of_parts(const std::string& name, bool takes_empty, const Reduce& reduce) {
  return {.name = name + " of parts",
          .operands = {{.n = 20000}, {.n = 9000}},
          .takes_empty = takes_empty,
          .value =
              [reduce](const cl::CommandQueue& queue, const buffers& given, bool empty,
                       const launch_options& options) {
                const clwave::sharded<u32> array{{queue, part<u32>(given[0], 20000, empty), options.after},
                                                 {queue, part<u32>(given[1], 9000, empty), options.after}};
                return bytes_of_value(reduce(array));
              },
          .later = nullptr};
}

}  // namespace

const std::vector<primitive_parts>& all_parts() {
  static const auto& all = *new std::vector<primitive_parts>(registered_parts::in_order(CLWAVE_PRIMITIVES));
  return all;
}

const std::vector<std::string>& primitive_names() {
  static const auto& all = *new std::vector<std::string>([] {
    std::istringstream names(CLWAVE_PRIMITIVES);
    return std::vector<std::string>(std::istream_iterator<std::string>(names), {});
  }());
  return all;
}

std::vector<u32> some_offsets(std::size_t n) {
  std::vector<u32> offsets{0};
  while (offsets.back() < n / 2) offsets.push_back(offsets.back() + static_cast<u32>(offsets.size() % 40));
  offsets.push_back(static_cast<u32>(n));
  return offsets;
}

std::vector<u32> some_keys(std::size_t n) {
  const std::vector<u32> offsets = some_offsets(n);
  std::vector<u32> keys(n);
  for (u32 s = 0; s + 1 < offsets.size(); ++s)
    std::fill(keys.begin() + offsets[s], keys.begin() + offsets[s + 1], s % 7);
  return keys;
}

std::vector<float> some_sorted(std::size_t n, std::size_t times) {
  std::vector<float> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t number = i / times;
    all[i] = static_cast<float>(number);
  }
  return all;
}

std::vector<event_call> event_calls() {
  std::vector<event_call> all;
  for (const primitive_parts& each : all_parts()) {
    const event_list own = each.events();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<value_call> value_calls() {
  std::vector<value_call> all;
  for (const primitive_parts& each : all_parts()) {
    if (each.values == nullptr) continue;
    const value_list own = each.values();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<count_call> count_calls() {
  std::vector<count_call> all;
  for (const primitive_parts& each : all_parts()) {
    if (each.counts == nullptr) continue;
    const std::vector<count_call> own = each.counts();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<value_call> blocking_calls() {
  using words = clwave::sharded<std::uint32_t>;
  std::vector<value_call> all = value_calls();
  for (const count_call& each : count_calls()) all.push_back(with_outputs(each));
  all.push_back(of_parts("reduce", true, [](const words& x) { return clwave::reduce(x); }));
  all.push_back(of_parts("dot", true, [](const words& x) { return clwave::dot(x, x); }));
  all.push_back(of_parts("argmax", false, [](const words& x) { return clwave::argmax(x); }));
  return all;
}

// Files of primitives/ that have no primitive's name are a part of one, whose name theirs begins with.
std::set<std::string> primitives_of_kernels() {
  constexpr std::string_view folder = "primitives/", ending = ".cl";
  std::set<std::string> files;
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts())
    if (part.name.starts_with(folder))
      files.emplace(part.name.substr(folder.size(), part.name.size() - folder.size() - ending.size()));
  std::set<std::string> known;
  for (const std::string& file : files) {
    const bool is_part =
        std::ranges::any_of(files, [&](const std::string& other) { return file.starts_with(other + "_"); });
    if (!is_part || std::ranges::find(primitive_names(), file) != primitive_names().end())
      known.insert(clwave::detail::primitive_word(file));
  }
  // The first elements of segments are what sorts of segments keep: their kernels are in the files of these.
  if (files.contains("segmented_sort")) known.insert(clwave::detail::primitive_word("segmented_top_k"));
  return known;
}

std::string joined(const std::set<std::string>& words) {
  std::string all;
  for (const std::string& each : words) all += (all.empty() ? "" : " ") + each;
  return all;
}

bool kernels_have(const std::string& primitive) {
  return primitives_of_kernels().contains(clwave::detail::primitive_word(primitive));
}

std::string primitive_in(const std::string& options) {
  std::smatch found;
  return std::regex_search(options, found, primitive_word()) ? found.str() : std::string();
}

std::vector<call_plan> some_plans(const clwave::plan_target& on, u64 seed, int times, std::string_view of) {
  gathering_planner p(seed);
  for (const primitive_parts& part : all_parts()) {
    for (const random_plan& each : part.plans) {
      if (!of.empty() && each.name != of) continue;
      for (int k = 0; k < times; ++k) each.plan(p, on);
    }
  }
  return std::move(p.plans);
}

}  // namespace testing
