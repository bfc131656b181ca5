# What the tool knows of itself and of all that devices can be asked for, and what copies cost. Included where clwave_tool is made.

# The commit as git describes it when the build is configured; of this repository, not of one that a copy of the
# source lies in.
set(clwave_commit unknown)
find_package(Git QUIET)
if(Git_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT_EXECUTABLE}" describe --always --dirty --abbrev=12
                  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE described RESULT_VARIABLE git_failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT git_failed AND described)
    set(clwave_commit "${described}")
  endif()
endif()
set_source_files_properties(tools/clwave/shared/version.cpp PROPERTIES
  COMPILE_DEFINITIONS "CLWAVE_COMMIT=\"${clwave_commit}\";CLWAVE_BUILD_TYPE=\"$<CONFIG>\"")

target_sources(clwave_tool PRIVATE
  tools/clwave/commands/info_report.cpp
  tools/clwave/commands/info_select.cpp
  tools/clwave/commands/info_text.cpp
  tools/clwave/commands/info_topology.cpp
  tools/clwave/drivers/bandwidth.cpp
  tools/clwave/drivers/bandwidth_pairs.cpp
  tools/clwave/drivers/copies.cpp
  tools/clwave/drivers/properties.cpp
  tools/clwave/drivers/property_table.cpp
  tools/clwave/shared/mistyped.cpp
  tools/clwave/shared/terminal.cpp
  tools/clwave/shared/version.cpp)
