// Writes source.cl and options.txt for calls that `clwave emulate` has no words for: the same plans, from
// the same functions. Makes no OpenCL call.
//   offline_plans ARCH --dump DIR CASE
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include <clwave.hpp>

#include "device/tuning.hpp"

struct pair {
  float low, high;
};
CLWAVE_STRUCTURE(pair, "pair", "typedef struct { float low, high; } pair;")

struct triple {
  float x, y, z;
};
CLWAVE_STRUCTURE(triple, "triple", "typedef struct { float x, y, z; } triple;")

namespace {

constexpr std::uint64_t n = std::uint64_t{1} << 28;

using clwave::call_plan;
using clwave::element;
using clwave::element_of;
using clwave::plan_target;

const element& f32 = element_of<float>();

const clwave::op interval{.name = "interval",
                          .source = "interval_of(a, b)",
                          .identity = "",
                          .declarations =
                              "pair interval_of(pair a, pair b) {\n"
                              "  pair r = {fmin(a.low, b.low), fmax(a.high, b.high)};\n"
                              "  return r;\n}"};
const clwave::op componentwise{.name = "add3",
                               .source = "add3(a, b)",
                               .identity = "",
                               .declarations =
                                   "triple add3(triple a, triple b) {\n"
                                   "  triple r = {a.x + b.x, a.y + b.y, a.z + b.z};\n"
                                   "  return r;\n}"};
// A product that must not be fused into the sum, in a function of the user's.
clwave::op with_helper(const std::string& type) {
  return {.name = "mul-add",
          .source = "mul_add(a, a, b)",
          .identity = "0",
          .declarations =
              type + " mul_add(" + type + " p, " + type + " q, " + type + " r) { return p * q + r; }"};
}
// Values that come as arguments, in both texts.
const clwave::op by_values{
    .name = "by values", .source = "a * k + b * l", .identity = "0", .values = {{"k", 0.5f}, {"l", 2.0f}}};
const clwave::map scaled{.name = "scaled", .source = "x * k + shift", .values = {{"k", 3}, {"shift", 0.25f}}};
const clwave::op last{.name = "last", .source = "b", .identity = "", .commutative = false};

// A reduction of one type into itself, from element `offset` on.
call_plan of_reduce(const plan_target& on, const element& type, const clwave::op& fold = clwave::plus,
                    const clwave::map& apply = clwave::identity, bool two_inputs = false,
                    std::uint64_t offset = 0) {
  const clwave::asked_operand in(type, offset);
  clwave::reduce_question question{in, &type, n, &fold, &apply};
  if (two_inputs) question.in2 = in;
  question.out = type;
  return clwave::plan(question, on);
}

// The sum (or another fold) of T with groups of a size that tuning accepts and the row may not have.
template <class T>
call_plan reduce_in_groups(const plan_target& on, unsigned group_size, const clwave::op& fold) {
  clwave::tuning numbers = on.choice.row->reduce;
  numbers.group_size = group_size;
  const clwave::profile row = clwave::detail::with_tuning(*on.choice.row, "reduce", numbers);
  if (const std::string fault = clwave::detail::fault_of(row, numbers); !fault.empty())
    throw std::runtime_error(fault);
  plan_target other = on;
  other.choice.row = &row;
  call_plan plan = clwave::plan(clwave::reduce_question{element_of<T>(), &element_of<T>(), n, &fold}, other);
  plan.choice.row = on.choice.row;
  return plan;
}

// Segments of one type, by an operator of the user's.
call_plan of_segments(const plan_target& on, const element& type, const clwave::op& fold) {
  return clwave::plan(clwave::segmented_reduce_question{.in = type,
                                                        .offsets = element_of<std::uint64_t>(),
                                                        .out = type,
                                                        .n = n,
                                                        .segments = n / 64,
                                                        .fold = &fold},
                      on);
}

// Scans of segments of one type, by an operator of the user's.
call_plan of_scanned_segments(const plan_target& on, const element& type, const clwave::op& fold) {
  return clwave::plan(clwave::segmented_scan_question{.in = type,
                                                      .offsets = element_of<std::uint64_t>(),
                                                      .out = type,
                                                      .n = n,
                                                      .segments = n / 64,
                                                      .fold = &fold},
                      on);
}

// Runs of equal 32-bit keys, by an operator of the user's.
call_plan by_key(const plan_target& on, const element& type, const clwave::op& fold) {
  const element& key = element_of<std::uint32_t>();
  return clwave::plan(clwave::reduce_by_key_question{.keys = key,
                                                     .values = type,
                                                     .keys_out = key,
                                                     .values_out = type,
                                                     .n = n,
                                                     .capacity = n,
                                                     .fold = &fold},
                      on);
}

// Each begins with the name of its primitive, as the words for the tool do.
const std::map<std::string, std::function<call_plan(const plan_target&)>> cases = {
    {"reduce dot f32",
     [](const plan_target& on) { return of_reduce(on, f32, clwave::plus, clwave::product, true); }},
    {"reduce sum f32 misaligned",
     [](const plan_target& on) { return of_reduce(on, f32, clwave::plus, clwave::identity, false, 1); }},
    {"reduce sum f32x4", [](const plan_target& on) { return of_reduce(on, element_of<cl_float4>()); }},
    {"reduce structure of 8 bytes",
     [](const plan_target& on) { return of_reduce(on, element_of<pair>(), interval); }},
    {"reduce structure of 12 bytes",
     [](const plan_target& on) { return of_reduce(on, element_of<triple>(), componentwise); }},
    {"reduce non-commutative f32", [](const plan_target& on) { return of_reduce(on, f32, last); }},
    // Groups of which one wave writes results of tiles, and of which several do.
    {"reduce sum u8 in groups of 64",
     [](const plan_target& on) { return reduce_in_groups<std::uint8_t>(on, 64, clwave::plus); }},
    {"reduce sum u8 in groups of 512",
     [](const plan_target& on) { return reduce_in_groups<std::uint8_t>(on, 512, clwave::plus); }},
    {"reduce sum u8 in groups of 1024",
     [](const plan_target& on) { return reduce_in_groups<std::uint8_t>(on, 1024, clwave::plus); }},
    {"reduce max u8 in groups of 512",
     [](const plan_target& on) { return reduce_in_groups<std::uint8_t>(on, 512, clwave::max); }},
    {"reduce sum f32 in groups of 64",
     [](const plan_target& on) { return reduce_in_groups<float>(on, 64, clwave::plus); }},
    {"reduce sum f32 in groups of 128",
     [](const plan_target& on) { return reduce_in_groups<float>(on, 128, clwave::plus); }},
    {"reduce sum f32 in groups of 512",
     [](const plan_target& on) { return reduce_in_groups<float>(on, 512, clwave::plus); }},
    {"reduce sum f32 in groups of 1024",
     [](const plan_target& on) { return reduce_in_groups<float>(on, 1024, clwave::plus); }},
    {"reduce sum f64 in groups of 1024",
     [](const plan_target& on) { return reduce_in_groups<double>(on, 1024, clwave::plus); }},
    {"reduce mul-add f32", [](const plan_target& on) { return of_reduce(on, f32, with_helper("float")); }},
    {"reduce mul-add f64",
     [](const plan_target& on) { return of_reduce(on, element_of<double>(), with_helper("double")); }},
    {"reduce values f32", [](const plan_target& on) { return of_reduce(on, f32, by_values, scaled); }},
    {"scan f32 in place by a text",
     [](const plan_target& on) {
       return plan(clwave::scan_question{.in = f32, .out = f32, .n = n, .fold = &last, .in_place = true}, on);
     }},
    {"transform values f32",
     [](const plan_target& on) {
       return plan(clwave::transform_question{{f32}, f32, n, &scaled}, on);
     }},
    {"reduce_by_key structure of 12 bytes",
     [](const plan_target& on) { return by_key(on, element_of<triple>(), componentwise); }},
    {"reduce_by_key non-commutative f32", [](const plan_target& on) { return by_key(on, f32, last); }},
    {"segmented_reduce structure of 12 bytes",
     [](const plan_target& on) { return of_segments(on, element_of<triple>(), componentwise); }},
    {"segmented_reduce non-commutative f32",
     [](const plan_target& on) { return of_segments(on, f32, last); }},
    {"segmented_scan structure of 12 bytes",
     [](const plan_target& on) { return of_scanned_segments(on, element_of<triple>(), componentwise); }},
    {"segmented_scan non-commutative f32",
     [](const plan_target& on) { return of_scanned_segments(on, f32, last); }},
    {"copy f32",
     [](const plan_target& on) {
       return plan(clwave::copy_question{f32, f32, n}, on);
     }},
    {"copy f32 to f16",
     [](const plan_target& on) {
       return plan(clwave::copy_question{f32, element_of<clwave::half>(), n}, on);
     }},
    {"copy f16 to f32",
     [](const plan_target& on) {
       return plan(clwave::copy_question{element_of<clwave::half>(), f32, n}, on);
     }},
    {"copy f32 to u8 saturated",
     [](const plan_target& on) {
       return plan(
           clwave::copy_question{f32, element_of<std::uint8_t>(), n, {true, clwave::rounding::nearest_even}},
           on);
     }},
    {"copy f64 to f32",
     [](const plan_target& on) {
       return plan(clwave::copy_question{element_of<double>(), f32, n}, on);
     }},
    {"fill f32",
     [](const plan_target& on) {
       const float value = 1;
       return plan(clwave::fill_question{f32, n, &value}, on);
     }},
};

}  // namespace

int main(int count, char** words) {
  if (count != 5 || std::string(words[2]) != "--dump" || !cases.contains(words[4])) {
    std::cerr << "usage: offline_plans ARCH --dump DIR CASE; the cases:\n";
    for (const auto& [name, plan] : cases) std::cerr << "  \"" << name << "\"\n";
    return 2;
  }
  try {
    const plan_target on{.choice = clwave::choose_profile_for(words[1]), .compute_units = 64};
    const call_plan plan = cases.at(words[4])(on);
    const std::filesystem::path folder = words[3];
    std::filesystem::create_directories(folder);
    std::ofstream source(folder / "source.cl", std::ios::binary);
    std::ofstream options(folder / "options.txt", std::ios::binary);
    source << plan.source;
    options << plan.options << '\n';
    if (!source.flush() || !options.flush())
      throw std::runtime_error("could not write into " + folder.string());
  } catch (const std::exception& e) {
    std::cerr << "offline_plans: " << e.what() << '\n';
    return 1;
  }
}
