// Files that the library reads, damaged in every way and at random: entries of the cache of programs, and
// tunings. An entry is what was stored or none, a tuning has numbers that its row can have, and calls are
// right. Then processes that are killed as they write, folders that go, and disks that are full.
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "base/disk_cache.hpp"
#include "device/tuning.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/environment.hpp"
#include "harness/files.hpp"
#include "harness/kept_binaries.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace {

namespace fs = std::filesystem;
using clwave::detail::read_cached;
using clwave::detail::write_cached;
using reference::random_engine;
using testing::contents;
using testing::environment;
using testing::overwrite;
using testing::temporary_folder;
using bytes = std::vector<unsigned char>;

std::size_t trials(std::size_t all) { return testing::quick() ? all / 10 : all; }

struct cache_folder {
  temporary_folder parent;
  fs::path path = parent.path() / "cache";
  environment variable{"CLWAVE_CACHE_DIR", path.string()};

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (const auto& item : fs::directory_iterator(path))
      if (item.path().extension() == ".bin") found.push_back(item.path());
    std::sort(found.begin(), found.end());
    return found;
  }
};

// ------------------------------------------------------------------------------------------------- damage

// Text with some of its bytes changed, more or fewer of them, or another's in their place.
std::string damaged(const std::string& good, const std::string& other, random_engine& random) {
  std::string text = good;
  const auto any = [&] { return random.below(std::max<std::size_t>(text.size(), 1)); };
  const auto byte = [&] { return static_cast<char>(random()); };
  switch (random.below(9)) {
    case 0:
      for (std::size_t k = random.below(8) + 1; k > 0; --k)
        text[any()] ^= static_cast<char>(1U << random.below(8));
      break;
    case 1:
      std::generate_n(text.begin() + static_cast<std::ptrdiff_t>(any()), 1, byte);
      break;
    case 2:
      text.resize(any());
      break;
    case 3:
      for (std::size_t k = random.below(100) + 1; k > 0; --k) text += byte();
      break;
    case 4:
      text = other;
      break;
    case 5: {  // a piece of zeros
      const std::size_t at = any();
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at),
                  std::min(text.size() - at, random.below(64) + 1), '\0');
      break;
    }
    case 6:
      text.assign(text.size(), '\0');
      break;
    case 7: {  // eight bytes that are a number: a length that is wrong, or huge
      const std::uint64_t number = random() >> random.below(64);
      const std::size_t at = any() / 8 * 8;
      std::memcpy(text.data() + at, &number, std::min<std::size_t>(8, text.size() - at));
      break;
    }
    default: {  // a piece twice, or left out
      const std::size_t at = any(), n = std::min(text.size() - at, random.below(64) + 1);
      const std::string piece = text.substr(at, n);
      random.below(2) == 0 ? text.insert(at, piece) : text.erase(at, n);
      break;
    }
  }
  return text;
}

// What is not a regular file of the user's alone, in a file's place. Says what it made.
std::string replace(const fs::path& file, const fs::path& good_copy, random_engine& random) {
  const bool root = geteuid() == 0;
  switch (random.below(root ? 6 : 5)) {
    case 0:
      fs::remove(file);
      fs::create_symlink(good_copy, file);
      return "a link to a good one";
    case 1:
      fs::remove(file);
      fs::create_directory(file);
      return "a folder";
    case 2:
      fs::remove(file);
      if (mkfifo(file.c_str(), 0600) != 0) throw std::runtime_error("no FIFO");
      return "a FIFO";
    case 3:
      chmod(file.c_str(), 0622);
      return "writable by others";
    case 4:
      chmod(file.c_str(), 0660);
      return "writable by a group";
    default:
      if (chown(file.c_str(), 12345, 12345) != 0) throw std::runtime_error("no chown");
      return "of another owner";
  }
}

// -------------------------------------------------------------------------------------------------- cache

