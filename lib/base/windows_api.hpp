// windows.h, without its macros min and max and without what hardly anyone needs of it.
#pragma once

#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
