# Builds for 32-bit ARM Linux with Debian's cross compiler (g++-arm-linux-gnueabihf).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
# GCC notes wherever it passes a value otherwise than before its version 7, which nobody links with here.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
set(clwave_cross_triple arm-linux-gnueabihf)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
