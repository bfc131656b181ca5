// A file of any bytes, read as the tool reads its input: it is refused with a reason, or what it is said to
// hold lies in it.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <clwave/error.hpp>

#include "files/input_file.hpp"

namespace {

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

// A file of our own that each input is written to. In memory where there is such a place.
struct scratch_file {
  std::string path = (access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "/tmp/") + std::string("clwave-fuzz-") +
                     std::to_string(getpid());
  int descriptor = open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0600);
  ~scratch_file() { unlink(path.c_str()); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const scratch_file file;
  // The last byte says which type is asked for, and whether elements may be records.
  constexpr const char* types[] = {"", "f32", "u8", "i64", "no such type"};
  const std::string type = size == 0 ? "" : types[data[size - 1] % 5];
  using as = clwave::tool::input_file::as;
  const as elements = size != 0 && data[size - 1] >= 128 ? as::records : as::numbers;
  demand(ftruncate(file.descriptor, static_cast<off_t>(size)) == 0 &&
             pwrite(file.descriptor, data, size, 0) == static_cast<ssize_t>(size),
         "the file was written");
  try {
    clwave::tool::input_file in(file.path, type, elements);
    demand(in.bytes() <= size, "the elements fit into the file");
    std::uint64_t n = 1;
    for (const std::uint64_t length : in.shape()) n *= length;
    const bool rows = !in.fields().empty() && in.fields()[0].name == "0" && in.shape().size() == 2;
    demand(type.empty() || rows || in.type().name == type, "the type is the one that was asked for");
    demand(in.bytes() == in.n() * in.type().size, "the bytes are those of the elements");
    demand(rows || n == in.n(), "the shape is that of the elements");
    for (const clwave::tool::npy_field& each : in.fields())
      demand(each.at + each.n_bytes <= in.type().size, "fields lie in their records");
    std::vector<unsigned char> all(in.bytes());
    in.read(all.data(), all.size());
    // Of a raw file all bytes, of a .npy those from somewhere on.
    bool found = all.empty();
    for (std::size_t at = 0; !found && at + all.size() <= size; ++at)
      found = std::memcmp(data + at, all.data(), all.size()) == 0;
    demand(found, "the elements are the file's");
  } catch (const clwave::error& refused) {
    demand(refused.kind() == clwave::failure::bad_call, "what is refused is the file's fault");
    demand(std::strlen(refused.what()) > 0, "a reason is given");
  }
  return 0;
}
