// The on-disk cache: what was stored comes back whole, or nothing does.
#include "base/disk_cache.hpp"
#include "base/user_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "harness/cache_folder.hpp"
#include "harness/environment.hpp"
#include "harness/files.hpp"

namespace testing::disk_cache_test {
namespace {

namespace fs = std::filesystem;
using clwave::detail::read_cached;
using clwave::detail::write_cached;
using bytes = std::vector<unsigned char>;

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

const bytes binary = {0, 1, 2, 255, 0, 'x', 7};
const std::string key("driver 1.2\0source", 17);

TEST_CASE("disk cache: what is stored comes back") {
  const empty_cache cache;
  CHECK(!read_cached(key));
  CHECK(!fs::exists(cache.path));  // reading makes no directory

  write_cached(key, binary);
  CHECK(read_cached(key) == binary);
  CHECK(!read_cached(key + 'x'));
  CHECK(!read_cached(""));
  CHECK(!read_cached(key.substr(0, key.size() - 1)));
  const std::string name = cache.only_file().filename().string();
  CHECK(name.size() == 36);
  CHECK(name.ends_with(".bin"));

  write_cached(key, bytes{9});  // replaces
  CHECK(read_cached(key) == bytes{9});
  write_cached(key, {});
  CHECK(read_cached(key) == bytes{});
  write_cached("", binary);
  CHECK(read_cached("") == binary);

  bytes large((std::size_t{3} << 20) + 1);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<unsigned char>(i * 2654435761U >> 13);
  const std::string long_key(100'003, 'k');
  write_cached(long_key, large);
  CHECK(read_cached(long_key) == large);
  CHECK(cache.files().size() == 3);
}

TEST_CASE("disk cache: the file of another key is not taken, though its name says so") {
  const empty_cache cache;
  write_cached("first", binary);
  const fs::path first = cache.only_file();
  const std::string of_first = contents(first);
  fs::remove(first);
  write_cached("other", bytes{1});
  const fs::path other = cache.only_file();
  CHECK(first != other);
  overwrite(other, of_first);
  CHECK(!read_cached("other"));
  CHECK(!read_cached("first"));
  write_cached("other", bytes{1});
  CHECK(read_cached("other") == bytes{1});
}

TEST_CASE("disk cache: a damaged entry is no entry") {
  const empty_cache cache;
  write_cached(key, binary);
  const fs::path file = cache.only_file();
  const std::string good = contents(file);
  REQUIRE(good.size() == 32 + key.size() + binary.size());

  for (std::size_t length = 0; length < good.size(); ++length) {
    overwrite(file, good.substr(0, length));
    CAPTURE(length);
    CHECK(!read_cached(key));
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      overwrite(file, damaged);
      CAPTURE(at);
      CHECK(!read_cached(key));
    }
  }
  for (const std::size_t extra : {1, 8, 5000}) {
    overwrite(file, good + std::string(extra, '\0'));
    CHECK(!read_cached(key));
  }
  // A length that the sparse file confirms: refused before anything of that size is allocated.
  const std::uint64_t claimed = std::uint64_t{1} << 36;
  std::string bomb = good;
  std::memcpy(bomb.data() + 16, &claimed, sizeof claimed);
  overwrite(file, bomb);
  fs::resize_file(file, 32 + key.size() + claimed);
  CHECK(!read_cached(key));

  overwrite(file, good);
  CHECK(read_cached(key) == binary);  // the loops above damaged what they meant to
}

TEST_CASE("disk cache: directories are 0700 and files 0600, whatever the umask") {
  for (const mode_t mask : {0000, 0022, 0277}) {
    const temporary_folder parent;
    const fs::path deep = parent.path() / "a" / "b" / "cache";
    // A mask that takes the owner's rights needs the directories made before it.
    if (mask == 0277) {
      fs::create_directories(deep);
      chmod(deep.c_str(), 0700);
    }
    const environment variable("CLWAVE_CACHE_DIR", deep.string() + "/");
    const mode_t before = umask(mask);
    write_cached(key, binary);
    umask(before);
    CHECK(read_cached(key) == binary);
    CHECK(mode_of(deep) == 0700);
    if (mask != 0277) CHECK(mode_of(deep.parent_path()) == 0700);
    for (const auto& item : fs::directory_iterator(deep)) CHECK(mode_of(item.path()) == 0600);
  }
}

TEST_CASE("disk cache: a directory or file that others may write is refused") {
  const empty_cache cache;
  for (const mode_t mode : {0777, 01777, 0720, 0702}) {
    fs::create_directory(cache.path);
    REQUIRE(chmod(cache.path.c_str(), mode) == 0);
    write_cached(key, binary);
    CHECK(cache.files().empty());
    CHECK(chmod(cache.path.c_str(), 0700) == 0);
    write_cached(key, binary);
    CHECK(read_cached(key) == binary);
    CHECK(chmod(cache.path.c_str(), mode) == 0);
    CHECK(!read_cached(key));
    fs::remove_all(cache.path);
  }
  write_cached(key, binary);
  const fs::path file = cache.only_file();
  for (const mode_t mode : {0620, 0602, 0666}) {
    CHECK(chmod(file.c_str(), mode) == 0);
    CHECK(!read_cached(key));
  }
  CHECK(chmod(file.c_str(), 0600) == 0);
  CHECK(read_cached(key) == binary);

  if (geteuid() != 0) return;  // only root can give files away
  constexpr uid_t other = 12345;
  CHECK(chown(file.c_str(), other, 0) == 0);
  CHECK(!read_cached(key));
  CHECK(chown(file.c_str(), 0, 0) == 0);
  CHECK(read_cached(key) == binary);
  CHECK(chown(cache.path.c_str(), other, 0) == 0);
  CHECK(!read_cached(key));
  write_cached("another", binary);
  CHECK(cache.files().size() == 1);
  CHECK(chown(cache.path.c_str(), 0, 0) == 0);

  // The user's own directory behind a link that somebody else made, with and without a last slash.
  const fs::path link = cache.parent.path() / "link";
  fs::create_directory_symlink(cache.path, link);
  for (const char* end : {"", "/"}) {
    const environment variable("CLWAVE_CACHE_DIR", link.string() + end);
    CHECK(lchown(link.c_str(), other, 0) == 0);
    CHECK(!read_cached(key));
    CHECK(lchown(link.c_str(), 0, 0) == 0);
    CHECK(read_cached(key) == binary);
  }
}

TEST_CASE("disk cache: only regular files are entries") {
  const empty_cache cache;
  write_cached(key, binary);
  const fs::path file = cache.only_file();
  const fs::path moved = cache.parent.path() / "moved";
  fs::rename(file, moved);
  const std::string good = contents(moved);

  fs::create_symlink(moved, file);
  CHECK(!read_cached(key));
  write_cached(key, bytes{1});  // replaces the link, and not what it points to
  CHECK(read_cached(key) == bytes{1});
  CHECK(fs::is_regular_file(fs::symlink_status(file)));
  CHECK(contents(moved) == good);

  fs::remove(file);
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  CHECK(!read_cached(key));  // and does not wait for a writer

  fs::remove(file);
  fs::create_directory(file);
  CHECK(!read_cached(key));
  write_cached(key, binary);
  CHECK(!read_cached(key));
  CHECK(cache.only_file() == file);  // the temporary file is gone
}

TEST_CASE("disk cache: where it is, and where there is none") {
  const temporary_folder home;
  const environment home_variable("HOME", home.path().string());
  const environment no_xdg("XDG_CACHE_HOME", std::nullopt);
  const auto stored = [] {
    write_cached(key, binary);
    return read_cached(key) == binary;
  };
  {
    const environment off("CLWAVE_CACHE_DIR", "off");
    CHECK(!stored());
  }
  {
    const environment impossible("CLWAVE_CACHE_DIR", "/dev/null/clwave");
    CHECK(!stored());
  }
  {
    const fs::path plain = home.path() / "plain";
    overwrite(plain, "a file");
    const environment file("CLWAVE_CACHE_DIR", plain.string());
    CHECK(!stored());
    CHECK(contents(plain) == "a file");
    fs::remove(plain);
  }
  CHECK(fs::is_empty(home.path()));

  const environment unset("CLWAVE_CACHE_DIR", std::nullopt);
  CHECK(stored());
  CHECK(mode_of(home.path() / ".cache") == 0700);
  CHECK(mode_of(home.path() / ".cache" / "clwave") == 0700);
  fs::remove_all(home.path() / ".cache");
  {
    const environment empty("CLWAVE_CACHE_DIR", "");  // as good as unset
    CHECK(stored());
    CHECK(fs::exists(home.path() / ".cache" / "clwave"));
    fs::remove_all(home.path() / ".cache");
  }
  {
    const environment relative("XDG_CACHE_HOME", "relative");
    CHECK(stored());
    CHECK(fs::exists(home.path() / ".cache" / "clwave"));
    CHECK(!fs::exists("relative"));
    fs::remove_all(home.path() / ".cache");
  }
  {
    const environment xdg("XDG_CACHE_HOME", (home.path() / "xdg").string());
    CHECK(stored());
    CHECK(fs::exists(home.path() / "xdg" / "clwave"));
    CHECK(!fs::exists(home.path() / ".cache"));
  }
  const environment no_home("HOME", std::nullopt);
  CHECK(!stored());
}

// A limit on file sizes stands for the full disk: the write stops half way.
TEST_CASE("disk cache: a write that fails half way leaves the old entry and nothing else") {
  const empty_cache cache;
  write_cached(key, binary);
  const fs::path file = cache.only_file();
  for (const auto handler : {SIG_IGN, SIG_DFL}) {  // the default action would end the process
    CAPTURE(handler == SIG_IGN);
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, handler);
      const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
      write_cached(key, bytes(5000));
      write_cached("another", bytes(5000));
      write_cached("small", bytes(50));  // the failures are no obstacle to what fits
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      _exit(sigismember(&blocked, SIGXFSZ) == 0 && read_cached("small") == bytes(50) ? 0 : 3);
    }
    REQUIRE(child > 0);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(cache.files().size() == 2);
    CHECK(read_cached(key) == binary);
    CHECK(!read_cached("another"));
  }
}