TEST_CASE("damaged entries of the cache are what was stored, or none") {
  const cache_folder cache;
  random_engine random;
  std::map<std::string, bytes> stored;
  for (const std::size_t n : {0u, 7u, 300u, 20000u}) {
    bytes data(n);
    for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
    const std::string key = "driver\0source " + std::to_string(n);
    write_cached(key, data);
    stored[key] = data;
  }
  // Which file is of which key: the one without which the key has no entry.
  std::map<std::string, fs::path> file_of;
  for (const fs::path& file : cache.entries()) {
    const fs::path aside = cache.parent.path() / "aside";
    fs::rename(file, aside);
    for (const auto& [key, data] : stored)
      if (!read_cached(key)) file_of[key] = file;
    fs::rename(aside, file);
  }
  REQUIRE(file_of.size() == stored.size());

  std::size_t refused = 0, harmless = 0, violations = 0;
  for (std::size_t trial = 0; trial < trials(10000); ++trial) {
    const auto at = std::next(stored.begin(), static_cast<std::ptrdiff_t>(random.below(stored.size())));
    const auto& [key, data] = *at;
    const fs::path& file = file_of[key];
    const std::string good = contents(file);
    const std::string other = contents(file_of[std::next(stored.begin())->first]);
    const fs::path copy = cache.parent.path() / "copy";
    overwrite(copy, good);
    chmod(copy.c_str(), 0600);
    bool same = false;
    std::string what = "bytes";
    if (random.below(5) == 0) {
      what = replace(file, copy, random);
    } else {
      const std::string text = damaged(good, other, random);
      overwrite(file, text);
      same = text == good;
    }
    const auto read = read_cached(key);
    const bool right = same ? read == data : !read;
    if (!right) ++violations;
    CAPTURES(what, trial);
    CHECK(right);
    read ? ++harmless : ++refused;
    // What is not a file may stay in the way, and what is one is replaced.
    if (fs::is_directory(fs::symlink_status(file))) {
      write_cached(key, data);
      fs::remove(file);
    }
    write_cached(key, data);
    REQUIRE(read_cached(key) == data);
  }
  std::printf("%zu damaged entries: %zu refused, %zu unchanged, %zu violations\n", trials(10000), refused,
              harmless, violations);
}

TEST_CASE("calls are right whatever is in the cache") {
  const cache_folder cache;
  const testing::kept_binaries binaries;
  testing::fixture on;
  random_engine random;
  const std::vector<float> ones(3000, 1.0f);
  const cl::Buffer buffer = on.buffer_of(ones);
  const auto sum = [&] {
    clwave::release(on.context);
    return clwave::reduce(on.queue, clwave::view<float>{buffer, ones.size()});
  };
  CHECK(sum() == 3000.0f);
  CHECK(clwave::reduce(on.queue, clwave::view<float>{buffer, ones.size()}, clwave::max) == 1.0f);
  const std::vector<fs::path> files = cache.entries();
  REQUIRE(files.size() >= 2);
  std::vector<std::string> good;
  for (const fs::path& file : files) good.push_back(contents(file));
  const std::size_t n = trials(50);
  for (std::size_t trial = 0; trial < n; ++trial) {
    for (std::size_t k = 0; k < files.size(); ++k)
      overwrite(files[k], damaged(good[k], good[(k + 1) % good.size()], random));
    CAPTURE(trial);
    CHECK(sum() == 3000.0f);
  }
  std::printf("%zu calls with damaged caches\n", n);
}

