// Runs the tests of clwave_tests. A run that tested nothing fails: a filter that matches no test case,
// or test cases that made no assertion, must not look like success. The quickest run (quick.hpp) takes half
// of the test cases that it is asked for, the first ones or the last ones, which of both the seed says; where
// their types and rows leave none of them anything to test, the other half.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <ostream>
#include <vector>

#include <doctest/doctest.h>

#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "harness/signals.hpp"

namespace {

int assertions = 0;
unsigned asked_for_cases = 0;  // of a run that counts them

struct counter : doctest::IReporter {
  explicit counter(const doctest::ContextOptions& /*options*/) {}
  void test_run_end(const doctest::TestRunStats& run) override { assertions = run.numAsserts; }
  void report_query(const doctest::QueryData& query) override {
    if (query.run_stats != nullptr) asked_for_cases = query.run_stats->numTestCasesPassingFilters;
  }

  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData& /*test*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*test*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*subcase*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*assertion*/) override {}
  void log_message(const doctest::MessageData& /*message*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*test*/) override {}
};

REGISTER_LISTENER("counter", 1, counter);

unsigned count_cases(int argc, char** argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  arguments.push_back("--count");
  doctest::Context context(static_cast<int>(arguments.size()), arguments.data());
  std::ostream nowhere(nullptr);
  context.setCout(&nowhere);
  context.run();
  return asked_for_cases;
}

}  // namespace

int main(int argc, char** argv) {
  testing::load_drivers_without_their_signal_handlers();
  doctest::Context context(argc, argv);
  const unsigned all = testing::quickest() ? count_cases(argc, argv) : 0;
  const unsigned half = (all + 1) / 2;
  const bool first_ones = reference::random_engine().below(2) == 0;
  const auto take_half = [&](bool first) {
    context.setOption("first", static_cast<int>(first ? 1 : all - half + 1));
    context.setOption("last", static_cast<int>(first ? half : all));
  };
  if (testing::quickest()) take_half(first_ones);
  int result = context.run();
  if (testing::quickest() && result == 0 && assertions == 0 && !context.shouldExit()) {
    take_half(!first_ones);
    result = context.run();
  }
  testing::finish_default_fixture();
  if (context.shouldExit()) return result;  // --help, --list-test-cases and the like
  if (assertions == 0) {
    std::fputs("clwave_tests: nothing was tested\n", stderr);
    return 1;
  }
  if (result != 0) std::fprintf(stderr, "%s\n", reference::random_engine().note().c_str());
  return result;
}
