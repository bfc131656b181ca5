// Random calls of every kind against plain loops on the host, by seed:
//
//   clwave_differential [--seed N] [--seconds N] [--cases N] [--only FAMILY,FAMILY] [--profile NAME]
//
// A case is a call with its types, operators and texts, made of many sizes, places, values and queues. Each
// finding is printed with the command that repeats its case. Exit status: 0 without findings, 1 with some, 2
// for words that nobody knows or where nothing was run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "families.hpp"
#include "harness/signals.hpp"

namespace {

using namespace differential;

const std::vector<family> all_families = {
    {"reductions", reductions, false},
    {"matrix_folds", matrix_folds, false},
    {"segment_folds", segment_folds, false},
    {"scans", scans, false},
    {"segment_scans", segment_scans, false},
    {"keyed_folds", keyed_folds, false},
    {"selections", selections, false},
    {"number_sorts", number_sorts, false},
    {"operator_sorts", operator_sorts, false},
    {"key_sorts", key_sorts, false},
    {"segment_sorts", segment_sorts, false},
    {"top_ks", top_ks, false},
    {"merges", merges, false},
    {"set_operations", set_operations, false},
    {"searches", searches, false},
    {"histograms", histograms, false},
    {"copies", copies, false},
    {"transposes", transposes, false},
    {"layouts", layouts, false},
    {"transforms", transforms, false},
    {"products", products, false},
    {"sharded_folds", sharded_folds, true},
    {"sharded_scans", sharded_scans, true},
    {"sharded_histograms", sharded_histograms, true},
};

struct asked {
  std::uint64_t seed = 0;
  bool seeded = false;
  double seconds = testing::quickest() ? 15 : testing::quick() ? 50 : 100;
  std::uint64_t cases = ~std::uint64_t{0};
  std::string only, profile;
};

int usage() {
  std::fputs(
      "usage: clwave_differential [--seed N] [--seconds N] [--cases N] [--only FAMILY,FAMILY]\n"
      "                           [--profile NAME]\n\n"
      "--only takes families, and the words one_device and distributed for those of one device and of\n"
      "several queues. --profile: one of the device table, or any, another one for each case. Families:",
      stderr);
  for (const family& each : all_families) std::fprintf(stderr, " %s", each.name);
  std::fputs("\n", stderr);
  return 2;
}

bool is_asked_for(const std::string& only, const family& each) {
  if (only.empty()) return true;
  std::size_t begin = 0;
  while (begin <= only.size()) {
    const std::size_t end = std::min(only.find(',', begin), only.size());
    const std::string_view word = std::string_view(only).substr(begin, end - begin);
    if (word == each.name || word == (each.distributed ? "distributed" : "one_device")) return true;
    begin = end + 1;
  }
  return false;
}

// The seed of case k of a run; that of the first one is the run's own.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t k) {
  if (k == 0) return seed;
  std::uint64_t x = seed + k * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// The profile that a case is to have; "" leaves it to the library.
std::string profile_of(const std::string& asked_for, std::uint64_t seed) {
  if (asked_for != "any") return asked_for;
  const auto all = clwave::profiles();
  return std::string(all[random_engine(~seed).below(all.size())].name);
}

int run(const asked& what) {
  std::vector<const family*> chosen;
  for (const family& each : all_families)
    if (is_asked_for(what.only, each)) chosen.push_back(&each);
  if (chosen.empty()) return usage();
  random_engine order(what.seed);
  const auto begin = clock::now();
  const auto end =
      begin + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(what.seconds));
  std::uint64_t cases = 0, calls = 0, findings = 0;
  for (; cases < what.cases && clock::now() < end; ++cases) {
    if (cases % chosen.size() == 0) std::shuffle(chosen.begin(), chosen.end(), order);
    const family& each = *chosen[cases % chosen.size()];
    const std::uint64_t seed = seed_of(what.seed, cases);
    // What is printed before it begins tells which case it was, where a driver ends the process.
    std::printf("%s %llu ", each.name, static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    const std::string profile = profile_of(what.profile, seed);
    std::optional<testing::forced_profile> forced;
    if (!profile.empty()) forced.emplace(profile);
    if (!profile.empty()) std::printf("%s ", profile.c_str());
    std::fflush(stdout);
    session s(seed, end);
    std::string wrong;
    try {
      each.run(s);
    } catch (const finding& found) {
      wrong = found.what();
    } catch (const std::exception& thrown) {
      wrong = s.what + ": throws " + thrown.what();
    }
    std::printf("%s\n", s.what.c_str());
    calls += s.calls;
    if (wrong.empty()) continue;
    ++findings;
    std::printf("FINDING %s\n  to see it again: clwave_differential --only %s --seed %llu --cases 1%s%s\n",
                wrong.c_str(), each.name, static_cast<unsigned long long>(seed),
                profile.empty() ? "" : " --profile ", profile.c_str());
    std::fflush(stdout);
  }
  std::printf("seed %llu: %llu cases, %llu calls, %llu findings, %.0f seconds\n",
              static_cast<unsigned long long>(what.seed), static_cast<unsigned long long>(cases),
              static_cast<unsigned long long>(calls), static_cast<unsigned long long>(findings),
              std::chrono::duration<double>(clock::now() - begin).count());
  if (calls == 0) std::fputs("no call was made\n", stderr);
  return findings != 0 ? 1 : calls == 0 ? 2 : 0;
}

}  // namespace

int main(int count, char** words) try {
  asked what;
  for (int w = 1; w < count; ++w) {
    const std::string_view word = words[w];
    const char* value = w + 1 < count ? words[++w] : nullptr;
    if (value == nullptr) return usage();
    if (word == "--seed") {
      what.seed = std::strtoull(value, nullptr, 0);
      what.seeded = true;
    } else if (word == "--seconds") {
      what.seconds = std::strtod(value, nullptr);
    } else if (word == "--cases") {
      what.cases = std::strtoull(value, nullptr, 0);
    } else if (word == "--only") {
      what.only = value;
    } else if (word == "--profile") {
      what.profile = value;
    } else {
      return usage();
    }
  }
  if (!what.seeded) what.seed = random_engine().seed();
  testing::load_drivers_without_their_signal_handlers();
  return run(what);
} catch (const std::exception& failed) {
  std::fprintf(stderr, "%s\n", failed.what());
  return 1;
}
