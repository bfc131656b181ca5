// What is said where there is no device: platforms without any, and device files that may not be opened.
#include "device/no_devices.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <unistd.h>

#include "base/system.hpp"
#include "harness/files.hpp"

namespace testing::no_devices_test {
namespace {

namespace fs = std::filesystem;
using clwave::detail::closed_device_files;
using clwave::detail::words_for_no_device;

// Files are opened as somebody who is not root, which may open all, for as long as it lives.
class not_root {
 public:
  not_root() : before_(geteuid()) {
    if (before_ == 0) dropped_ = seteuid(65534) == 0;
  }
  ~not_root() {
    if (dropped_ && seteuid(before_) != 0) std::abort();
  }
  not_root(const not_root&) = delete;
  not_root& operator=(const not_root&) = delete;
  bool is_so() const { return before_ != 0 || dropped_; }

 private:
  uid_t before_;
  bool dropped_ = false;
};

std::vector<std::string> closed_in(const fs::path& folder) {
  const not_root somebody;
  REQUIRE(somebody.is_so());
  std::vector<std::string> closed = closed_device_files(folder.string());
  std::sort(closed.begin(), closed.end());
  return closed;
}

TEST_CASE("device files that may not be opened are named") {
  const temporary_folder here;
  const fs::path folder = here.path(), gpus = folder / "dri";
  fs::permissions(folder, fs::perms(0755));
  CHECK(closed_in(folder).empty());  // there are none
  fs::create_directory(gpus);
  for (const fs::path& each : {folder / "kfd", gpus / "renderD128", gpus / "renderD129", gpus / "card0"})
    overwrite(each, "");
  fs::permissions(folder / "kfd", fs::perms(0444));  // to read is not enough
  fs::permissions(gpus / "renderD128", fs::perms(0000));
  fs::permissions(gpus / "renderD129", fs::perms(0666));
  fs::permissions(gpus / "card0", fs::perms(0000));  // a display's, of no concern
  CHECK(closed_in(folder) ==
        std::vector<std::string>{(gpus / "renderD128").string(), (folder / "kfd").string()});
  fs::permissions(gpus, fs::perms(0000));
  CHECK(closed_in(folder) == std::vector<std::string>{gpus.string(), (folder / "kfd").string()});
  fs::permissions(gpus, fs::perms(0755));
  fs::permissions(gpus / "renderD128", fs::perms(0666));
  fs::permissions(folder / "kfd", fs::perms(0666));
  CHECK(closed_in(folder).empty());
}

TEST_CASE("a driver is to be installed only where there is none") {
  const auto none = words_for_no_device({}, {});
  CHECK(none.what == "no OpenCL device was found");
  CHECK(none.advice.find("install an OpenCL driver") != std::string::npos);
  const auto two = words_for_no_device({"rusticl", "Portable Computing Language"}, {});
  CHECK(two.advice.find("the platform rusticl lists no device") != std::string::npos);
  CHECK(two.advice.find("RUSTICL_ENABLE") != std::string::npos);
  CHECK(two.advice.find("the platform Portable Computing Language lists no device") != std::string::npos);
  CHECK(two.advice.find("POCL_CACHE_DIR") != std::string::npos);
  CHECK(two.advice.find("install") == std::string::npos);
  const auto closed = words_for_no_device({"rusticl"}, {"/dev/kfd", "/dev/dri/renderD128"});
  CHECK(closed.advice.find("may not open /dev/kfd, /dev/dri/renderD128") != std::string::npos);
  CHECK(closed.advice.find("install") == std::string::npos);
  CHECK(clwave::detail::text_of_closed_files({}).empty());
}

}  // namespace
}  // namespace testing::no_devices_test
