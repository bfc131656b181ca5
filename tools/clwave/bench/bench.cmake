# clwave bench and tune: their sources, and the peers that are found here. Included where clwave_tool is made, with
# CLWAVE_BUILD_BENCH.
if(WIN32)
  message(FATAL_ERROR "clwave bench and clwave tune are not made for Windows yet: CLWAVE_BUILD_BENCH must be OFF")
endif()
foreach(peer IN ITEMS BOOST CLBLAST STD OPENMP CUDA)
  option(CLWAVE_BENCH_WITH_${peer} "Measure beside this peer where it is found" ON)
endforeach()

find_package(benchmark CONFIG QUIET)
if(NOT TARGET benchmark::benchmark)
  # Unpacked by hand, perhaps, where the compiler looks.
  find_path(CLWAVE_benchmark_INCLUDE_DIR benchmark/benchmark.h PATHS ENV CPATH ENV CPLUS_INCLUDE_PATH)
  find_library(CLWAVE_benchmark_LIBRARY benchmark PATHS ENV LIBRARY_PATH)
  if(CLWAVE_benchmark_INCLUDE_DIR AND CLWAVE_benchmark_LIBRARY)
    add_library(benchmark::benchmark UNKNOWN IMPORTED)
    set_target_properties(benchmark::benchmark PROPERTIES
      IMPORTED_LOCATION "${CLWAVE_benchmark_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${CLWAVE_benchmark_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES Threads::Threads)
  endif()
endif()
if(NOT TARGET benchmark::benchmark)
  message(FATAL_ERROR "CLWAVE_BUILD_BENCH needs Google Benchmark (Debian: libbenchmark-dev)")
endif()

# Each is a file of rows that registers itself; in this order they are listed and measured.
set(bench_rows ${clwave_primitives} counted lazy sharded host host_array first_call)
list(TRANSFORM bench_rows REPLACE "(.+)" "tools/clwave/bench/rows/\\1.cpp" OUTPUT_VARIABLE bench_row_files)
list(JOIN bench_rows " " bench_row_names)
foreach(name IN LISTS clwave_primitives)
  foreach(more IN LISTS ${name}_ROWS)
    list(APPEND bench_row_files tools/clwave/bench/rows/${more}.cpp)
  endforeach()
endforeach()
set_source_files_properties(tools/clwave/bench/rows.cpp PROPERTIES
  COMPILE_DEFINITIONS "CLWAVE_BENCH_ROWS=\"${bench_row_names}\"")
set(bench_files
  ${bench_row_files}
  tools/clwave/bench/data.cpp
  tools/clwave/bench/goals.cpp
  tools/clwave/bench/laboratory.cpp
  tools/clwave/bench/measure.cpp
  tools/clwave/bench/peers/cuda.cpp
  tools/clwave/bench/report.cpp
  tools/clwave/bench/rows.cpp
  tools/clwave/bench/search.cpp
  tools/clwave/commands/bench.cpp
  tools/clwave/commands/tune.cpp)
target_sources(clwave_tool PRIVATE ${bench_files})
# Each row file has a namespace of its own, so that they can be joined; rows.cpp has a definition of its own.
clwave_compile_alone(tools/clwave/bench/rows.cpp)
target_link_libraries(clwave_tool PRIVATE benchmark::benchmark)
set(bench_peers "")

# A peer that is not found is a row that says so.
find_path(CLWAVE_boost_compute_INCLUDE_DIR boost/compute.hpp PATHS ENV CPATH ENV CPLUS_INCLUDE_PATH)
if(CLWAVE_BENCH_WITH_BOOST AND CLWAVE_boost_compute_INCLUDE_DIR)
  target_compile_definitions(clwave_tool PRIVATE CLWAVE_BENCH_BOOST)
  target_include_directories(clwave_tool SYSTEM PRIVATE "${CLWAVE_boost_compute_INCLUDE_DIR}")
  list(APPEND bench_peers Boost.Compute)
endif()

find_path(CLWAVE_clblast_INCLUDE_DIR clblast.h PATHS ENV CPATH ENV CPLUS_INCLUDE_PATH)
find_library(CLWAVE_clblast_LIBRARY clblast PATHS ENV LIBRARY_PATH)
if(CLWAVE_BENCH_WITH_CLBLAST AND CLWAVE_clblast_INCLUDE_DIR AND CLWAVE_clblast_LIBRARY)
  target_compile_definitions(clwave_tool PRIVATE CLWAVE_BENCH_CLBLAST)
  target_include_directories(clwave_tool SYSTEM PRIVATE "${CLWAVE_clblast_INCLUDE_DIR}")
  target_link_libraries(clwave_tool PRIVATE "${CLWAVE_clblast_LIBRARY}")
  list(APPEND bench_peers CLBlast)
endif()

# The CPU peers' loops get the machine's own instructions, in object files that share no inline function
# with the rest: the tool must still run on another machine. (clang says what it could not vectorize.)
set(quiet "$<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>")

# Some standard libraries lack it, and libstdc++ wants TBB linked where TBB's headers are.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "${CMAKE_CXX20_STANDARD_COMPILE_OPTION}")
set(unseq_program "#include <execution>
#include <numeric>
int main(int n, char**) {
  int x[4] = {n, n, n, n};
  return std::reduce(std::execution::unseq, x, x + 4, 0);
}")
check_cxx_source_compiles("${unseq_program}" CLWAVE_HAVE_UNSEQ)
if(NOT CLWAVE_HAVE_UNSEQ)
  set(CMAKE_REQUIRED_LIBRARIES tbb)
  check_cxx_source_compiles("${unseq_program}" CLWAVE_HAVE_UNSEQ_WITH_TBB)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
unset(CMAKE_REQUIRED_FLAGS)
if(CLWAVE_BENCH_WITH_STD AND (CLWAVE_HAVE_UNSEQ OR CLWAVE_HAVE_UNSEQ_WITH_TBB))
  target_compile_definitions(clwave_tool PRIVATE CLWAVE_BENCH_UNSEQ)
  if(NOT CLWAVE_HAVE_UNSEQ)
    target_link_libraries(clwave_tool PRIVATE tbb)
  endif()
  add_library(clwave_bench_std OBJECT tools/clwave/bench/peers/std.cpp)
  clwave_target_defaults(clwave_bench_std)
  target_include_directories(clwave_bench_std PRIVATE tools/clwave)
  target_compile_options(clwave_bench_std PRIVATE -O3 -march=native ${quiet})
  target_sources(clwave_tool PRIVATE $<TARGET_OBJECTS:clwave_bench_std>)
  list(APPEND bench_peers std)
endif()

find_package(OpenMP QUIET COMPONENTS CXX)
if(CLWAVE_BENCH_WITH_OPENMP AND OpenMP_CXX_FOUND)
  add_library(clwave_bench_openmp OBJECT tools/clwave/bench/peers/openmp.cpp)
  clwave_target_defaults(clwave_bench_openmp)
  target_include_directories(clwave_bench_openmp PRIVATE tools/clwave)
  target_compile_options(clwave_bench_openmp PRIVATE ${OpenMP_CXX_FLAGS} -O3 -march=native -ffast-math
                                                     ${quiet})
  target_include_directories(clwave_bench_openmp PRIVATE ${OpenMP_CXX_INCLUDE_DIRS})
  target_compile_definitions(clwave_tool PRIVATE CLWAVE_BENCH_OPENMP)
  target_sources(clwave_tool PRIVATE $<TARGET_OBJECTS:clwave_bench_openmp>)
  target_link_libraries(clwave_tool PRIVATE ${OpenMP_CXX_LIBRARIES})
  list(APPEND bench_peers OpenMP)
endif()

# CUDA's libraries live in a program of their own, so that clwave never links them.
find_program(CLWAVE_NVCC nvcc PATHS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
if(CLWAVE_BENCH_WITH_CUDA AND CLWAVE_NVCC AND NOT CLWAVE_SANITIZE)
  set(cuda_arch native)
  if(NOT EXISTS /dev/nvidia0 AND NOT EXISTS /dev/nvidiactl)
    set(cuda_arch sm_90)
  endif()
  set(CLWAVE_CUDA_ARCH "${cuda_arch}" CACHE STRING "nvcc -arch= of the benchmark's CUDA peers")
  get_filename_component(cuda_bin "${CLWAVE_NVCC}" REALPATH)
  get_filename_component(cuda_bin "${cuda_bin}" DIRECTORY)
  get_filename_component(cuda_root "${cuda_bin}" DIRECTORY)
  find_library(CLWAVE_cublas_LIBRARY cublas PATHS "${cuda_root}" PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
  set(cuda_flags -O3 -std=c++17 "-arch=${CLWAVE_CUDA_ARCH}" -Xcompiler -Wall,-Wextra)
  set(cuda_libraries "")
  if(CLWAVE_cublas_LIBRARY)
    get_filename_component(cublas_folder "${CLWAVE_cublas_LIBRARY}" DIRECTORY)
    list(APPEND cuda_flags -DCLWAVE_BENCH_CUBLAS)
    set(cuda_libraries "${CLWAVE_cublas_LIBRARY}" -Xlinker "-rpath=${cublas_folder}")
  endif()
  # Each file of rows registers itself.
  set(cuda_files main)
  foreach(name IN LISTS clwave_primitives)
    if(${name}_CUDA)
      list(APPEND cuda_files ${name})
    endif()
    list(APPEND cuda_files ${${name}_CUDA_ROWS})
  endforeach()
  set(cuda_folder tools/clwave/bench/peers/cuda)
  set(cuda_objects "")
  foreach(name IN LISTS cuda_files)
    set(cuda_object "${PROJECT_BINARY_DIR}/cuda_peers/${name}.o")
    add_custom_command(
      OUTPUT "${cuda_object}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/cuda_peers"
      COMMAND "${CLWAVE_NVCC}" ${cuda_flags} -c "${PROJECT_SOURCE_DIR}/${cuda_folder}/${name}.cu" -o "${cuda_object}"
      DEPENDS ${cuda_folder}/${name}.cu ${cuda_folder}/peers.cuh ${cuda_folder}/blas.cuh ${cuda_folder}/thrust_memory.cuh
              tools/clwave/bench/gather_indices.hpp tools/clwave/bench/hash.hpp tools/clwave/bench/product.hpp tools/clwave/bench/segment_offsets.hpp tools/clwave/bench/sorted_ranges.hpp
      COMMENT "Building the benchmark's CUDA peers: ${name}"
      VERBATIM)
    list(APPEND cuda_objects "${cuda_object}")
  endforeach()
  set(cuda_peers "${PROJECT_BINARY_DIR}/bin/clwave_cuda_peers")
  add_custom_command(
    OUTPUT "${cuda_peers}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/bin"
    COMMAND "${CLWAVE_NVCC}" "-arch=${CLWAVE_CUDA_ARCH}" ${cuda_objects} ${cuda_libraries} -o "${cuda_peers}"
    DEPENDS ${cuda_objects}
    COMMENT "Linking the benchmark's CUDA peers"
    VERBATIM)
  add_custom_target(clwave_cuda_peers ALL DEPENDS "${cuda_peers}")
  list(APPEND bench_peers "CUDA (${CLWAVE_CUDA_ARCH})")
endif()

list(JOIN bench_peers ", " bench_peers)
if(NOT bench_peers)
  set(bench_peers "no peer but the runtime")
endif()
message(STATUS "clwave: bench with ${bench_peers}")
