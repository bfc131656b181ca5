// Programs: built once for each need, kept in memory and on disk, and never trusted blindly from there.
#include "program/program.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/files.hpp"
#include "harness/kept_binaries.hpp"
#include "program/embedded_kernels.hpp"

namespace testing::program_test {
namespace {

namespace fs = std::filesystem;
using clwave::detail::count_programs;
using clwave::detail::program_counts;

// A context of its own with an empty cache on disk, and a call that needs one program.
struct workshop {
  const fixture& known = default_fixture();  // what a driver is asked once is kept before, elsewhere
  kept_binaries binaries;
  temporary_folder parent;
  fs::path cache = parent.path() / "cache";
  environment place{"CLWAVE_CACHE_DIR", cache.string()};
  fixture on;
  cl::Buffer buffer = on.buffer_of(std::vector<u32>(20000, 1));
  program_counts before = count_programs();

  // The sum of n ones, plus the number of its operator; each number is a program.
  void sum(std::size_t n = 20000, unsigned number = 0) {
    const clwave::op fold{
        .name = "numbered", .source = "a + b + 0 * " + std::to_string(number), .identity = "0"};
    const u32 result = clwave::reduce(on.queue, view<u32>{buffer, n}, fold);
    CHECK(result == n);  // not the call itself: an error is the test's to see
  }
  // Programs built and read from disk since the last time it was asked.
  std::pair<std::size_t, std::size_t> news() {
    const program_counts now = count_programs();
    const std::pair<std::size_t, std::size_t> result{now.built - before.built,
                                                     now.from_disk - before.from_disk};
    before = now;
    return result;
  }
  // What a new process would begin with.
  void forget() { clwave::detail::forget_programs(on.context()); }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    if (fs::is_directory(cache)) {
      for (const auto& item : fs::directory_iterator(cache)) found.push_back(item.path());
    }
    return found;
  }
};

using built_and_read = std::pair<std::size_t, std::size_t>;

TEST_CASE("one program for all calls that need it") {
  workshop w;
  w.sum();
  CHECK(w.news() == built_and_read{1, 0});
  w.sum(8193);
  guarded_buffer<u32> out(w.on, 1);
  const clwave::op same{.name = "another name", .source = "a + b + 0 * 0", .identity = "0"};
  clwave::reduce(w.on.queue, view<u32>{w.buffer, 10000}, out.view(), same).wait();
  CHECK(out.first() == 10000);
  CHECK(w.news() == built_and_read{0, 0});
  // Inputs of one tile have, on a GPU, a program of their own.
  w.sum(1);
  const built_and_read of_one_tile = w.news();
  CHECK(of_one_tile.first <= 1);
  w.sum(8192);
  w.sum(100);
  CHECK(w.news() == built_and_read{0, 0});
  w.sum(20000, 1);
  CHECK(w.news() == built_and_read{1, 0});
}

TEST_CASE("a second process reads from disk what the first has built") {
  workshop w;
  w.sum();
  CHECK(w.news() == built_and_read{1, 0});
  CHECK(w.entries().size() == 1);
  w.forget();
  w.sum();
  CHECK(w.news() == built_and_read{0, 1});
  w.sum();
  CHECK(w.news() == built_and_read{0, 0});

  // Another context is as another process.
  fixture other(w.on.device());
  const cl::Buffer buffer = other.buffer_of(std::vector<u32>(20000, 1));
  const clwave::op fold{.name = "numbered", .source = "a + b + 0 * 0", .identity = "0"};
  CHECK(clwave::reduce(other.queue, view<u32>{buffer, 20000}, fold) == 20000);
  CHECK(w.news() == built_and_read{0, 1});
  CHECK(w.entries().size() == 1);
}

TEST_CASE("damaged entries are rebuilt and replaced") {
  workshop w;
  w.sum();
  REQUIRE(w.entries().size() == 1);
  const fs::path entry = w.entries().front();
  const std::string good = contents(entry);
  REQUIRE(good.size() > 200);
  CHECK(w.news() == built_and_read{1, 0});

  std::vector<std::string> damaged{"",
                                   "x",
                                   good.substr(0, 8),
                                   good.substr(0, good.size() / 2),
                                   good.substr(0, good.size() - 1),
                                   good + "x",
                                   std::string(good.size(), '\0')};
  for (const std::size_t place :
       std::vector<std::size_t>{0, 9, 17, 25, 40, good.size() / 2, good.size() - 1}) {
    damaged.push_back(good);
    damaged.back()[place] ^= 1;
  }
  for (const std::string& text : damaged) {
    CAPTURE(text.size());
    overwrite(entry, text);
    w.forget();
    w.sum();
    CHECK(w.news() == built_and_read{1, 0});
    w.forget();
    w.sum();
    CHECK(w.news() == built_and_read{0, 1});  // it was put right
  }
}

TEST_CASE("an entry of another program is not taken, though it is sound") {
  workshop w;
  w.sum(20000, 0);
  REQUIRE(w.entries().size() == 1);
  const fs::path first = w.entries().front();
  w.sum(20000, 1);
  auto both = w.entries();
  REQUIRE(both.size() == 2);
  const fs::path second = both[0] == first ? both[1] : both[0];
  // As if their names had collided. The same guards against another driver's: its version is in the key.
  const std::string text = contents(first);
  overwrite(first, contents(second));
  overwrite(second, text);
  w.news();
  w.forget();
  w.sum(20000, 0);
  w.sum(20000, 1);
  CHECK(w.news() == built_and_read{2, 0});
}

TEST_CASE("the driver, the device and the options are in an entry's key") {
  workshop w;
  w.sum();
  REQUIRE(w.entries().size() == 1);
  const std::string text = contents(w.entries().front());
  const auto holds = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  // As a line of its own: other lines may hold the same number.
  CHECK(holds("\n" + w.on.device.getInfo<CL_DRIVER_VERSION>() + "\n"));
  CHECK(holds(w.on.facts.name.value_or("nothing")));
  CHECK(holds(w.on.facts.platform_version.value_or("nothing")));
  CHECK(holds("-Dclwave_VALUE=uint"));
  CHECK(holds("a + b + 0 * 0"));
}

TEST_CASE("profiles do not share programs") {
  workshop w;
  w.sum();
  CHECK(w.news() == built_and_read{1, 0});
  {
    const forced_profile forced("subgroup-16");
    w.sum();
    CHECK(w.news() == built_and_read{1, 0});
  }
  {
    const forced_profile forced("subgroup-8");
    w.sum();
    CHECK(w.news() == built_and_read{1, 0});
  }
  CHECK(w.entries().size() == 3);
  w.sum();
  CHECK(w.news() == built_and_read{0, 0});
}

TEST_CASE("CLWAVE_CACHE_DIR=off keeps the disk out of it") {
  workshop w;
  const environment off("CLWAVE_CACHE_DIR", "off");
  w.sum();
  w.forget();
  w.sum();
  CHECK(w.news() == built_and_read{2, 0});
  CHECK(w.entries().empty());
  CHECK_FALSE(fs::exists("off"));
}

TEST_CASE("a cache that cannot be written changes nothing") {
  workshop w;
  std::ofstream(w.parent.path() / "file") << "not a folder";
  const environment place("CLWAVE_CACHE_DIR", (w.parent.path() / "file").string());
  w.sum();
  w.forget();
  w.sum();
  CHECK(w.news() == built_and_read{2, 0});
  CHECK(contents(w.parent.path() / "file") == "not a folder");
}

TEST_CASE("CLWAVE_KERNEL_DIR without its parts is an error that names the file") {
  workshop w;
  const auto message = [&] {
    try {
      clwave::reduce(w.on.queue, view<u32>{w.buffer, 10});
    } catch (const clwave::error& thrown) {
      CHECK(thrown.kind() == clwave::failure::bad_call);
      return std::string(thrown.what());
    }
    return std::string("no error");
  };
  {
    const environment from("CLWAVE_KERNEL_DIR", "/there/is/no/such/folder");
    const std::string text = message();
    CHECK_MESSAGE(text.find("/there/is/no/such/folder/clwave.cl") != std::string::npos, text);
  }
  const temporary_folder folder;
  write_parts(folder.path());
  fs::remove(folder.path() / "blocks/group.cl");
  {
    const environment from("CLWAVE_KERNEL_DIR", folder.path().string());
    const std::string text = message();
    CHECK_MESSAGE(text.find("group.cl") != std::string::npos, text);
    CHECK(w.news() == built_and_read{0, 0});
    // The same call works as soon as the part is there.
    write_parts(folder.path());
    w.sum();
    CHECK(w.news() == built_and_read{1, 0});
  }
  const environment empty("CLWAVE_KERNEL_DIR", "");  // as if it were not set
  w.sum();
}

TEST_CASE("a failed build is not kept") {
  workshop w;
  const temporary_folder folder;
  write_parts(folder.path());
  const std::string sound = contents(folder.path() / "blocks/fold.cl");
  const environment from("CLWAVE_KERNEL_DIR", folder.path().string());
  overwrite(folder.path() / "blocks/fold.cl", sound + "\nthis is no OpenCL C\n");
  for (int again = 0; again < 2; ++again) {
    CHECK_THROWS_AS(w.sum(), clwave::error);
    CHECK(w.news() == built_and_read{0, 0});
  }
  CHECK(w.entries().empty());
  overwrite(folder.path() / "blocks/fold.cl", sound);
  w.sum();
  CHECK(w.news() == built_and_read{1, 0});
}

TEST_CASE("a changed part is another program on disk") {
  workshop w;
  const temporary_folder folder;
  write_parts(folder.path());
  const environment from("CLWAVE_KERNEL_DIR", folder.path().string());
  w.sum();
  CHECK(w.news() == built_and_read{1, 0});
  overwrite(folder.path() / "blocks/fold.cl", contents(folder.path() / "blocks/fold.cl") + "// changed\n");
  w.forget();
  w.sum();
  CHECK(w.news() == built_and_read{1, 0});
}

TEST_CASE("a kernel object belongs to one call at a time") {
  workshop w;
  const clwave::detail::target on{&w.on.facts, clwave::choose_profile(w.on.facts)};
  // The program that sum() uses would need its key; any program with a kernel does.
  const auto spec = [] {
    clwave::detail::program_spec s;
    s.primitive = "none";
    s.words = {{"GROUP_SIZE", "64"}};
    s.declarations = {
        {"a kernel", "__kernel void clwave_kernel_of_a_test(__global int *x) { x[0] = 1; }", true}};
    return s;
  };
  clwave::detail::program_cache programs;
  const auto made = programs.get(w.on.context(), w.on.device(), on, "kernel_of_a_test", spec);
  cl_kernel kept = nullptr;
  {
    const clwave::detail::program::loan first(*made, "kernel_of_a_test");
    const clwave::detail::program::loan second(*made, "kernel_of_a_test");
    CHECK(first.get() != nullptr);
    CHECK(second.get() != nullptr);
    CHECK(first.get() != second.get());
    kept = second.get();
  }
  const clwave::detail::program::loan third(*made, "kernel_of_a_test");
  const clwave::detail::program::loan fourth(*made, "kernel_of_a_test");
  CHECK(third.get() != fourth.get());
  CHECK((third.get() == kept || fourth.get() == kept));  // made once, lent again
  CHECK_THROWS_AS(clwave::detail::program::loan(*made, "no_such_kernel"), clwave::error);

  // It is asked for its parts only once.
  int asked = 0;
  for (int k = 0; k < 3; ++k) {
    const auto again = programs.get(w.on.context(), w.on.device(), on, "kernel_of_a_test", [&] {
      ++asked;
      return spec();
    });
    CHECK(again == made);
  }
  CHECK(asked == 0);
}

TEST_CASE("forgetting one context's programs leaves another's") {
  workshop w;
  fixture other(w.on.device());
  const cl::Buffer buffer = other.buffer_of(std::vector<u32>(5, 1));
  const clwave::op fold{.name = "numbered", .source = "a + b + 0 * 0", .identity = "0"};
  w.sum();
  clwave::reduce(other.queue, view<u32>{buffer, 5}, fold);
  w.news();
  clwave::detail::forget_programs(other.context());
  w.sum();
  CHECK(w.news() == built_and_read{0, 0});
  CHECK(clwave::reduce(other.queue, view<u32>{buffer, 5}, fold) == 5);
  CHECK(w.news() == built_and_read{0, 1});
}

}  // namespace
}  // namespace testing::program_test
