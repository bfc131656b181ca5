// A text of any bytes, read as a file of tunings: what is taken has numbers that its row can have, and is the
// same when it is written and read again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "device/tuning.hpp"

namespace {

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using clwave::detail::parse_tunings;
  const auto rows = parse_tunings({reinterpret_cast<const char*>(data), size});
  for (const auto& row : rows) {
    const clwave::profile* const known = clwave::find_profile(row.profile);
    demand(known != nullptr, "the row is one of the table's");
    demand(clwave::detail::fault_of(*known, row.primitive, row.numbers).empty(),
           "the row can have the numbers");
  }
  const auto again = parse_tunings(clwave::detail::text_of(rows));
  demand(again.size() == rows.size(), "all of it is read again");
  for (std::size_t k = 0; k < rows.size(); ++k)
    demand(again[k].device == rows[k].device && again[k].driver == rows[k].driver &&
               again[k].profile == rows[k].profile && again[k].primitive == rows[k].primitive &&
               again[k].numbers == rows[k].numbers,
           "what is read again is the same");
  return 0;
}
