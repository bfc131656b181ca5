// The composed source and its option line: every line traceable, no vendor outside the walls.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/files.hpp"
#include "harness/kernel_words.hpp"
#include "harness/refusals.hpp"
#include "program/embedded_kernels.hpp"
#include "program/kernel_prefix.hpp"
#include "program/program.hpp"

namespace testing::source_test {
namespace {

namespace fs = std::filesystem;
using clwave::device_family;
using clwave::group_order;
using clwave::lane_exchange;
using clwave::profile_choice;
using clwave::detail::prefixed;
using clwave::detail::reserved_prefix;
using clwave::detail::with_prefix;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A line of a composed source, and where a compiler will say that it stands.
struct placed_line {
  std::string file;
  std::size_t number;
  std::string text;
};

// Reads a composed source as a compiler does, following its #line marks.
std::vector<placed_line> placed_lines(const std::string& source) {
  std::vector<placed_line> placed;
  std::string file;
  std::size_t number = 1;
  for (const std::string& line : lines_of(source)) {
    if (line.starts_with("#line ")) {
      const std::size_t quote = line.find('"');
      number = std::stoul(line.substr(6));
      file = line.substr(quote + 1, line.rfind('"') - quote - 1);
      continue;
    }
    placed.push_back({file, number++, line});
  }
  return placed;
}

call_plan plan_for(const clwave::plan_target& on, u64 n, const clwave::op& fold) {
  const element& f32 = element_of<float>();
  return plan(clwave::reduce_problem{{f32, n}, &f32, &fold}, on);
}

call_plan plan_for(const std::string& architecture, const clwave::op& fold = clwave::plus,
                   const clwave::map& apply = clwave::identity) {
  const element& f32 = element_of<float>();
  return plan(clwave::reduce_problem{{f32, 1 << 20}, &f32, &fold, &apply},
              {.facts = nullptr, .choice = clwave::choose_profile_for(architecture), .compute_units = 8});
}

// A name without the prefix that kernels' names have in programs.
std::string without_prefix(std::string name) {
  if (name.starts_with(reserved_prefix)) name.erase(0, reserved_prefix.size());
  return name;
}

// The options of a line by name, without prefixes: {"-DLANES", "32"}. Fails on a word twice, and on a define
// without the prefix.
std::map<std::string, std::string> options_of(const std::string& line) {
  std::map<std::string, std::string> options;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    CHECK_MESSAGE(word.starts_with("-"), "a word that is no option: ", word);
    const std::size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    if (name.starts_with("-D")) {
      CHECK_MESSAGE(name.substr(2).starts_with(reserved_prefix), "no prefix: ", word);
      name = "-D" + without_prefix(name.substr(2));
    }
    const bool fresh =
        options.emplace(name, equals == std::string::npos ? "" : without_prefix(word.substr(equals + 1)))
            .second;
    CHECK_MESSAGE(fresh, "twice: ", word);
  }
  return options;
}

TEST_CASE("a compiler finds every line of every part where it stands") {
  std::map<std::string, std::vector<std::string>> parts;
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts())
    parts[std::string(part.name)] = lines_of(with_prefix(part.text));
  REQUIRE(parts.size() > 5);

  std::map<std::string, std::set<std::size_t>> seen;
  for (const placed_line& line : placed_lines(plan_for("sm_90").source)) {
    if (!parts.contains(line.file)) continue;
    CAPTURES(line.file, line.number);
    REQUIRE(line.number <= parts[line.file].size());
    const std::string& there = parts[line.file][line.number - 1];
    // In the place of a part that is none of the modules, a line without text.
    if (!line.text.empty() || !there.starts_with("#include \"")) CHECK(line.text == there);
    CHECK_MESSAGE(seen[line.file].insert(line.number).second, "the line comes twice");
  }
  CHECK(seen.size() > 15);
  for (const auto& part : parts) {
    const std::string& name = part.first;
    const std::vector<std::string>& lines = part.second;
    if (!seen.contains(name)) continue;  // none of the program's modules
    for (std::size_t number = 1; number <= lines.size(); ++number) {
      if (lines[number - 1].starts_with("#include \"")) continue;
      CAPTURES(name, number);
      CHECK(seen[name].contains(number));
    }
  }
}

