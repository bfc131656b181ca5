// The end of a process: calls that still run, or begin, while it exits. A program of its own, which runs
// itself as the process that exits.
//   exit_test                 all of it
//   exit_test CASE            one process; ends well, or by a signal, or with a word on stderr and code 3
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <clwave.hpp>

#include "base/opencl.hpp"
#include "harness/parts.hpp"
#include "harness/quick.hpp"
#include "program/program.hpp"

struct exit_point {
  float x, y;
};
CLWAVE_STRUCTURE(exit_point, "exit_point", "typedef struct { float x, y; } exit_point;")

// ------------------------------------------------------------------------- destructors that are registered

namespace {

// Objects that the process destroys as it exits.
constexpr std::size_t most_registered = 4096;
const void* registered[most_registered];
std::atomic<std::size_t> n_registered{0};

}  // namespace

// A symbol whose address is known both here and to nm.
extern "C" {
extern const char clwave_exit_test_anchor;
const char clwave_exit_test_anchor = 0;
}

// Takes the place of the C library's, and notes what it is told.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's name
extern "C" int __cxa_atexit(void (*destroy)(void*), void* object, void* module) noexcept {
  using real_function = int (*)(void (*)(void*), void*, void*);
  // No destructor of its own.
  static const auto real = reinterpret_cast<real_function>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  const std::size_t place = n_registered++;
  if (place < most_registered) registered[place] = object;
  return real(destroy, object, module);
}

namespace {

using clwave::view;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "exit_test: %s\n", why.c_str());
  std::_Exit(3);
}

// A device, a context, a queue and buffers that nothing destroys.
struct place {
  cl_device_id device = clwave::select_device();
  cl_int code = CL_SUCCESS;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  static constexpr std::size_t n = 20000;
  std::vector<float> ones = std::vector<float>(n, 1.0f);
  cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, n * sizeof(float), ones.data(), &code);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * n * sizeof(float), nullptr, &code);

  cl_command_queue new_queue() const {
    cl::CommandQueue made(cl::Context(context, true), cl::Device(device, true));
    clRetainCommandQueue(made());
    return made();
  }
};

// The one of this process, in a static reference: LeakSanitizer takes it for no leak.
const place& lasting_place() {
  static const place& at = *new place;
  return at;
}

// One of several calls. A false error or a wrong value ends the process.
void call(const place& at, cl_command_queue queue, unsigned which) {
  const view<float> in{at.in, place::n};
  const view<float> out{at.out, place::n};
  switch (which % 6) {
    case 0:
      if (clwave::reduce(queue, in) != static_cast<float>(place::n)) fail("a wrong sum");
      break;
    case 1:
      if (clwave::argmax(queue, in).index != 0) fail("a wrong index");
      break;
    case 2:
      clwave::copy(queue, in, out).wait();
      break;
    case 3:
      if (clwave::transform_reduce(queue, in, clwave::max, clwave::square) != 1) fail("a wrong square");
      break;
    case 4:
      if (clwave::reduce(queue, in, clwave::max) != 1) fail("a wrong maximum");
      break;
    default:
      clwave::fill(queue, out, 2.0f).wait();
      break;
  }
}

void guarded_call(const place& at, cl_command_queue queue, unsigned which) {
  try {
    call(at, queue, which);
  } catch (const std::exception& thrown) {
    fail(std::string("an error that is none: ") + thrown.what());
  }
}

