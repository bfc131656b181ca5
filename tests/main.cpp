// Runs the tests of clwave_tests. A run that tested nothing fails: a filter that matches no test case,
// or test cases that made no assertion, must not look like success. Where CLWAVE_TEST_CASES is N, a run takes
// one of N parts of the test cases that it is asked for, which one the seed says; where types and rows
// (quick.hpp) leave none of them anything to test, it goes on with the next part.
#define DOCTEST_CONFIG_IMPLEMENT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <vector>

#include <doctest/doctest.h>

#include "harness/devices.hpp"
#include "harness/environment.hpp"
#include "harness/reference.hpp"
#include "harness/signals.hpp"

namespace {

int assertions = 0;
unsigned asked_for_cases = 0;  // of a run that counts them

// Counts, and says beside what fails which row of the device table was forced then. The seed is said once, at
// the end: it is one for the whole run.
struct listener : doctest::IReporter {
  explicit listener(const doctest::ContextOptions& options) : out(*options.cout) {}
  void test_run_end(const doctest::TestRunStats& run) override { assertions = run.numAsserts; }
  void report_query(const doctest::QueryData& query) override {
    if (query.run_stats != nullptr) asked_for_cases = query.run_stats->numTestCasesPassingFilters;
  }

  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData& /*test*/) override {
    testing::forced_profile::last().clear();
  }
  void test_case_reenter(const doctest::TestCaseData& /*test*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  // A row that an exception left is no longer forced; of a crash this is the last that is said.
  void test_case_exception(const doctest::TestCaseException& exception) override {
    if (!testing::forced_profile::last().empty())
      out << "the last row that was forced: " << testing::forced_profile::last() << '\n';
    if (exception.is_crash) out << reference::random_engine().note() << std::endl;
  }
  void subcase_start(const doctest::SubcaseSignature& /*subcase*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& assertion) override {
    if (assertion.m_failed) say_row();
  }
  void log_message(const doctest::MessageData& message) override {
    if (message.m_severity != doctest::assertType::is_warn) say_row();
  }
  void test_case_skipped(const doctest::TestCaseData& /*test*/) override {}

 private:
  void say_row() const {
    if (const char* row = std::getenv("CLWAVE_PROFILE")) out << "under CLWAVE_PROFILE=" << row << ":\n";
  }

  std::ostream& out;
};

REGISTER_LISTENER("listener", 1, listener);

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
  const char* const asked = std::getenv("CLWAVE_TEST_CASES");
  const auto parts = std::max(1U, static_cast<unsigned>(asked != nullptr ? std::atoi(asked) : 1));
  const unsigned all = parts > 1 ? count_cases(argc, argv) : 0;
  const auto part = static_cast<unsigned>(reference::random_engine().below(parts));
  int result = 0;
  for (unsigned tried = 0; tried < parts && result == 0 && assertions == 0; ++tried) {
    const unsigned which = (part + tried) % parts;
    const unsigned first = which * all / parts + 1;
    const unsigned last = (which + 1) * all / parts;
    if (all > 0 && first > last) continue;  // fewer cases than parts
    if (all > 0) {
      context.setOption("first", static_cast<int>(first));
      context.setOption("last", static_cast<int>(last));
    }
    result = context.run();
    if (context.shouldExit()) return result;  // --help, --list-test-cases and the like
  }
  testing::finish_default_fixture();
  if (assertions == 0) {
    std::fputs("clwave_tests: nothing was tested\n", stderr);
    return 1;
  }
  if (result != 0) std::fprintf(stderr, "%s\n", reference::random_engine().note().c_str());
  return result;
}
