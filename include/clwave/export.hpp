/// @file
/// CLWAVE_EXPORT: marks what the shared library offers. Everything else in it is hidden.
///
/// CMake's target clwave::clwave defines CLWAVE_SHARED where the library is shared, and CLWAVE_BUILDING while
/// the library itself is compiled. In a static library the marks stand for nothing, so that a shared library
/// of your own that contains clwave does not export clwave's functions.
///
/// CLWAVE_EXPORT_TYPE marks a type that is thrown: the library and its callers must see one type, though
/// either may be compiled with hidden visibility. On Windows types are told apart by name and need no mark.
#pragma once

#if !defined(CLWAVE_SHARED)
/// Marks a function that the shared library offers.
#define CLWAVE_EXPORT
/// Marks a type that is thrown across the shared library's border.
#define CLWAVE_EXPORT_TYPE
#elif defined(_WIN32)
#if defined(CLWAVE_BUILDING)
#define CLWAVE_EXPORT __declspec(dllexport)
#else
#define CLWAVE_EXPORT __declspec(dllimport)
#endif
#define CLWAVE_EXPORT_TYPE
#else
#define CLWAVE_EXPORT __attribute__((visibility("default")))
#define CLWAVE_EXPORT_TYPE __attribute__((visibility("default")))
#endif