TEST_CASE("a plan lists the kernel files that its source is made of, in their order") {
  const call_plan on_gpu = plan_for("sm_90"), on_cpu = plan_for("cpu");
  for (const call_plan* plan : {&on_gpu, &on_cpu}) {
    std::vector<std::string> stand;
    for (const placed_line& line : placed_lines(plan->source))
      if (line.file.ends_with(".cl") && line.file != "clwave.cl" &&
          std::ranges::find(stand, line.file) == stand.end())
        stand.push_back(line.file);
    CHECK(stand == plan->modules);
  }
  const auto has = [](const call_plan& plan, const char* file) {
    return std::ranges::find(plan.modules, file) != plan.modules.end();
  };
  CHECK(has(on_gpu, "blocks/fold_tiles.cl"));
  CHECK_FALSE(has(on_gpu, "blocks/fold_serial.cl"));
  CHECK(has(on_cpu, "blocks/fold_serial.cl"));
  CHECK_FALSE(has(on_cpu, "blocks/fold_tiles.cl"));
  CHECK_FALSE(has(on_cpu, "primitives/scan.cl"));
}

TEST_CASE("a user's texts stand under their own names") {
  const clwave::op fold{.name = "own_op",
                        .source = "helper(a,\r\n b)",
                        .identity = "41 +\n 2",
                        .declarations = "float helper(float a, float b) {\n  return a + b;\n}"};
  const clwave::map apply{
      .name = "own_map", .source = "twice(x)", .declarations = "\nfloat twice(float x) { return 2 * x; }"};
  const std::vector<placed_line> placed = placed_lines(plan_for("gfx90a", fold, apply).source);
  const auto at = [&](const std::string& text) -> placed_line {
    for (const placed_line& line : placed) {
      if (contains(line.text, text)) return line;
    }
    return {"not found", 0, ""};
  };
  CHECK(at("return a + b;").file == "operator own_op");
  CHECK(at("return a + b;").number == 2);
  CHECK(at("float twice").file == "map own_map");
  CHECK(at("float twice").number == 2);
  // An expression's lines are those of its text; what clwave puts beside them is not.
  CHECK(at("helper(a,").file == "operator own_op");
  CHECK(at("helper(a,").number == 1);
  CHECK(at(" b)))").file == "operator own_op");
  CHECK(at(" b)))").number == 2);
  CHECK(at("41 +").file == "identity of operator own_op");
  CHECK(at("twice(x)").file == "map own_map");
  CHECK(at("#define clwave_MAP_TEXT").file == "operators");
  CHECK(placed.front().file == "clwave.cl");
}

TEST_CASE_FIXTURE(on_device, "a broken part is named with its true line") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10, 1.0f));
  // Deep in a part, and in the spine itself after all that it includes.
  for (const std::string name : {"blocks/fold.cl", "blocks/value.cl", "clwave.cl"}) {
    const temporary_folder folder;
    write_parts(folder.path());
    std::vector<std::string> lines = lines_of(contents(folder.path() / name));
    const std::size_t broken = name == "clwave.cl" ? lines.size() : lines.size() - 2;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(broken), "this_is_no_type here;");
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    overwrite(folder.path() / name, text);

    const environment from("CLWAVE_KERNEL_DIR", folder.path().string());
    CAPTURE(name);
    try {
      clwave::reduce(on.queue, view<float>{buffer, 10});
      FAIL("it was built all the same");
    } catch (const clwave::error& thrown) {
      CAPTURE(std::string(thrown.what()));
      CHECK(thrown.kind() == clwave::failure::build);
      CHECK(contains(thrown.details().log, name + ":" + std::to_string(broken + 1)));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "an operator's name may hold anything") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10, 1.0f));
  for (const std::string name : {"a \"quoted\" sum", "half a \" quote", "back\\slash", "two\nlines",
                                 "sum of 1/2 // not a comment", "Summe \xc3\xbc", "100 %d %s"}) {
    CAPTURE(name);
    const clwave::op fold{.name = name,
                          .source = "add(a, b)",
                          .identity = "0",
                          .declarations = "float add(float a, float b) { return a + b; }"};
    float sum = 0;
    try {
      sum = clwave::reduce(on.queue, view<float>{buffer, 10}, fold);
    } catch (const clwave::error& thrown) {
      CHECK_MESSAGE(thrown.kind() == clwave::failure::bad_call,
                    std::string(thrown.what()));  // or a refusal that says so
      continue;
    }
    CHECK(sum == 10.0f);
    clwave::detail::forget_programs(on.context());  // the name is no part of the key
  }
}

TEST_CASE_FIXTURE(on_device, "an empty part on disk is a part") {
  const temporary_folder folder;
  write_parts(folder.path());
  overwrite(folder.path() / "primitives/copy.cl", "");
  const environment from("CLWAVE_KERNEL_DIR", folder.path().string());
  CHECK(clwave::reduce(on.queue, view<float>{on.buffer_of(std::vector<float>(9, 1.0f)), 9}) == 9.0f);
}

