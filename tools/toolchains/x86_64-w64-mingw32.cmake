# Builds for 64-bit Windows with Debian's MinGW-w64 (g++-mingw-w64-x86-64), of its two kinds the one that has std::thread.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
# Programs that need none of the compiler's own DLLs.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(clwave_cross_triple x86_64-w64-mingw32)
set(clwave_cross_suffix -posix)
include("${CMAKE_CURRENT_LIST_DIR}/cross.cmake")
