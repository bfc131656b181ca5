# Debian packages, by `cpack` in a build folder of the preset packages: libclwave0.3, libclwave-dev and clwave (the tool).
# What Debian's policy asks of a package's own files is done in debian_files.cmake.in when they are packed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clwave)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL clwave_library clwave_development)
if(CLWAVE_BUILD_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL clwave_tool)
endif()

# Who makes packages is whom Debian's own tools take for it.
if(NOT DEFINED ENV{DEBEMAIL})
  cmake_host_system_information(RESULT clwave_host QUERY FQDN)
endif()
set(clwave_packager "The clwave authors <clwave@${clwave_host}>")
if(DEFINED ENV{DEBEMAIL})
  set(clwave_packager "The clwave authors <$ENV{DEBEMAIL}>")
  if(DEFINED ENV{DEBFULLNAME})
    set(clwave_packager "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  endif()
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${clwave_packager}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

# A description is one line and then a text of lines of at most 79 letters.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(clwave_about "clwave is a library of OpenCL compute primitives: reductions and scans, of
segments, runs, rows and columns too, selections, sorts, largest elements,
merges, bounds and set operations of sorted ranges, searches, histograms,
random numbers, gathers, copies, maps, transposes, layouts and matrix products,
for C++ and C. It asks each device what it is and builds the code that is best
there, and results have the same bits on every device.")
set(clwave_so "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(CPACK_DEBIAN_CLWAVE_LIBRARY_PACKAGE_NAME "libclwave${clwave_so}")
set(CPACK_DEBIAN_CLWAVE_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_CLWAVE_LIBRARY_PACKAGE_SUGGESTS "opencl-icd")
set(CPACK_COMPONENT_CLWAVE_LIBRARY_DESCRIPTION "OpenCL compute primitives for the devices of every vendor
${clwave_about}")
set(CPACK_DEBIAN_CLWAVE_DEVELOPMENT_PACKAGE_NAME "libclwave-dev")
set(CPACK_DEBIAN_CLWAVE_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_CLWAVE_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_CLWAVE_DEVELOPMENT_PACKAGE_DEPENDS
    "libclwave${clwave_so} (= ${PROJECT_VERSION}), opencl-c-headers, ocl-icd-opencl-dev | opencl-dev")
set(CPACK_COMPONENT_CLWAVE_DEVELOPMENT_DESCRIPTION "OpenCL compute primitives - development files
${clwave_about}

This package has the headers, the configuration for CMake and pkg-config, and
the source of the kernels, which the library has built in, to read.")
set(CPACK_DEBIAN_CLWAVE_TOOL_PACKAGE_NAME "clwave")
set(CPACK_DEBIAN_CLWAVE_TOOL_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_CLWAVE_TOOL_PACKAGE_RECOMMENDS "pocl-opencl-icd | opencl-icd")
# Google Benchmark is a small library, so that what measures needs no package of its own. The preset leaves out the peers that a
# package cannot have: those compiled for the builder's own processor, CUDA's, and CLBlast, on which the tool would depend.
set(clwave_about_bench "")
if(CLWAVE_BUILD_BENCH)
  set(clwave_about_bench " It measures the library
beside others, and finds the numbers that are fastest on a device.")
endif()
set(CPACK_COMPONENT_CLWAVE_TOOL_DESCRIPTION "tool that shows OpenCL devices and the code they would get
${clwave_about}

The tool clwave lists devices with all their properties, says which code each
would get and why, times copies between devices, and reduces, scans, sorts and
counts what files hold, NumPy's among them.${clwave_about_bench}")

# Of a changed list of libraries the system learns by a trigger.
file(WRITE "${PROJECT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
file(CHMOD "${PROJECT_BINARY_DIR}/debian/triggers" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
set(CPACK_DEBIAN_CLWAVE_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/triggers")

# The changelog of the packages, which has the date of the release.
file(STRINGS "${PROJECT_SOURCE_DIR}/CHANGELOG.md" clwave_released REGEX "^## \\[${PROJECT_VERSION}\\] - ")
string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+" clwave_released "${clwave_released}")
if(NOT clwave_released)
  message(FATAL_ERROR "CHANGELOG.md has no version ${PROJECT_VERSION}")
endif()
configure_file(tools/packaging/debian_files.cmake.in debian/files.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_BINARY_DIR}/debian/files.cmake")
include(CPack)