TEST_CASE_FIXTURE(on_device, "lines of parts edited on another system") {
  const temporary_folder folder;
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts()) {
    std::string text;
    for (const std::string& line : lines_of(part.text)) text += line + "\r\n";
    fs::create_directories((folder.path() / part.name).parent_path());
    overwrite(folder.path() / part.name, text);
  }
  const environment from("CLWAVE_KERNEL_DIR", folder.path().string());
  for (const char* name : {"cpu", "sm_90"}) {  // macros of several lines are the latter's
    const forced_profile forced(name);
    CHECK(clwave::reduce(on.queue, view<float>{on.buffer_of(std::vector<float>(9000, 1.0f)), 9000}) ==
          9000.0f);
  }
}

TEST_CASE("the option line of every profile, without a device") {
  for_each_profile([](const clwave::profile& row) {
    const call_plan plan = plan_for(std::string(row.name));
    CAPTURE(plan.options);
    auto options = options_of(plan.options);
    CHECK(options["-DLANES"] == std::to_string(row.lanes));
    CHECK(options["-DVALUE"] == "float");
    CHECK(options["-DACC"] == "float");
    CHECK(options["-DVALUE_BYTES"] == "4");
    CHECK(options["-DPRIMITIVE_REDUCE"] == "1");
    CHECK(options["-DFOLD_TILE"] == "8192");
    CHECK(options["-DFOLD_ACCUMULATORS"] == "1024");
    CHECK_FALSE(options.contains("-DEMULATE_LANES"));
    CHECK(std::stoul(options["-DGROUP_SIZE"]) % row.lanes == 0);
    CHECK(std::stoul(options["-DVECTOR"]) * row.lanes <= 1024);
    CHECK(contains(plan.options, "-Dclwave_EXCHANGE_"));
    CHECK(contains(plan.options, "-Dclwave_ORDER_"));

    // Rounding stays what the standard says it is.
    for (const char* loose : {"fast", "unsafe", "mad-enable", "finite", "no-signed-zeros", "denorms"})
      CHECK_FALSE(contains(plan.options, loose));

    const bool nvidia = row.family == device_family::nvidia;
    const bool amd = row.family == device_family::amd;
    CHECK(options.contains("-DCUDA_SM") == nvidia);
    if (nvidia) CHECK(options["-DCUDA_SM"] == std::to_string(row.since));
    CHECK(options.contains("-DAMD_GFX") == amd);
    if (amd) {
      std::ostringstream hex;
      hex << "0x" << std::hex << row.since;
      CHECK(options["-DAMD_GFX"] == hex.str());
    }
    const bool shuffles_of_subgroups = row.exchange == lane_exchange::sub_group;
    const std::string device = nvidia                                ? "DEVICE_NVIDIA"
                               : amd                                 ? "DEVICE_AMD"
                               : shuffles_of_subgroups               ? "DEVICE_SUBGROUP"
                               : row.exchange == lane_exchange::none ? "DEVICE_CPU"
                                                                     : "DEVICE_LOCAL";
    CHECK(options["-D" + device] == "1");
    const bool newer = shuffles_of_subgroups || row.order == group_order::opencl_atomics;
    CHECK(options["-cl-std"] == (newer ? "CL2.0" : "CL1.2"));
  });
}

TEST_CASE("the kernels' names get a prefix when their files are read") {
  for (const auto& [text, expected] : std::vector<std::array<const char*, 2>>{
           {"static inline uint fold_all(uint x) { return get_local_id(0) + x * LANES; }",
            "static inline uint clwave_fold_all(uint x) { return get_local_id(0) + x * clwave_LANES; }"},
           {"float4 v = as_float4(u); v.s0 = v.x; at->first = convert_int4_rte(v.hi)",
            "float4 v = as_float4(u); v.s0 = v.x; clwave_at->clwave_first = convert_int4_rte(v.hi)"},
           {"typedef struct { uint first; } pair; q.first",
            "typedef struct { uint clwave_first; } clwave_pair; q.clwave_first"},
           {"convert_elements(as_stored(half_as_float))",
            "clwave_convert_elements(clwave_as_stored(clwave_half_as_float))"},
           {"#define TWICE(name, k) name name##_held = K(k, #name) + other",
            "#define clwave_TWICE(name, k) name name##_held = clwave_K(k, #name) + clwave_other"},
           {"#define MADE(width) \\\n  packet_##width width\nwidth",
            "#define clwave_MADE(width) \\\n  clwave_packet_##width width\nclwave_width"},
           {"#if defined(SORTS) && LANES == 0x10u  // SORTS\n",
            "#if defined(clwave_SORTS) && clwave_LANES == 0x10u  // SORTS\n"},
           {"#pragma unroll ITEMS\n#error \"no LANES\"\n#include \"some/part.cl\"\n", ""},
           {"__asm__(\"mov %0, lanes;\" : \"=r\"(x)); /* lanes\n lanes */ __builtin_it('a')", ""},
           {"clwave_op_alpha cl_khr_fp64 CLK_LOCAL_MEM_FENCE vload16 _name", ""}}) {
    CHECK(with_prefix(text) == (*expected == '\0' ? text : expected));
  }
  CHECK(prefixed("LANES") == "clwave_LANES");
  for (const char* other : {"", "16", "0x7f", "float4", "add.u32", "x", "clwave_LANES", "vstore_half_rte"})
    CHECK(prefixed(other) == other);
}

