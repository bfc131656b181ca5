# What the toolchains here have in common: the compilers of a triple, header-only packages, and an OpenCL to link with.
#
# The machine that builds has no OpenCL loader of the other system. Its headers serve all systems, and a program is linked
# with a library that has OpenCL's entry points and nothing in them: those of OpenCL 1.2 alone, so that a call to a newer
# one does not link. -DOpenCL_INCLUDE_DIR= and -DOpenCL_LIBRARY= name others.
include_guard(GLOBAL)
set(CMAKE_C_COMPILER ${clwave_cross_triple}-gcc${clwave_cross_suffix})
set(CMAKE_CXX_COMPILER ${clwave_cross_triple}-g++${clwave_cross_suffix})
set(clwave_cross_folder "${CMAKE_BINARY_DIR}/cross")
set(CMAKE_FIND_ROOT_PATH "${clwave_cross_folder}" /usr/${clwave_cross_triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# A probe of the compiler's has another build folder, and needs none of what follows.
get_property(clwave_is_probe GLOBAL PROPERTY IN_TRY_COMPILE)
if(clwave_is_probe OR OpenCL_LIBRARY)
  return()
endif()

# Header-only packages, one by one: beside them lie the headers of the building machine's own C library.
foreach(package IN ITEMS CL CLI nlohmann doctest boost)
  find_path(clwave_host_${package} ${package} PATHS /usr/include /usr/local/include ENV CPATH NO_DEFAULT_PATH
            NO_CMAKE_FIND_ROOT_PATH)
  file(MAKE_DIRECTORY "${clwave_cross_folder}/include")
  if(clwave_host_${package})
    file(CREATE_LINK "${clwave_host_${package}}/${package}" "${clwave_cross_folder}/include/${package}" SYMBOLIC)
  endif()
endforeach()
if(NOT OpenCL_INCLUDE_DIR)
  set(OpenCL_INCLUDE_DIR "${clwave_cross_folder}/include" CACHE PATH "OpenCL's headers")
endif()

# The entry points, as the header declares them to a program for OpenCL 1.2.
execute_process(
  COMMAND "${CMAKE_C_COMPILER}" -E -P -DCL_TARGET_OPENCL_VERSION=120 "-I${OpenCL_INCLUDE_DIR}" -x c
          "${OpenCL_INCLUDE_DIR}/CL/cl.h"
  OUTPUT_VARIABLE header RESULT_VARIABLE failed)
string(REGEX MATCHALL "cl[A-Z][A-Za-z0-9]*[ \n]*\\(" entries "${header}")
list(TRANSFORM entries REPLACE "[ \n]*\\(" "")
list(REMOVE_DUPLICATES entries)
if(failed OR NOT "clBuildProgram" IN_LIST entries)
  message(FATAL_ERROR "no entry points were found in ${OpenCL_INCLUDE_DIR}/CL/cl.h")
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
  list(JOIN entries "\n" lines)
  file(WRITE "${clwave_cross_folder}/OpenCL.def" "LIBRARY OpenCL.dll\nEXPORTS\n${lines}\n")
  set(library "${clwave_cross_folder}/libOpenCL.dll.a")
  execute_process(COMMAND ${clwave_cross_triple}-dlltool -d "${clwave_cross_folder}/OpenCL.def" -l "${library}"
                  COMMAND_ERROR_IS_FATAL ANY)
else()
  list(TRANSFORM entries REPLACE "(.+)" "void \\1(void) {}")
  list(JOIN entries "\n" lines)
  file(WRITE "${clwave_cross_folder}/opencl.c" "${lines}\n")
  set(library "${clwave_cross_folder}/libOpenCL.so")
  execute_process(COMMAND "${CMAKE_C_COMPILER}" -shared -fPIC -Wl,-soname,libOpenCL.so.1 -o "${library}"
                          "${clwave_cross_folder}/opencl.c"
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
set(OpenCL_LIBRARY "${library}" CACHE FILEPATH "OpenCL's loader, or what is linked in its place")
