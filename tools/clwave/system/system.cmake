# The tool's files that each system has its own of: Linux (other POSIX systems lack /proc and prctl) and Windows. Included
# where clwave_tool is made.
set(system posix)
if(WIN32)
  set(system windows)
endif()
set(system_files children drivers system)
list(TRANSFORM system_files REPLACE "(.+)" "tools/clwave/system/\\1_${system}.cpp")
target_sources(clwave_tool PRIVATE ${system_files})
if(WIN32)
  clwave_compile_alone(${system_files})
endif()
