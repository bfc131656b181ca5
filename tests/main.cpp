// Runs the tests of clwave_tests. A run that tested nothing fails: a filter that matches no test case,
// or test cases that made no assertion, must not look like success.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include <doctest/doctest.h>

#include "devices.hpp"
#include "reference.hpp"
#include "signals.hpp"

namespace {

int assertions = 0;

struct assertion_counter : doctest::IReporter {
  explicit assertion_counter(const doctest::ContextOptions& /*options*/) {}
  void test_run_end(const doctest::TestRunStats& run) override { assertions = run.numAsserts; }

  void report_query(const doctest::QueryData& /*query*/) override {}
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

REGISTER_LISTENER("assertion_counter", 1, assertion_counter);

}  // namespace

int main(int argc, char** argv) {
  testing::load_drivers_without_their_signal_handlers();
  doctest::Context context(argc, argv);
  const int result = context.run();
  testing::finish_default_fixture();
  if (context.shouldExit()) return result;  // --help, --list-test-cases and the like
  if (assertions == 0) {
    std::fputs("clwave_tests: nothing was tested\n", stderr);
    return 1;
  }
  if (result != 0) std::fprintf(stderr, "%s\n", reference::random_engine().note().c_str());
  return result;
}
