// The on-disk cache, of program binaries and of what probes found: it can only save time, never change a
// result.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace clwave::detail {

// False where CLWAVE_CACHE_DIR or a missing home turns the cache off. What costs something to fetch need not
// be fetched then.
bool caching();

// The bytes stored under `key`, or nothing: no cache, no such entry, or one whose stored key, length
// or checksum does not match in full. Never throws.
std::optional<std::vector<unsigned char>> read_cached(std::string_view key) noexcept;

// Stores bytes under `key`: written to a temporary file of mode 0600 and renamed, so that a reader sees
// the old entry or the new, never half of one. Gives up silently where it cannot (full disk, a
// directory that is not the user's own or that others may write). Never throws.
void write_cached(std::string_view key, std::span<const unsigned char> bytes) noexcept;

}  // namespace clwave::detail
