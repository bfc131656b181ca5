// Tunings: saved, read back, refused where they cannot be right, and never a change of a result.
#include "device/tuning.hpp"

#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/files.hpp"
#include "harness/parts.hpp"

namespace testing::tuning_test {
namespace {

namespace fs = std::filesystem;
using clwave::profile_choice;
using clwave::detail::named_number;
using clwave::detail::saved_tuning;
using clwave::detail::tunable_numbers;
using clwave::detail::tuning_of;

// A configuration directory of its own, not there yet, and no profile forced.
struct configuration {
  temporary_folder parent;
  fs::path folder = parent.path() / "deep" / "config";
  environment place{"CLWAVE_CONFIG_DIR", folder.string()};
  const clwave::device_facts& facts = default_fixture().facts;
  configuration() { clwave::detail::reread_tunings(); }
  ~configuration() { clwave::detail::reread_tunings(); }

  fs::path file() const { return folder / "tuning.txt"; }
  std::string text() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // In place, so that owner and mode stay.
  void overwrite(const std::string& text) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << text;
  }

  // Copy's numbers for the default device, other than its row's.
  saved_tuning for_copy() const {
    const profile_choice choice = clwave::choose_profile(facts);
    saved_tuning row{.device = facts.name.value_or("?"),
                     .driver = facts.driver_version.value_or("?"),
                     .profile = std::string(choice.profile->name),
                     .primitive = "copy",
                     .numbers = tuning_of(*choice.profile, "copy"),
                     .date = "2026-11-21",
                     .measured = "f32, n 1000",
                     .gb_per_s = 12.5,
                     .row_gb_per_s = 10.25};
    row.numbers["items"] = choice.profile->copy.items == 2 ? 1 : 2;
    return row;
  }
  // Whether copy's numbers are the file's.
  bool is_tuned() const {
    clwave::detail::reread_tunings();
    const profile_choice choice = clwave::choose_profile(facts);
    const bool tuned = tuning_of(*choice.profile, "copy") == for_copy_numbers;
    CHECK(choice.tuned.empty() == !tuned);
    return tuned;
  }
  tunable_numbers for_copy_numbers = for_copy().numbers;
};

TEST_CASE("what is saved is read back, and a device gets it") {
  configuration c;
  const forced_profile none("");
  CHECK(clwave::detail::tuning_file() == c.file().string());
  CHECK(clwave::detail::read_tunings().empty());
  CHECK_FALSE(c.is_tuned());
  const profile_choice before = clwave::choose_profile(c.facts);
  const saved_tuning saved = c.for_copy();
  REQUIRE(clwave::detail::write_tunings({saved}));
  const std::vector<saved_tuning> read = clwave::detail::read_tunings();
  REQUIRE(read.size() == 1);
  CHECK(read[0].device == saved.device);
  CHECK(read[0].driver == saved.driver);
  CHECK(read[0].numbers == saved.numbers);
  CHECK(read[0].gb_per_s == 12.5);
  CHECK(read[0].row_gb_per_s == 10.25);
  CHECK(read[0].measured == saved.measured);
  struct stat status {};
  REQUIRE(stat(c.file().c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  REQUIRE(stat(c.folder.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);
  CHECK(std::distance(fs::directory_iterator(c.folder), {}) == 1);

  // Not before the file is read again: once a process.
  CHECK(clwave::choose_profile(c.facts).profile == before.profile);
  REQUIRE(c.is_tuned());
  const profile_choice choice = clwave::choose_profile(c.facts);
  CHECK(choice.profile->name == before.profile->name);
  REQUIRE(choice.tuned.size() == 1);
  CHECK(choice.tuned[0].primitive == "copy");
  CHECK(choice.tuned[0].why.find("tuned on this device on 2026-11-21") != std::string::npos);
  // The others keep theirs, those that go by copy's among them; and choices share a row.
  for (const std::string_view other : clwave::detail::tuned_primitives()) {
    if (other != "copy") CHECK(tuning_of(*choice.profile, other) == tuning_of(*before.profile, other));
  }
  CHECK(clwave::choose_profile(c.facts).profile == choice.profile);
  {
    const forced_profile forced{std::string(choice.profile->name)};
    CHECK(clwave::choose_profile(c.facts).profile == clwave::find_profile(choice.profile->name));
    CHECK(clwave::choose_profile(c.facts).tuned.empty());
  }
  CHECK(clwave::choose_profile_for(std::string(choice.profile->name)).tuned.empty());

  REQUIRE(clwave::detail::write_tunings({}));
  CHECK_FALSE(c.is_tuned());
  REQUIRE(clwave::detail::write_tunings({saved}));
  const environment off("CLWAVE_CONFIG_DIR", "off");
  CHECK(clwave::detail::tuning_file().empty());
  CHECK_FALSE(clwave::detail::write_tunings({saved}));
  CHECK_FALSE(c.is_tuned());
}

TEST_CASE("another device's, driver's or row's numbers are not taken") {
  configuration c;
  const forced_profile none("");
  for (std::string saved_tuning::*member :
       {&saved_tuning::device, &saved_tuning::driver, &saved_tuning::profile, &saved_tuning::primitive}) {
    saved_tuning row = c.for_copy();
    row.*member = member == &saved_tuning::profile     ? "xe2"
                  : member == &saved_tuning::primitive ? "gemm"
                                                       : row.*member + "1";
    REQUIRE(clwave::detail::write_tunings({row}));
    CHECK_FALSE(c.is_tuned());
  }
}

TEST_CASE("numbers out of bounds are refused, the rest of the file is not") {
  const clwave::profile& gpu = *clwave::find_profile("sm_90");
  const clwave::profile& cpu = *clwave::find_profile("cpu");
  const auto faulty = [&](std::string_view primitive, std::string_view name,
                          const std::vector<unsigned>& all) {
    const tunable_numbers own = tuning_of(gpu, primitive);
    CHECK(clwave::detail::fault_of(gpu, primitive, own) == "");
    for (const unsigned number : all) {
      tunable_numbers numbers = own;
      numbers[name] = number;
      CAPTURES(primitive, clwave::detail::text_of(numbers));
      CHECK(clwave::detail::fault_of(gpu, primitive, numbers).starts_with(std::string(name) + " is "));
    }
  };
  constexpr unsigned most = 4294967295u;
  for (const std::string_view primitive : {"copy", "scan", "select", "merge", "histogram", "top_k"})
    faulty(primitive, "group_size", {0, 16, 48, 96, 2048, most});
  faulty("sort", "group_size", {0, 16, 48, 1056, 2048, most});  // three sets of lanes are as good
  faulty("segmented_sort", "segment_group_size", {0, 16, 96, 2048, most});
  for (const std::string_view primitive : {"copy", "sort", "histogram", "top_k"})
    faulty(primitive, "items", {0, 65, most});
  faulty("select", "items", {0, 3, 65, 128, most});
  faulty("merge", "items", {0, 33, most});
  faulty("merge", "items_of_8", {33, most});
  faulty("segmented_sort", "segment_items", {0, 3, 64, most});
  for (const std::string_view primitive : {"copy", "histogram", "top_k"})
    faulty(primitive, "groups_per_unit", {0, 65, most});
  faulty("segmented_sort", "segment_groups_per_unit", {0, 65, most});
  faulty("copy", "vector_bytes", {0, 2, 12, 128});
  for (const std::string_view primitive : {"copy", "scan", "sort", "merge"})
    faulty(primitive, "registers", {1, 15, 256, most});
  for (const std::string_view primitive : {"scan", "sort"})
    faulty(primitive, "registers_of_8", {1, 15, 256, most});
  faulty("scan", "looks", {0, 1'000'001, most});
  for (const std::string_view name : {"first_pause", "next_pause"}) faulty("scan", name, {100'001, most});
  for (const std::string_view name : {"kept", "kept_of_8"}) faulty("scan", name, {65, most});
  faulty("histogram", "copies", {0, 3, 512});
  faulty("histogram", "counters", {0, 128, 300, 131072, most});
  // What another kind of kernels has, and what another primitive has.
  CHECK_FALSE(clwave::detail::fault_of(cpu, "copy", tuning_of(gpu, "copy")).empty());
  CHECK_FALSE(clwave::detail::fault_of(cpu, "scan", tuning_of(gpu, "scan")).empty());
  CHECK_FALSE(clwave::detail::fault_of(gpu, "scan", tuning_of(cpu, "scan")).empty());
  CHECK_FALSE(clwave::detail::fault_of(gpu, "scan", tuning_of(gpu, "select")).empty());
  CHECK_FALSE(clwave::detail::fault_of(cpu, "select", tuning_of(cpu, "select")).empty());
  CHECK_THROWS_AS(tuning_of(gpu, "gemm"), clwave::error);
  CHECK_THROWS_AS(tuning_of(gpu, "scan")["items"], clwave::error);

  configuration c;
  const forced_profile none("");
  saved_tuning bad = c.for_copy();
  bad.primitive = "fill";
  bad.numbers["items"] = 1000;
  REQUIRE(clwave::detail::write_tunings({bad, c.for_copy()}));
  CHECK(clwave::detail::read_tunings().size() == 1);
  CHECK(c.is_tuned());
}

TEST_CASE("a damaged file has nothing, and is no error") {
  configuration c;
  const forced_profile none("");
  REQUIRE(clwave::detail::write_tunings({c.for_copy()}));
  const std::string good = c.text();
  const auto without = [&](const std::string& part, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(part), part.size(), instead);
    return text;
  };
  for (const std::string& text : {std::string(),
                                  std::string("\n"),
                                  std::string("{}"),
                                  good.substr(0, good.size() - 1),
                                  without("tuning/1", "tuning/2"),
                                  without("items", "itens"),
                                  without("items = ", "items = x"),
                                  without("items = ", "items = -"),
                                  without("items = ", "items = 99999999999"),
                                  without("date", "device"),
                                  without(" = ", "="),
                                  without("f32, n 1000", "f32\x1b[31m"),
                                  without("12.500", "1" + std::string(300, '0')),
                                  without("12.500", "nan"),
                                  without("12.500", "-1"),
                                  without("[copy]\n", ""),
                                  good + "[copy]\n",
                                  good + "more\n",
                                  std::string(5000, '\xff'),
                                  good + std::string(2 << 20, '\n')}) {
    CAPTURE(text.substr(0, 300));
    c.overwrite(text);
    CHECK(clwave::detail::read_tunings().empty());
    CHECK_FALSE(c.is_tuned());
  }
  reference::random_engine random;
  for (int trial = 0; trial < 500; ++trial) {
    std::string text = good;
    text[random() % text.size()] = static_cast<char>(random());
    for (const saved_tuning& row : clwave::detail::parse_tunings(text))
      CHECK(clwave::detail::fault_of(*clwave::find_profile(row.profile), row.primitive, row.numbers) == "");
  }
  c.overwrite(good);
  CHECK(c.is_tuned());
  fs::permissions(c.file(), fs::perms::group_write, fs::perm_options::add);
  CHECK_FALSE(c.is_tuned());
  fs::remove(c.file());
  fs::create_directory(c.file());
  CHECK_FALSE(c.is_tuned());
  CHECK_FALSE(clwave::detail::write_tunings({c.for_copy()}));
}

TEST_CASE("a name with line ends cannot forge a row") {
  saved_tuning row{
      .device = "two\nlines = 1\n[copy]", .driver = " 1 ", .profile = "cpu", .primitive = "copy"};
  row.numbers = tuning_of(*clwave::find_profile("cpu"), "copy");
  const auto read = clwave::detail::parse_tunings(clwave::detail::text_of(std::vector<saved_tuning>{row}));
  REQUIRE(read.size() == 1);
  CHECK(read[0].device == "two lines = 1 [copy]");
}

TEST_CASE("a primitive or a row of another version's is left out alone") {
  configuration c;
  const forced_profile none("");
  REQUIRE(clwave::detail::write_tunings({c.for_copy()}));
  const std::string good = c.text();
  for (const char* other : {"[gemm]\nprofile = cpu\nwidth = 3\n", "[scan]\nprofile = sm_9000\nlooks = 1\n"}) {
    CAPTURE(other);
    c.overwrite(good + other);
    CHECK(clwave::detail::read_tunings().size() == 1);
    CHECK(c.is_tuned());
  }
  // One that it knows has all that it must have and nothing else.
  for (const char* other : {"[scan]\nprofile = cpu\nlooks = 1\n", "[gemm]\nwidth = 3\n",
                            "[gemm]\nprofile = cpu\nwidth = 3\nwidth = 3\n"}) {
    CAPTURE(other);
    c.overwrite(good + other);
    CHECK_FALSE(c.is_tuned());
  }
}

// Each number of a primitive with another one in its place, one for each number.
std::vector<tunable_numbers> changed_numbers(const clwave::profile& row, std::string_view primitive) {
  const tunable_numbers own = tuning_of(row, primitive);
  std::vector<tunable_numbers> all;
  for (const named_number& each : own) {
    // Half as many where that can be: what is larger may meet a device's own limit.
    std::vector<unsigned> steps = clwave::detail::steps_from(primitive, each);
    if (!clwave::detail::limits_registers(each) && steps.size() > 1) std::swap(steps[0], steps[1]);
    const auto fits = [&](unsigned number) {
      tunable_numbers numbers = own;
      numbers[each.name] = number;
      return clwave::detail::fault_of(row, primitive, numbers).empty();
    };
    const auto found = std::ranges::find_if(steps, fits);
    if (found == steps.end()) continue;  // a CPU's groups
    all.push_back(own);
    all.back()[each.name] = *found;
  }
  return all;
}

// As far as a search may go: each number at the least and at the most that its steps lead to.
std::vector<tunable_numbers> farthest_numbers(const clwave::profile& row, std::string_view primitive) {
  std::vector<tunable_numbers> all;
  for (const named_number& each : tuning_of(row, primitive)) {
    for (const bool up : {true, false}) {
      tunable_numbers numbers = tuning_of(row, primitive);
      while (true) {
        tunable_numbers next = numbers;
        for (const unsigned number : clwave::detail::steps_from(primitive, {each.name, next[each.name]})) {
          tunable_numbers other = numbers;
          other[each.name] = number;
          const bool is_farther = up ? number > next[each.name] : number < next[each.name];
          if (is_farther && clwave::detail::fault_of(row, primitive, other).empty()) next = other;
        }
        if (next == numbers) break;
        numbers = next;
      }
      all.push_back(numbers);
    }
  }
  return all;
}

// Random plans of a primitive under a row, as texts.
std::vector<std::string> plans_of(std::string_view primitive, const profile_choice& choice) {
  std::vector<std::string> all;
  for (const call_plan& plan : some_plans({.facts = nullptr, .choice = choice}, 1, 50, primitive)) {
    if (plan.primitive != primitive) continue;
    all.push_back(plan.options);
    for (const planned_kernel& kernel : plan.kernels) {
      all.back() += ' ' + kernel.name + ' ' + std::to_string(kernel.groups);
      for (const auto& argument : kernel.arguments) all.back() += ' ' + argument.value;
    }
  }
  return all;
}

TEST_CASE("each number reaches plans of its primitive") {
  for (const std::string_view primitive : clwave::detail::tuned_primitives()) {
    if (!kernels_have(std::string(primitive))) continue;
    CAPTURE(primitive);
    std::set<std::string_view> reached, all;
    for (const char* name : {"cpu", "sm_90"}) {
      const profile_choice own = clwave::choose_profile_for(name);
      const tunable_numbers numbers = tuning_of(*own.profile, primitive);
      const std::vector<std::string> before = plans_of(primitive, own);
      REQUIRE(before.size() > 5);
      for (const named_number& each : numbers) all.insert(each.name);
      for (const tunable_numbers& changed : changed_numbers(*own.profile, primitive)) {
        const clwave::profile row = clwave::detail::with_tuning(*own.profile, primitive, changed);
        CHECK(tuning_of(row, primitive) == changed);
        profile_choice choice = own;
        choice.profile = &row;
        if (plans_of(primitive, choice) == before) continue;
        for (const named_number& each : changed)
          if (each.value != numbers[each.name]) reached.insert(each.name);
      }
    }
    // Numbers of loads are one structure, of which not all primitives use each member.
    if (all.contains("vector_bytes") && primitive != "reduce")
      CHECK(reached.size() >= 3);
    else
      CHECK(reached == all);
  }
}

TEST_CASE("what is saved of each primitive reaches plans of it") {
  configuration c;
  const forced_profile none("");
  const profile_choice own = clwave::choose_profile(c.facts);
  std::size_t saved = 0;
  for (const std::string_view primitive : clwave::detail::tuned_primitives()) {
    if (!kernels_have(std::string(primitive))) continue;
    const std::vector<tunable_numbers> all = changed_numbers(*own.profile, primitive);
    if (all.empty()) continue;
    CAPTURE(primitive);
    saved_tuning row = c.for_copy();
    row.primitive = primitive;
    const tunable_numbers table = tuning_of(*own.profile, primitive);
    row.numbers = table;
    for (const tunable_numbers& changed : all) {
      for (const named_number& each : changed)
        if (each.value != table[each.name]) row.numbers[each.name] = each.value;
    }
    REQUIRE(clwave::detail::write_tunings({row}));
    clwave::detail::reread_tunings();
    const profile_choice choice = clwave::choose_profile(c.facts);
    REQUIRE(choice.tuned.size() == 1);
    CHECK(choice.tuned[0].primitive == primitive);
    CHECK(tuning_of(*choice.profile, primitive) == row.numbers);
    CHECK(plans_of(primitive, choice) != plans_of(primitive, own));
    ++saved;
  }
  CHECK(saved > 7);
}

TEST_CASE_FIXTURE(on_device, "the same bits with every tuning") {
  const std::size_t n = 40009;
  std::vector<float> x(n);
  for (float& each : x) each = static_cast<float>(static_cast<double>(random()) / 4e9 - 0.5) * 1000;
  const cl::Buffer in = on.buffer_of(x);
  const view<float> data{in, n};
  std::map<std::string, std::vector<float> (*)(const fixture&, const view<float>&)> calls;
  for (const primitive_parts& part : all_parts()) {
    for (const result_call& each : part.results) calls[each.name] = each.call;
  }
  // The device's own row, and such for GPUs.
  for (const std::string forced : {"", "gpu", "sm_90"}) {
    if (quick() && forced == "sm_90") continue;
    const forced_profile row(forced);
    for (const std::string_view name : clwave::detail::tuned_primitives()) {
      const std::string primitive(name);
      CAPTURE(primitive);
      if (!kernels_have(primitive)) continue;  // the table may have numbers for more
      REQUIRE(calls.contains(primitive));
      const auto all = [&] { return calls[primitive](on, data); };
      const profile_choice choice = clwave::choose_profile(on.facts);
      const tunable_numbers own = tuning_of(*choice.profile, primitive);
      if (own.empty()) continue;
      const std::vector<float> right = all();
      std::vector<tunable_numbers> candidates = changed_numbers(*choice.profile, primitive);
      if (own.has("vector_bytes")) {
        // The least there is: less in flight than one packet of the kernels that know only wide ones.
        candidates.push_back(own);
        candidates.back()["vector_bytes"] = 4;
        candidates.back()["items"] = 1;
      }
      if (!quick()) {
        for (tunable_numbers& numbers : farthest_numbers(*choice.profile, primitive))
          candidates.push_back(std::move(numbers));
      }
      sample some(3);
      for (const tunable_numbers& numbers : candidates) {
        if (!some.takes_next()) continue;
        CAPTURE(clwave::detail::text_of(numbers));
        clwave::detail::try_tuning(primitive, &numbers);
        CHECK(tuning_of(*clwave::choose_profile(on.facts).profile, primitive) == numbers);
        const std::vector<float> got = all();
        CHECK((got.size() == right.size() && std::memcmp(got.data(), right.data(), 4 * got.size()) == 0));
        clwave::detail::try_tuning(primitive, nullptr);
      }
      CHECK(tuning_of(*clwave::choose_profile(on.facts).profile, primitive) == own);
    }
  }
}

}  // namespace
}  // namespace testing::tuning_test