TEST_CASE("damaged tunings have numbers that their rows can have, or none") {
  const temporary_folder parent;
  const environment place("CLWAVE_CONFIG_DIR", (parent.path() / "config").string());
  const clwave::device_facts& facts = testing::default_fixture().facts;
  const clwave::profile_choice choice = clwave::choose_profile(facts);
  std::vector<clwave::detail::saved_tuning> all;
  for (const std::string_view primitive : clwave::detail::tuned_primitives()) {
    clwave::detail::tunable_numbers numbers = clwave::detail::tuning_of(*choice.profile, primitive);
    if (numbers.empty()) continue;  // of a CPU
    all.push_back({.device = facts.name.value_or("?"),
                   .driver = facts.driver_version.value_or("?"),
                   .profile = std::string(choice.profile->name),
                   .primitive = std::string(primitive),
                   .numbers = std::move(numbers),
                   .date = "2026-11-21",
                   .measured = "f32, n 1000",
                   .gb_per_s = 12.5,
                   .row_gb_per_s = 10.25});
  }
  REQUIRE(clwave::detail::write_tunings(all));
  REQUIRE(clwave::detail::read_tunings().size() == all.size());
  const fs::path file = clwave::detail::tuning_file();
  const std::string good = contents(file);
  const std::string other =
      clwave::detail::text_of(std::vector<clwave::detail::saved_tuning>(all.begin() + 1, all.end()));
  random_engine random;
  std::size_t taken = 0, refused = 0;
  for (std::size_t trial = 0; trial < trials(10000); ++trial) {
    overwrite(file, damaged(good, other, random));
    const auto read = clwave::detail::read_tunings();
    read.empty() ? ++refused : ++taken;
    for (const auto& row : read) {
      const clwave::profile* const known = clwave::find_profile(row.profile);
      REQUIRE(known != nullptr);
      CHECK(clwave::detail::fault_of(*known, row.primitive, row.numbers) == "");
    }
    if (trial % 500 != 0) continue;
    // What a call gets of it.
    clwave::detail::reread_tunings();
    testing::fixture& on = testing::default_fixture();
    const cl::Buffer buffer = on.buffer_of(std::vector<float>(3000, 1.0f));
    CHECK(clwave::reduce(on.queue, clwave::view<float>{buffer, 3000}) == 3000.0f);
  }
  fs::remove(file);
  clwave::detail::reread_tunings();
  std::printf("%zu damaged tunings: %zu refused, %zu taken in part, none out of bounds\n", trials(10000),
              refused, taken);
}

// ---------------------------------------------------------------------------------------------- processes

bytes data_of(std::size_t key, std::size_t version) {
  random_engine random(key * 1000 + version);
  bytes data(2000 + 15000 * (key % 3));
  for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
  return data;
}

// Whether an entry is none, or whole and of one of the versions.
bool is_right(std::size_t key) {
  const auto read = read_cached("key " + std::to_string(key));
  return !read || *read == data_of(key, 0) || *read == data_of(key, 1);
}

constexpr std::size_t n_keys = 6;

// Writes and reads until a signal ends it, or 1 s. Returns 0 where all that it read was right.
int write_and_read(std::uint64_t seed, std::size_t n) {
  random_engine random(seed);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t key = random.below(n_keys);
    if (random.below(2) == 0)
      write_cached("key " + std::to_string(key), data_of(key, random.below(2)));
    else if (!is_right(key))
      return 1;
  }
  return 0;
}

TEST_CASE("processes that are killed as they write leave whole entries, and a folder that can be used") {
  const cache_folder cache;
  random_engine random;
  const std::size_t n_rounds = testing::quick() ? 4 : 20;
  constexpr int n_processes = 32;
  std::size_t killed = 0, ended = 0, left = 0;
  for (std::size_t round = 0; round < n_rounds; ++round) {
    fs::remove_all(cache.path);
    std::vector<pid_t> children;
    for (int k = 0; k < n_processes; ++k) {
      const std::uint64_t seed = random();
      const pid_t child = fork();
      if (child == 0) _exit(write_and_read(seed, 400));
      REQUIRE(child > 0);
      children.push_back(child);
    }
    for (int k = 0; k < 20; ++k) {
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(20000)));
      kill(children[random.below(children.size())], SIGKILL);
    }
    for (const pid_t child : children) {
      int status = 0;
      REQUIRE(waitpid(child, &status, 0) == child);
      if (WIFSIGNALED(status)) {
        CHECK(WTERMSIG(status) == SIGKILL);
        ++killed;
      } else {
        CHECK(WEXITSTATUS(status) == 0);
        ++ended;
      }
    }
    for (std::size_t key = 0; key < n_keys; ++key) {
      CHECK(is_right(key));
      write_cached("key " + std::to_string(key), data_of(key, 0));
      CHECK(read_cached("key " + std::to_string(key)) == data_of(key, 0));
    }
    for (const auto& item : fs::directory_iterator(cache.path))
      if (item.path().extension() == ".tmp") ++left;
  }
  // What was cut off counts as an entry and goes with the oldest ones.
  std::printf("%zu rounds of %d processes: %zu killed, %zu came to their end, %zu cut-off files left\n",
              n_rounds, n_processes, killed, ended, left);
  CHECK(killed > n_rounds * 5);
  CHECK(left <= killed);
}

