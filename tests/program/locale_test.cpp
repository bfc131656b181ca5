// Numbers on their way to compilers, keys and files, in a program whose global locale groups digits and
// writes a comma for the point.
#include <clocale>
#include <locale>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "device/tuning.hpp"
#include "harness/devices.hpp"
#include "harness/files.hpp"
#include "harness/parts.hpp"

namespace testing::locale_test {
namespace {

class grouping : public std::numpunct<char> {
  char do_thousands_sep() const override { return ','; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "yes"; }
};

// The global locale, C++'s and, where the system has such a one, C's; put back at the end.
class other_locale {
 public:
  other_locale() : before_(std::locale::global(std::locale(std::locale::classic(), new grouping))) {
    for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "tr_TR.ISO-8859-9"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) break;
    }
  }
  ~other_locale() {
    std::setlocale(LC_ALL, "C");
    std::locale::global(before_);
  }

 private:
  std::locale before_;
};

TEST_CASE("locale: numbers of plans are plain in any") {
  const auto plans = [&] {
    std::vector<std::string> all;
    for_each_profile([&](const clwave::profile& row) {
      const clwave::plan_target on{.choice = clwave::choose_profile_for(row.name), .compute_units = 1234};
      for (const call_plan& plan : some_plans(on, 1, 2)) {
        all.push_back(plan.options);
        all.push_back(plan.source);
        all.push_back(plan.variant);
        for (const auto& rejected : plan.rejected) all.push_back(rejected.reason);
        for (const auto& kernel : plan.kernels) {
          for (const auto& argument : kernel.arguments) all.push_back(argument.name + argument.value);
        }
      }
    });
    return all;
  };
  const std::vector<std::string> plain = plans();
  const other_locale set;
  const std::vector<std::string> there = plans();
  REQUIRE(plain.size() == there.size());
  for (std::size_t k = 0; k < plain.size(); ++k)
    CHECK_MESSAGE(plain[k] == there[k], plain[k].substr(0, 2000));
}

TEST_CASE("locale: programs are built, kept and read again in any") {
  const temporary_folder parent;
  const environment cache("CLWAVE_CACHE_DIR", (parent.path() / "cache").string());
  const environment dumps("CLWAVE_DUMP_DIR", std::nullopt);
  const other_locale set;
  for (const std::string row : forced_rows({"cpu", "gfx1030", "sm_90"})) {
    for (int round = 0; round < 2; ++round) {  // the second from disk
      const fixture on;
      const std::vector<float> ones(100003, 1.0f);
      const cl::Buffer buffer = on.buffer_of(ones);
      CHECK(clwave::reduce(on.queue, view<float>{buffer, ones.size()}) == 100003.0f);
      const clwave::map m{.name = "m", .source = "x * 1.5f"};
      CHECK(clwave::transform_reduce(on.queue, view<float>{buffer, 5000}, clwave::max, m) == 1.5f);
    }
  }
}

TEST_CASE("locale: saved tunings are the same text in any") {
  clwave::detail::saved_tuning row;
  row.primitive = "reduce";
  row.device = "a device";
  row.driver = "1.2.3";
  row.profile = "sm_90";
  row.date = "2026-11-21";
  row.measured = "reduce of 268,435,456 floats";
  row.numbers = clwave::detail::tuning_of(*clwave::find_profile("sm_90"), "reduce");
  row.gb_per_s = 4352.25;
  row.row_gb_per_s = 1234567.5;
  const std::string plain = clwave::detail::text_of({row});
  const other_locale set;
  CHECK(clwave::detail::text_of({row}) == plain);
  const auto read = clwave::detail::parse_tunings(plain);
  REQUIRE(read.size() == 1);
  CHECK(read[0].gb_per_s == 4352.25);
  CHECK(read[0].row_gb_per_s == 1234567.5);
  CHECK(read[0].numbers == row.numbers);
}

TEST_CASE("locale: facts are printed the same in any") {
  const auto printed = [] {
    std::string all;
    for (const auto& fact : clwave::print(default_fixture().facts))
      all += fact.name + "=" + fact.value + "\n";
    return all;
  };
  const std::string plain = printed();
  const other_locale set;
  CHECK(printed() == plain);
}

}  // namespace
}  // namespace testing::locale_test
