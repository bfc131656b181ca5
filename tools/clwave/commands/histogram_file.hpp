// What commands that ask of histograms share.
#pragma once

#include <string>

#include <clwave/histogram.hpp>

namespace clwave::tool {

// "-3", "0.5", "1e-3": whole numbers of 64 bits as they are, others as doubles. Throws clwave::error
// (bad_call).
bound bound_of(const std::string& text);

}  // namespace clwave::tool