TEST_CASE("every name of the kernels' own has the prefix, and is none that the host makes") {
  // Bare, and seen by nobody else: variables of one letter, components of vectors, members that texts see.
  const auto is_bare = [](const std::string& name) {
    static const std::set<std::string> others{"lo", "hi", "even", "odd", "value", "index"};
    const bool is_letter = name.size() == 1 && std::islower(static_cast<unsigned char>(name[0])) != 0;
    return is_letter || others.contains(name) ||
           (name[0] == 's' && name.find_first_not_of("0123456789abcdef", 1) == std::string::npos);
  };
  std::size_t seen = 0;
  for (const std::string& name : names_in_kernels()) {
    CAPTURE(name);
    if (of_the_language(name) || functions_of_the_language.contains(name) ||
        attributes_of_the_language.contains(name) || is_bare(name) || name.starts_with("clwave_"))
      continue;
    CHECK(prefixed(name) == "clwave_" + name);
    for (const char* of_the_host :
         {"op_", "map_", "same_", "key_0_", "lazy_", "source_0", "user_", "type_", "indexed_", "end_of_text"})
      CHECK_FALSE(name.starts_with(of_the_host));
    ++seen;
  }
  CHECK(seen > 2500);
}

TEST_CASE("words go into the option line, texts never") {
  const clwave::op fold{.name = "odd name", .source = "a + b * 1.5f", .identity = "0 + 0"};
  const call_plan plan = plan_for("sm_90", fold);
  CHECK_FALSE(contains(plan.options, "1.5f"));
  CHECK_FALSE(contains(plan.options, "odd"));
  CHECK_FALSE(contains(plan.options, "\""));
  CHECK(contains(plan.source, "\na + b * 1.5f)"));
  CHECK(contains(plan.source, "\n0 + 0)"));
  for (const auto& named : plan.words) {
    const std::string& name = named.first;
    const std::string& word = named.second;
    CAPTURE(name);
    CHECK(word.find_first_of(" \t\n\"'\\") == std::string::npos);
  }
}

TEST_CASE_FIXTURE(on_device, "a forced profile on this device is emulated where its lanes do not exist") {
  bool any_emulated = false;
  for_each_profile([&](const clwave::profile& row) {
    const profile_choice choice = clwave::choose_profile(on.facts);
    const call_plan plan =
        plan_for(clwave::plan_target{.facts = &on.facts, .choice = choice}, 1 << 20, clwave::plus);
    auto options = options_of(plan.options);
    CHECK(choice.profile == &row);
    CHECK(options["-DLANES"] == std::to_string(choice.lanes));
    if (choice.emulated) {
      any_emulated = true;
      CHECK(options["-DDEVICE_LOCAL"] == "1");
      CHECK(options["-DEXCHANGE_LOCAL_MEMORY"] == "1");
      CHECK(options["-DEMULATE_LANES"] == "1");
    }
    // PoCL's optimiser makes wrong code of emulated lanes, and only of these.
    CHECK(options.contains("-cl-opt-disable") == (choice.emulated && on.is_pocl()));
    const bool rounds = on.facts.correctly_rounded_divide_sqrt.value_or(false);
    CHECK(options.contains("-cl-fp32-correctly-rounded-divide-sqrt") == rounds);
    if (choice.order == group_order::opencl_atomics &&
        on.facts.device_version.value_or("").starts_with("OpenCL 3"))
      CHECK(options["-cl-std"] == "CL3.0");
  });
  CHECK(any_emulated);
}