TEST_CASE("child: a first sum" * doctest::skip()) {
  testing::fixture on;
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(3000, 1.0f));
  CHECK(clwave::reduce(on.queue, clwave::view<float>{buffer, 3000}) == 3000.0f);
}

TEST_CASE("processes that begin at once with a cold cache, some of them killed, and one after them") {
  const cache_folder cache;
  random_engine random;
  char self[4096] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  const auto run = [&] {
    std::fflush(stdout);  // which the child would write again
    const pid_t child = fork();
    if (child != 0) return child;
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(3);
    execl(self, self, "--no-skip", "--test-case=child: a first sum", static_cast<char*>(nullptr));
    _exit(3);
  };
  std::vector<pid_t> children;
  for (int k = 0; k < 32; ++k) children.push_back(run());
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::vector<bool> hit(children.size());
  for (int k = 0; k < 10; ++k) {
    const std::size_t which = random.below(children.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(random.below(200)));
    hit[which] = kill(children[which], SIGKILL) == 0;
  }
  children.push_back(run());
  hit.push_back(false);
  std::size_t right = 0;
  for (std::size_t k = 0; k < children.size(); ++k) {
    int status = 0;
    REQUIRE(waitpid(children[k], &status, 0) == children[k]);
    const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    CHECK((well || hit[k]));
    if (well) ++right;
  }
  std::printf("%zu of %zu processes with a cold cache came to the right sum, the others were killed\n", right,
              children.size());
}

// -------------------------------------------------------------------------------------------------- disks

TEST_CASE("a cache whose folder goes while it is used") {
  const cache_folder cache;
  std::atomic<bool> stop{false};
  std::thread remover([&] {
    std::error_code ignored;
    while (!stop) fs::remove_all(cache.path, ignored);
  });
  std::vector<std::thread> users;
  std::atomic<int> wrong{0};
  for (std::uint64_t k = 0; k < 4; ++k) users.emplace_back([&wrong, k] { wrong += write_and_read(k, 500); });
  for (std::thread& user : users) user.join();
  stop = true;
  remover.join();
  CHECK(wrong == 0);
}

TEST_CASE("a cache on a disk that is full, and on one that is read only") {
  const cache_folder cache;
  fs::create_directory(cache.path);
  // 64 KiB, for who may mount it.
  if (mount("none", cache.path.c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0) {
    std::printf("a full disk: not tried, for nothing can be mounted here\n");
    return;
  }
  CHECK(write_and_read(7, 400) == 0);
  for (std::size_t key = 0; key < n_keys; ++key) CHECK(is_right(key));
  testing::fixture on;
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(3000, 1.0f));
  CHECK(clwave::reduce(on.queue, clwave::view<float>{buffer, 3000}) == 3000.0f);
  CHECK(mount("none", cache.path.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0);
  CHECK(write_and_read(8, 100) == 0);
  clwave::release(on.context);
  CHECK(clwave::reduce(on.queue, clwave::view<float>{buffer, 3000}) == 3000.0f);
  CHECK(umount(cache.path.c_str()) == 0);
  std::printf("a full disk and one that is read only: calls are right\n");
}

}  // namespace
