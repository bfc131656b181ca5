// mpi_ranks: what mpirun starts on 1, 2, 3, 7 and 16 ranks. Each rank prints nothing unless something is
// wrong; rank 0 says at the end what was done.
//
//   clwave_mpi_ranks cases N      N random reductions: the bits of one device on all ranks
//   clwave_mpi_ranks scans N      N random scans: each rank's results are those of one device
//   clwave_mpi_ranks errors       what is wrong on one rank is thrown on all
//   clwave_mpi_ranks stopped      rank 1 never makes the call: the others throw within the deadline
//   clwave_mpi_ranks killed       rank 1 is killed in the middle of calls: the job ends
//   clwave_mpi_ranks timed N      no test: how long a sum of N floats a rank takes, alone and over the ranks
//   clwave_mpi_ranks survived     the same where mpirun lets the others live: they throw within the deadline
#include <clwave/mpi.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <clwave/error.hpp>

#include "distributed/rank_cases.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

// A tree may be without it (removal_test.py).
#if __has_include(<clwave/ranks_scan.hpp>)
#define SCANS
#include "distributed/rank_scan_cases.hpp"
#endif

namespace {

using namespace testing;

// Throws; main says it and ends all ranks.
void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const clwave::error& failed) {
    return failed.what();
  }
  return "";
}

// The same on all ranks.
reference::random_engine common_random() {
  std::uint64_t seed = reference::random_engine().seed();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return reference::random_engine(seed);
}

void run_cases(clwave::mpi_ranks& all, const std::array<const fixture*, 2>& on, int count) {
  reference::random_engine random = common_random();
  std::array<int, rank_case::n_kinds> done{};
  for (int k = 0; k < count; ++k) {
    const rank_case one = random_rank_case(random, all.size());
    const auto got = rank_runner(&all, on)(one);
    // One rank holds the bits against the host's, in turn, and the others theirs against that rank's.
    const int checking = k % static_cast<int>(all.size());
    auto expected = got;
    if (checking == static_cast<int>(all.rank())) expected = rank_runner(nullptr, on)(one);
    MPI_Bcast(expected.data(), static_cast<int>(expected.size()), MPI_BYTE, checking, MPI_COMM_WORLD);
    require(got == expected, "other bits in case " + std::to_string(k) + " of kind " +
                                 std::to_string(one.what) + " cut into " + text_of(one.cut) + "; " +
                                 random.note());
    ++done[one.what];
  }
  for (const int each : done) require(each > 0 || count < 100, "a kind of case was not run");
  if (all.rank() == 0) std::printf("%d cases on %u ranks\n", count, all.size());
}

#ifdef SCANS
void run_scans(clwave::mpi_ranks& all, const std::array<const fixture*, 2>& on, int count) {
  reference::random_engine random = common_random();
  std::array<int, rank_scan_case::n_kinds> done{};
  for (int k = 0; k < count; ++k) {
    const rank_scan_case one = random_rank_scan_case(random, all.size());
    const auto got = rank_scan_runner(&all, on)(one);
    const auto expected = rank_scan_runner(nullptr, on)(one);
    const auto begins = begins_of(one.cut);
    const std::size_t size = one.n > 0 ? expected.size() / one.n : 0, first = begins[all.rank()] * size;
    const auto own = std::span(expected).subspan(first, begins[all.rank() + 1] * size - first);
    require(std::ranges::equal(got, own), "other results in scan " + std::to_string(k) + " of kind " +
                                              std::to_string(one.what) + " cut into " + text_of(one.cut) +
                                              "; " + random.note());
    ++done[one.what];
  }
  for (const int each : done) require(each > 0 || count < 100, "a kind of scan was not run");
  if (all.rank() == 0) std::printf("%d scans on %u ranks\n", count, all.size());
}

// What goes wrong on one rank with its texts, when only it has elements, is thrown on all.
void run_scan_errors(clwave::mpi_ranks& all, const fixture& on) {
  const cl::Buffer ones = on.buffer_of(std::vector<float>(1000, 1.0f)),
                   out = on.buffer_of(std::vector<float>(1000));
  const clwave::op broken{.name = "broken", .source = "a +", .identity = "0"};
  const auto elements = [&](const cl::Buffer& of, std::size_t n) {
    return clwave::sharded<float>{{on.queue, view<float>{of, n}}};
  };
  for (std::uint32_t failing = 0; failing < all.size(); ++failing) {
    const bool here = all.rank() == failing;
    const std::string name = "rank " + std::to_string(failing) + " of " + std::to_string(all.size()) + ": ";
    const std::string bad = error_of(
        [&] { clwave::inclusive_scan(all, elements(ones, 1000), elements(out, here ? 999 : 1000)); });
    require(bad.find(name) != std::string::npos, "an output of another length is not thrown on all: " + bad);
    const std::size_t n = here ? 1000 : 0;
    const std::string build =
        error_of([&] { clwave::inclusive_scan(all, elements(ones, n), elements(out, n), broken); });
    require(build.find(name) != std::string::npos,
            "a scan's text that does not build is not thrown on all: " + build);
    clwave::inclusive_scan(all, elements(ones, 1000), elements(out, 1000));
    require(on.read<float>(out, 1000)[999] == 1000.0f * static_cast<float>(all.rank() + 1),
            "the next scan is wrong");
  }
}
#endif