// What stands outside comments and strings of a line.
std::string code_of(const std::string& line) { return line.substr(0, line.find("//")); }

TEST_CASE("only the lanes, memory and target parts name vendors") {
  const auto names_vendor = [](const std::string& line) {
    std::string lower;
    for (const char c : code_of(line))
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::array words{"nvidia", "cuda", "ptx",       "amd",  "gfx", "radeon",
                               "intel",  "asm",  "sub_group", "pocl", "mesa"};
    return std::ranges::any_of(words, [&](const char* word) { return contains(lower, word); });
  };
  std::size_t allowed = 0;
  for_each_profile([&](const clwave::profile& row) {
    for (const placed_line& line : placed_lines(plan_for(std::string(row.name)).source)) {
      if (!names_vendor(line.text)) continue;
      CAPTURES(line.file, line.number, line.text);
      const bool inside = line.file.starts_with("device/");
      allowed += inside;
      CHECK(inside);
    }
  });
  CHECK(allowed > 0);  // the words are those in use
}

TEST_CASE_FIXTURE(on_device, "CLWAVE_DUMP_DIR gets source, options, log and binary of every build") {
  const temporary_folder folder;
  const fs::path deep = folder.path() / "made" / "for it";
  const environment dump("CLWAVE_DUMP_DIR", deep.string());
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10, 1.0f));
  const clwave::op fold{.name = "dumped", .source = "a + b + 0 * 17", .identity = "0"};
  CHECK(clwave::reduce(on.queue, view<float>{buffer, 10}, fold) == 10.0f);

  const auto files = [&] {
    std::map<std::string, fs::path> found;  // by ending; all of one build
    for (const auto& item : fs::directory_iterator(deep))
      found[item.path().extension().string()] = item.path();
    return found;
  };
  auto found = files();
  REQUIRE(found.size() == 4);
  for (const char* ending : {".cl", ".options", ".log", ".bin"}) {
    REQUIRE(found.contains(ending));
    CHECK(found[ending].filename().string().starts_with("reduce-"));
    CHECK(found[ending].stem() == found[".cl"].stem());
  }
  const profile_choice choice = clwave::choose_profile(on.facts);
  const call_plan plan = plan_for(clwave::plan_target{.facts = &on.facts, .choice = choice}, 10, fold);
  CHECK(contents(found[".cl"]) == plan.source);
  CHECK(contents(found[".options"]) == plan.options);
  CHECK(fs::file_size(found[".bin"]) > 0);

  // Nothing is written for a program that is there; a failed build is dumped with its log.
  clwave::reduce(on.queue, view<float>{buffer, 9}, fold);
  CHECK(std::distance(fs::directory_iterator(deep), fs::directory_iterator()) == 4);
  fs::remove_all(deep);
  const clwave::op broken{.name = "broken", .source = "a + unknown_word", .identity = "0"};
  CHECK_THROWS_AS(clwave::reduce(on.queue, view<float>{buffer, 10}, broken), clwave::error);
  found = files();
  REQUIRE(found.contains(".log"));
  CHECK(contains(contents(found[".log"]), "unknown_word"));
}

TEST_CASE_FIXTURE(on_device, "a dump that cannot be written is no reason to fail") {
  const temporary_folder folder;
  overwrite(folder.path() / "file", "");
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10, 1.0f));
  int k = 0;
  for (const std::string& place : {(folder.path() / "file" / "below").string(), std::string()}) {
    const environment dump("CLWAVE_DUMP_DIR", place);
    const clwave::op fold{
        .name = "undumped", .source = "a + b + 0 * " + std::to_string(++k), .identity = "0"};
    CHECK(clwave::reduce(on.queue, view<float>{buffer, 10}, fold) == 10.0f);
  }
}

}  // namespace

TEST_CASE("a large reduction goes in rounds where the profile asks for them") {
  const auto groups = [](const char* row, const element& type, u64 n) {
    const clwave::plan_target on{.choice = clwave::choose_profile_for(row), .compute_units = 132};
    return plan(clwave::reduce_problem{{type, n}, &type}, on).kernels[0].groups;
  };
  const element& f32 = element_of<float>();
  CHECK(groups("sm_90", f32, 1 << 26) == 3 * 132);   // five rounds: not enough of them
  CHECK(groups("sm_90", f32, 1 << 28) == 1 << 13);   // 128 KiB each
  CHECK(groups("sm_90", f32, 1 << 30) == 64 * 132);  // no more than that
  CHECK(groups("sm_80", f32, 1 << 30) == 4 * 132);   // nobody has measured it there
}

}  // namespace testing::source_test
