// Numbers that `clwave tune` found on the user's own device: kept in a file of theirs, in place of the row's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/profile.hpp>

#include "device/tunable_numbers.hpp"

namespace clwave::detail {

// One primitive's numbers for one device, driver version and row, and what was measured.
struct saved_tuning {
  std::string device, driver, profile, primitive;
  tunable_numbers numbers = {};
  std::string date = {};      // of the day, 2026-11-21
  std::string measured = {};  // on what: "f32, n 16777216"
  double gb_per_s = 0;        // with these numbers
  double row_gb_per_s = 0;    // with the row's, in the same run
};

// The file: "tuning.txt" in CLWAVE_CONFIG_DIR, else in "clwave" in the user's configuration directory. Empty
// where CLWAVE_CONFIG_DIR is "off" or there is no home.
std::string tuning_file();

// What is in the file. A file that is damaged, or that others could have written, has nothing. A row whose
// numbers its profile cannot have, or of a profile or a primitive that this library does not know, is left
// out alone. Never throws.
std::vector<saved_tuning> read_tunings() noexcept;

// Replaces the file. False where it cannot be written.
bool write_tunings(const std::vector<saved_tuning>& all) noexcept;

// The same as text and back; nothing where the text is no such file.
std::string text_of(const std::vector<saved_tuning>& all);
std::vector<saved_tuning> parse_tunings(std::string_view text);

// Puts what the file has for this device, its driver and the chosen row in the row's place, and says so in
// `choice.tuned`. The file is read once a process. Not for a profile that CLWAVE_PROFILE forces.
void apply_tunings(profile_choice& choice, const device_facts& facts);

// What a primitive's numbers in the file were measured to give, in GB/s, for this device, its driver and the
// row; nothing where the file has none.
std::optional<double> measured_speed(const device_facts& facts, std::string_view profile,
                                     std::string_view primitive);

// The file is read again when it is next wanted.
void reread_tunings();

// From now on, every row has these numbers for the primitive, forced ones too; with nullptr, its own again.
// For trials; not while other threads are calling.
void try_tuning(std::string_view primitive, const tunable_numbers* numbers);

// Puts the numbers under trial in the row's place.
void apply_trial(profile_choice& choice);

// Changes when a choice made before may no longer hold.
unsigned tuning_epoch();

}  // namespace clwave::detail
