# The tool's files that each system has its own of: Linux (other POSIX systems lack /proc and prctl) and Windows. Included
# where clwave_tool is made.
set(system posix)
if(WIN32)
  set(system windows)
endif()
target_sources(clwave_tool PRIVATE
  tools/clwave/system/children_${system}.cpp
  tools/clwave/system/drivers_${system}.cpp
  tools/clwave/system/system_${system}.cpp)
