// The child's side of a visit: `clwave visit`, hidden, which this program runs of itself. It asks the
// loader it was given and writes one JSON object a line, each as soon as it is known, so that what came
// before a crash is not lost.
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <clwave/device.hpp>
#include <clwave/profile.hpp>

#include "children.hpp"
#include "common.hpp"
#include "records.hpp"
#include "visit.hpp"

namespace clwave::tool {
namespace {

struct visit_words {
  bool list_only = false;
  std::string library;
  std::optional<std::string> selector;
};

void answer(const char* key, json value) {
  const std::string line =
      json{{key, std::move(value)}}.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  // Run by hand, there is no descriptor for the answer.
  static const int to = fcntl(answer_descriptor, F_GETFD) >= 0 ? answer_descriptor : STDOUT_FILENO;
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = write(to, line.data() + done, line.size() - done);
    if (wrote <= 0) std::exit(1);
    done += static_cast<std::size_t>(wrote);
  }
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  if (clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (clGetPlatformInfo(platform, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::strlen(text.c_str()));  // up to the terminating zero
  return text;
}

// Which file the loader took for the library.
void answer_file(const std::string& library) {
  void* loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  link_map* map = nullptr;
  if (loaded != nullptr && dlinfo(loaded, RTLD_DI_LINKMAP, &map) == 0) {
    const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(map->l_name, nullptr), &std::free);
    answer("file", resolved ? resolved.get() : map->l_name);
  }
}

// Platforms without devices count too: their places in the list are taken.
std::vector<cl_platform_id> all_platforms() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return {};
  return platforms;
}

void visit(const visit_words& words) {
  const std::vector<device_place>& places = devices();
  const std::vector<cl_platform_id> platforms = all_platforms();
  if (!words.library.empty()) answer_file(words.library);
  if (platforms.empty() && !words.library.empty() && dlopen(words.library.c_str(), RTLD_NOW) == nullptr) {
    const char* reason = dlerror();
    answer("not_loadable",
           std::string("it cannot be loaded: ") + (reason != nullptr ? reason : "no reason given"));
  }
  for (unsigned p = 0; p < platforms.size(); ++p) {
    unsigned count = 0;
    for (const device_place& place : places) count += place.platform_index == p ? 1 : 0;
    answer("platform", {{"name", platform_text(platforms[p], CL_PLATFORM_NAME)},
                        {"version", platform_text(platforms[p], CL_PLATFORM_VERSION)},
                        {"devices", count}});
  }
  if (!words.list_only) {
    for (const device_place& place : places) {
      const device_facts& facts = facts_of(place.device);
      answer("device", {{"platform", place.platform_index},
                        {"device", place.device_index},
                        {"record", record_of(facts, choose_profile(facts))}});
    }
  }
  if (words.selector && !places.empty()) {
    const cl_device_id selected = select_or_absent(*words.selector);
    for (const device_place& place : places) {
      if (place.device == selected) answer("selected", {place.platform_index, place.device_index});
    }
  }
}

}  // namespace

void add_visit(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("visit", "Asks the drivers; run by clwave itself");
  command->group("");  // not in --help
  auto words = std::make_shared<visit_words>();
  command->add_flag("--list", words->list_only);
  command->add_option("--library", words->library);
  command->add_option("--select", words->selector);
  command->callback([words, &exit] {
    try {
      visit(*words);
    } catch (const error& e) {
      answer("error", {{"kind", std::to_string(static_cast<int>(e.kind()))},
                       {"what", e.what()},
                       {"advice", e.details().advice}});
    }
    answer("end", true);
    exit = exit_ok;
  });
}

}  // namespace clwave::tool
