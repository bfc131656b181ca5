// Calls of every primitive, some under rows of GPUs and some under a CPU's: what static_memory_test.py runs
// with an empty driver cache, to look at what the driver's compiler makes of their programs.
//   clwave_static_memory                  all calls, each under a random row; of a quick run one of each
//   primitive clwave_static_memory ROW              the same under this row clwave_static_memory ROW
//   PRIMITIVE    those of one primitive
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness/calls.hpp"
#include "harness/parts.hpp"

namespace {

void run(const testing::fixture& on, const testing::event_call& call, const std::string& row) {
  const testing::forced_profile forced(row);
  const testing::buffers operands = testing::buffers_for(on, call.operands, 1);
  call.start(on.queue, operands, false, {}).wait();
  std::printf("%s: %s\n", row.c_str(), call.name.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  try {
    const testing::fixture on;
    if (!on.is_pocl()) {
      std::puts("SKIPPED: the device is not PoCL's, whose compiled kernels are looked at");
      return 77;
    }
    reference::random_engine random;
    std::puts(random.note().c_str());
    std::vector<std::string> rows;
    for (const clwave::profile& row : clwave::profiles()) rows.emplace_back(row.name);
    for (std::size_t k = 0; k < testing::all_parts().size(); ++k) {
      if (count > 2 && testing::primitive_names()[k] != words[2]) continue;
      const testing::event_list calls = testing::all_parts()[k].events();
      // Of those a full run takes all, and others one.
      const std::size_t only = random.below(calls.size());
      for (std::size_t call = 0; call < calls.size(); ++call) {
        if (!testing::quick() || call == only)
          run(on, calls[call], count > 1 ? words[1] : rows[random.below(rows.size())]);
      }
    }
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
  }
}