void run_errors(clwave::mpi_ranks& all, const fixture& on) {
  const std::string late = error_of([] { clwave::mpi_ranks(MPI_COMM_WORLD, std::chrono::milliseconds(0)); });
  require(late.find("the deadline is 0 or less") != std::string::npos, "a deadline of 0 is taken: " + late);
  const cl::Buffer ones = on.buffer_of(std::vector<float>(1000, 1.0f));
  const clwave::sharded<float> x{{on.queue, view<float>{ones, 1000}}};
  const clwave::sharded<float> past{{on.queue, view<float>{ones, 1001}}};
  const clwave::op broken{.name = "broken", .source = "a +", .identity = "0"};
  for (std::uint32_t failing = 0; failing < all.size(); ++failing) {
    const bool here = all.rank() == failing;
    const std::string name = "rank " + std::to_string(failing) + " of " + std::to_string(all.size()) + ": ";
    const std::string bad = error_of([&] { clwave::reduce(all, here ? past : x); });
    require(bad.find(name) != std::string::npos, "a view past its buffer is not thrown on all: " + bad);
    // In the middle: this rank alone has something to fold before the others' come.
    const clwave::sharded<float> alone{{on.queue, view<float>{ones, here ? std::size_t{1000} : 0}}};
    const std::string build = error_of([&] { clwave::reduce(all, alone, broken); });
    require(build.find(name) != std::string::npos,
            "a text that does not build is not thrown on all: " + build);
    require(clwave::reduce(all, x) == 1000.0f * static_cast<float>(all.size()), "the next call is wrong");
  }
#ifdef SCANS
  run_scan_errors(all, on);
#endif
  if (all.rank() == 0) std::printf("errors of %u ranks\n", all.size());
}

void run_stopped(const fixture& on) {
  clwave::mpi_ranks all(MPI_COMM_WORLD, std::chrono::milliseconds(500));
  const cl::Buffer ones = on.buffer_of(std::vector<float>(1000, 1.0f));
  const clwave::sharded<float> x{{on.queue, view<float>{ones, 1000}}};
  // Programs are built before, which takes longer than the deadline.
  clwave::mpi_ranks patient(MPI_COMM_WORLD);
  require(clwave::reduce(patient, x) == 1000.0f * static_cast<float>(all.size()), "another sum");
  MPI_Barrier(MPI_COMM_WORLD);
  require(clwave::reduce(all, x) == 1000.0f * static_cast<float>(all.size()), "another sum with a deadline");
  if (all.rank() != 1) {
    const std::string thrown = error_of([&] { clwave::reduce(all, x); });
    require(thrown.find("rank 1 of ") != std::string::npos,
            "the rank that does not call is not named: " + thrown);
    const std::string next = error_of([&] { clwave::reduce(all, x); });
    require(next.find("did not come") != std::string::npos, "the next call is not refused: " + next);
  }
  // Other communicators are as good as before.
  MPI_Barrier(MPI_COMM_WORLD);
  require(clwave::reduce(patient, x) == 1000.0f * static_cast<float>(all.size()), "another sum afterwards");
  if (all.rank() == 0) std::printf("a silent rank of %u\n", all.size());
}

void run_killed(clwave::mpi_ranks& all, const fixture& on) {
  const cl::Buffer ones = on.buffer_of(std::vector<float>(1000, 1.0f));
  const clwave::sharded<float> x{{on.queue, view<float>{ones, 1000}}};
  for (int k = 0;; ++k) {
    if (all.rank() == 1 && k == 10) std::raise(SIGKILL);
    clwave::reduce(all, x);
  }
}

void run_survived(clwave::mpi_ranks& all, const fixture& on) {
  const std::string thrown = error_of([&] { run_killed(all, on); });
  require(thrown.find("rank 1 of ") != std::string::npos, "the killed rank is not named: " + thrown);
  std::printf("rank %u survived\n", all.rank());
  std::fflush(stdout);
  std::_Exit(0);  // MPI_Finalize would wait for the killed one
}

// The median of many calls, in microseconds.
double median_us(const auto& call) {
  std::vector<double> times;
  for (int k = 0; k < 220; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (k >= 20) times.push_back(took.count());
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

// Each rank has a device of its own where there are so many.
void run_timed(clwave::mpi_ranks& all, std::size_t n) {
  const auto devices = clwave::devices();
  const fixture on(devices[all.rank() % devices.size()].device);
  reference::random_engine random;
  const cl::Buffer floats = on.buffer_of(random_values<float>(random, n));
  const view<float> own{floats, n};
  const clwave::sharded<float> x{{on.queue, own}};
  const double alone = median_us([&] { clwave::reduce(on.queue, own); });
  const double together = median_us([&] { clwave::reduce(all, x); });
  if (all.rank() == 0)
    std::printf("%zu floats a rank on %s: alone %.1f us, over %u ranks %.1f us\n", n,
                on.facts.name.value_or("a device").c_str(), alone, all.size(), together);
}

void run(std::string_view what, int count) {
  const fixture first, second;
  if (what == "stopped") return run_stopped(first);
  if (what == "survived") {
    clwave::mpi_ranks all(MPI_COMM_WORLD, std::chrono::milliseconds(3000));
    return run_survived(all, first);
  }
  clwave::mpi_ranks all(MPI_COMM_WORLD);
  if (what == "timed") return run_timed(all, static_cast<std::size_t>(count));
  if (what == "cases") {
    run_cases(all, {&first, &second}, count);
#ifdef SCANS
    run_scans(all, {&first, &second}, count / 10);
#endif
    return;
  }
  if (what == "errors") return run_errors(all, first);
  if (what == "killed") return run_killed(all, first);
  throw std::runtime_error("no such test: " + std::string(what));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 0);
  } catch (const std::exception& wrong) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d: %s\n", rank, wrong.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