TEST_CASE("a file at the limit on file sizes is an error and no signal") {
  const temporary_folder folder;
  const std::string path = (folder.path() / "dumped").string();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    if (clwave::detail::write_file(path, bytes(5000))) _exit(3);
    _exit(clwave::detail::write_file(path, bytes(1000)) ? 0 : 4);
  }
  REQUIRE(child > 0);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("disk cache: threads that share a key see whole entries") {
  const empty_cache cache;
  const auto value_of = [](int number) {
    return bytes(static_cast<std::size_t>(1000 + 97 * number), static_cast<unsigned char>(number));
  };
  write_cached(key, value_of(0));
  std::atomic<int> bad{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&, number] {
      for (int i = 0; i < 100; ++i) {
        write_cached(key, value_of(number));
        const auto got = read_cached(key);
        if (!got || got->empty() || *got != value_of(got->front())) ++bad;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(bad == 0);
  CHECK(cache.files().size() == 1);
}

TEST_CASE("disk cache: the entries longest unused go when it grows too large") {
  const empty_cache cache;
  write_cached(key, binary);
  const fs::path used = cache.only_file();
  const auto set_age = [](const fs::path& file, std::time_t seconds) {
    const timespec then{.tv_sec = std::time(nullptr) - seconds, .tv_nsec = 0};
    const timespec times[] = {then, then};
    REQUIRE(utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  };
  set_age(used, 100'000);
  CHECK(read_cached(key) == binary);  // makes it young again

  std::vector<fs::path> padding;  // sparse; the first is the oldest, and left over by a dead process
  for (int i = 0; i < 8; ++i) {
    const std::string suffix = i == 0 ? ".1.2.3.tmp" : ".bin";
    padding.push_back(cache.path / (std::string(31, 'a') + static_cast<char>('0' + i) + suffix));
    overwrite(padding.back(), "");
    fs::resize_file(padding.back(), std::uintmax_t{50} << 20);
    set_age(padding.back(), 1000 * (9 - i));
  }
  const fs::path foreign = cache.path / "notes.txt";
  overwrite(foreign, "not an entry");
  set_age(foreign, 1'000'000);

  for (int i = 0; i < 32; ++i) write_cached("more", binary);  // one of them looks at the size
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    CHECK(fs::exists(padding[static_cast<std::size_t>(i)]) == (i >= 3));  // 5 x 50 MiB are within 256
  }
  CHECK(fs::exists(foreign));
  CHECK(read_cached(key) == binary);
  CHECK(read_cached("more") == binary);

  write_cached("huge", bytes((std::size_t{64} << 20) + 1));  // a single entry is bounded too
  CHECK(!read_cached("huge"));
}

}  // namespace
}  // namespace testing::disk_cache_test
