// Rows of scan in other files than its own.
#pragma once

#include <vector>

#include "bench/bench.hpp"

namespace clwave::tool::bench {

// Scans over parts (sharded_scan.cpp).
void add_sharded_scans(laboratory& lab, std::vector<group>& all);
// Scans of arrays that stream from the host (host_array_scan.cpp).
void add_host_array_scans(laboratory& lab, std::vector<group>& all);

}  // namespace clwave::tool::bench