// Threads that never stop calling; returns once each has ended some calls.
void start_callers(const place& at) {
  static std::atomic<unsigned> ready{0};
  constexpr unsigned n_threads = 4;
  for (unsigned thread = 0; thread < n_threads; ++thread) {
    std::thread([&at, thread] {
      const cl_command_queue queue = at.new_queue();
      for (unsigned k = 0;; ++k) {
        guarded_call(at, queue, thread + k);
        if (k == 6) ++ready;
      }
    }).detach();
  }
  while (ready < n_threads) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Made before the library's own statics, and so destroyed after them, had they destructors.
struct late_caller {
  const place* at = nullptr;
  ~late_caller() {
    if (at == nullptr) return;
    const cl_command_queue queue = at->new_queue();
    for (unsigned which = 0; which < 6; ++which) guarded_call(*at, queue, which);
    if (clwave::facts_of(at->device).device != at->device) fail("wrong facts");
    clwave::trim();
    clwave::release(at->context);
    guarded_call(*at, queue, 0);
    std::puts("called");
  }
} late;

// The symbols of this program at their addresses. Not by dladdr, which knows no hidden ones.
std::map<std::uintptr_t, std::string> own_symbols() {
  const std::string command = "'" CLWAVE_NM "' --defined-only /proc/" + std::to_string(getpid()) + "/exe";
  FILE* const nm = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  if (nm == nullptr) fail("no nm");
  std::map<std::string, std::uintptr_t> values;
  char line[4096];
  while (std::fgets(line, sizeof line, nm) != nullptr) {
    std::string name = line;
    name = name.substr(name.find_last_of(' ') + 1);
    values[name.substr(0, name.find('\n'))] = std::strtoull(line, nullptr, 16);
  }
  const auto known = values.find("clwave_exit_test_anchor");
  if (pclose(nm) != 0 || known == values.end()) fail("nm does not tell this program's symbols");
  // The program may have been loaded anywhere.
  const std::uintptr_t moved = reinterpret_cast<std::uintptr_t>(&clwave_exit_test_anchor) - known->second;
  std::map<std::uintptr_t, std::string> at;
  for (const auto& [name, value] : values) at[value + moved] = name;
  return at;
}

void check_registrations() {
  const place& at = lasting_place();
  const cl_command_queue queue = at.new_queue();
  for (unsigned which = 0; which < 6; ++which) call(at, queue, which);
  for (const char* name : {"f32", "i64", "f16", "u32x4"}) {
    if (clwave::find_element(name) == nullptr) fail("an element is missing");
  }
  clwave::element_of<exit_point>();
  clwave::element_of<clwave::indexed<float>>();
  // A call of every primitive, whose statics are among what is looked for.
  for (const testing::primitive_parts& part : testing::all_parts()) {
    const testing::event_call first = part.events().front();
    testing::buffers operands;
    for (const testing::call_operand& each : first.operands) {
      cl::Buffer buffer(cl::Context(at.context, true), CL_MEM_READ_WRITE, each.n * 4);
      clRetainMemObject(buffer());
      operands.push_back(buffer);
    }
    first.start(cl::CommandQueue(queue, true), operands, false, {}).wait();
  }
  try {
    clwave::select_device("name~no such device");
    fail("a device that cannot be");
  } catch (const clwave::error&) {
  }
  // The standard library's own, where that is linked into the program.
  const auto of_the_language = [](const std::string& name) {
    return name.starts_with("_ZNSt") || name.starts_with("_ZSt") || name.starts_with("_ZGVNSt") ||
           name.ends_with("_category_instanceE");
  };
  if (n_registered == 0 || n_registered > most_registered) fail("the registrations were not seen");
  // The library is linked into this program; what shared libraries destroy is theirs.
  Dl_info self{};
  dladdr(&n_registered, &self);
  const auto symbols = own_symbols();
  bool saw_own = false;
  for (std::size_t k = 0; k < n_registered; ++k) {
    // CLHPP's default objects are empty and nobody asks for them.
    Dl_info found{};
    if (registered[k] == nullptr || dladdr(registered[k], &found) == 0 || found.dli_fbase != self.dli_fbase)
      continue;
    const auto symbol = symbols.find(reinterpret_cast<std::uintptr_t>(registered[k]));
    const std::string name = symbol != symbols.end() ? symbol->second : "a local one";
    if (of_the_language(name) || (name.starts_with("_ZN2cl") && name.ends_with("8default_E"))) continue;
    if (registered[k] == &late) {
      saw_own = true;
      continue;
    }
    char text[200];
    std::snprintf(text, sizeof text,
                  "the process destroys an object of the library as it exits: %s at offset %#zx",
                  name.c_str(),
                  static_cast<std::size_t>(static_cast<const char*>(registered[k]) -
                                           static_cast<const char*>(found.dli_fbase)));
    fail(text);
  }
  if (!saw_own) fail("this program's own object was not seen");
}

int run_case(std::string_view name) {
  clwave::detail::keep_all_binaries(true);
  if (name == "registrations") {
    check_registrations();
    return 0;
  }
  const place& at = lasting_place();
  if (name == "destructor") {
    late.at = &at;
    guarded_call(at, at.new_queue(), 0);
    return 0;
  }
  if (name == "atexit") {
    static const place* kept = &at;
    std::atexit([] {
      for (unsigned which = 0; which < 6; ++which) guarded_call(*kept, kept->new_queue(), which);
      std::puts("called");
    });
    return 0;
  }
  if (name == "first_in_destructor") {  // all of the library's statics are made while the process exits
    late.at = &at;
    return 0;
  }
  start_callers(at);
  if (name == "exit") std::exit(0);
  if (name == "return") return 0;
  fail("no such case");
}

// Whether a process of the case ends well, and having said so where it should.
bool ends_well(const char* self, const std::string& name, bool speaks) {
  std::fflush(nullptr);
  int ends[2];
  if (pipe(ends) != 0) fail("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    alarm(120);  // a call that never ends is a failure as well
    execl(self, self, name.c_str(), static_cast<char*>(nullptr));
    _exit(4);
  }
  close(ends[1]);
  std::string said;
  char text[64];
  for (ssize_t n = 0; (n = read(ends[0], text, sizeof text)) > 0;)
    said.append(text, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0 && (!speaks || said == "called\n");
  if (!well) {
    std::fprintf(stderr, "exit_test: %s ended with %s %d\n", name.c_str(),
                 WIFSIGNALED(status) ? "signal" : "code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  return well;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return run_case(argv[1]);
  bool well = true;
  // First, so that the caches on disk have all programs from then on, PoCL's too: a driver's compiler may
  // have ended before the destructors that call here (PoCL's clang crashes).
  well &= ends_well(argv[0], "registrations", false);
  well &= ends_well(argv[0], "atexit", true);
  // A GPU's driver has ended itself before destructors of objects that were made before it was loaded.
  cl_device_type type = 0;
  clGetDeviceInfo(clwave::select_device(), CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  if ((type & CL_DEVICE_TYPE_CPU) != 0) {
    for (const char* name : {"destructor", "first_in_destructor"}) well &= ends_well(argv[0], name, true);
  } else {
    std::puts("exit_test: no calls from destructors: this device's driver ends before");
  }
  for (int run = 0; run < (testing::quickest() ? 15 : testing::quick() ? 30 : 60) && well; ++run) {
    well &= ends_well(argv[0], "return", false);
    well &= ends_well(argv[0], "exit", false);
  }
  if (well) std::puts("exit_test: all processes ended well");
  return well ? 0 : 1;
}
