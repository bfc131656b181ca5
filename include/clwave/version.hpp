/// @file
/// The version of these headers. CMake reads the project's version from here.
///
///     #if CLWAVE_VERSION >= 300   // 0.3.0 or later
#pragma once

/// Becomes larger where programs must be changed, from 1.0.0 on.
#define CLWAVE_VERSION_MAJOR 0
/// Becomes larger with new calls; before 1.0.0 also where programs must be changed.
#define CLWAVE_VERSION_MINOR 3
/// Becomes larger where faults alone were mended.
#define CLWAVE_VERSION_PATCH 0

/// 10000 * major + 100 * minor + patch, which the preprocessor can compare.
#define CLWAVE_VERSION (CLWAVE_VERSION_MAJOR * 10000 + CLWAVE_VERSION_MINOR * 100 + CLWAVE_VERSION_PATCH)

/// The version as a literal: "major.minor.patch".
#define CLWAVE_VERSION_STRING \
  CLWAVE_DETAIL_VERSION_TEXT(CLWAVE_VERSION_MAJOR, CLWAVE_VERSION_MINOR, CLWAVE_VERSION_PATCH)
#define CLWAVE_DETAIL_VERSION_TEXT(major, minor, patch) CLWAVE_DETAIL_JOIN_VERSION(major, minor, patch)
#define CLWAVE_DETAIL_JOIN_VERSION(major, minor, patch) #major "." #minor "." #patch
