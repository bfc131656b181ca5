# The primitives: one entry for each, in the order in which the tool lists and measures them. This is the list that the
# library, the tool, the benchmark and the tests are made from; what follows from a name stands in CONTRIBUTING.md, "Add a
# primitive". An entry names what a primitive has beside that:
#   LIBRARY   more files of lib/primitives
#   KERNELS   more files of cl_kernels/primitives, beside those whose names begin with its own
#   COMMANDS  files of tools/clwave/commands with commands of its own, which register themselves
#   ROWS      more files of tools/clwave/bench/rows
#   CUDA      its rows have peers in CUDA, tools/clwave/bench/peers/cuda/NAME.cu
#   CUDA_ROWS   more files of tools/clwave/bench/peers/cuda
#   SHARDED     its calls on sharded arrays, include/clwave/sharded_NAME.hpp and lib/distributed/NAME_sharded.cpp
#   HOST_ARRAY  on arrays of the host, include/clwave/host_array_NAME.hpp and lib/distributed/NAME_host_array.cpp
#   C_INTERFACE  its calls from C, lib/c_interface/NAME.cpp
#   RANKS     over ranks, include/clwave/ranks_NAME.hpp, lib/distributed/NAME_ranks.cpp; some have lib/distributed/rank_NAME.cpp
#   TESTS     more files of tests: "scan_calls" is tests/primitives/scan/scan_calls_test.cpp
#   SCRIPTS   tests of the tool: "scan_file" is tests/primitives/scan/scan_file_test.py
#   EXAMPLES  those that call it
#   NEEDS     other primitives, without which it does not build; all need reduce and copy
# Without its files and its lines in three lists (this one, clwave.cl, clwave.hpp) a primitive is gone: removal_test.py.
set(clwave_primitives "")

function(clwave_primitive name)
  set(lists LIBRARY KERNELS COMMANDS ROWS CUDA_ROWS TESTS SCRIPTS EXAMPLES NEEDS)
  cmake_parse_arguments(PARSE_ARGV 1 own "CUDA;SHARDED;HOST_ARRAY;RANKS;C_INTERFACE" "" "${lists}")
  if(own_UNPARSED_ARGUMENTS OR own_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "the entry of ${name} in primitives.cmake has words that it cannot have: ${own_UNPARSED_ARGUMENTS}")
  endif()
  set(clwave_primitives ${clwave_primitives} ${name} PARENT_SCOPE)
  foreach(list IN LISTS lists)
    set(${name}_${list} ${own_${list}} PARENT_SCOPE)
  endforeach()
  set(${name}_CUDA ${own_CUDA} PARENT_SCOPE)
  set(${name}_SHARDED ${own_SHARDED} PARENT_SCOPE)
  set(${name}_HOST_ARRAY ${own_HOST_ARRAY} PARENT_SCOPE)
  set(${name}_RANKS ${own_RANKS} PARENT_SCOPE)
  set(${name}_C_INTERFACE ${own_C_INTERFACE} PARENT_SCOPE)
endfunction()

clwave_primitive(reduce
  LIBRARY reduce_entry reduce_shape
  COMMANDS reduce_file
  ROWS reduce_answers reduce_peers statistics
  CUDA
  CUDA_ROWS statistics
  C_INTERFACE
  TESTS argmax element_reduce reduce_accumulators reduce_errors reduce_floats reduce_levels reduce_memory reduce_places reduce_queues
        reduce_structures statistics user_operator)
clwave_primitive(reduce_by_key CUDA C_INTERFACE NEEDS select)
clwave_primitive(reduce_rows
  COMMANDS matrix_file
  ROWS matrix_folds
  SHARDED
  C_INTERFACE
  TESTS sharded_reduce_rows
  SCRIPTS matrix_file
  EXAMPLES matrix_rows
  NEEDS reduce_columns)
clwave_primitive(reduce_columns C_INTERFACE NEEDS reduce_rows)
clwave_primitive(segmented_reduce CUDA C_INTERFACE)
clwave_primitive(scan
  COMMANDS scan_file
  ROWS host_array_scan sharded_scan
  CUDA
  C_INTERFACE
  SHARDED
  HOST_ARRAY
  RANKS
  TESTS host_array_scan host_array_scan_errors sharded_scan sharded_scan_devices ranks_scan scan_calls scan_past_caches
        scan_prefixes
  SCRIPTS scan_file
  EXAMPLES clhpp recipes scan_and_select)
clwave_primitive(segmented_scan CUDA C_INTERFACE NEEDS scan)
clwave_primitive(scan_by_key CUDA C_INTERFACE TESTS scan_by_key_calls NEEDS segmented_scan select)
clwave_primitive(select LIBRARY select_words ROWS partition_three CUDA CUDA_ROWS partition_three C_INTERFACE TESTS partition partition_copy partition_three select_large select_runs EXAMPLES boost_compute recipes scan_and_select)
clwave_primitive(sort LIBRARY sort_entry sort_operands CUDA C_INTERFACE TESTS sort_calls EXAMPLES recipes NEEDS key_sort merge_sort segmented_sort)
clwave_primitive(key_sort
  COMMANDS sort_file
  TESTS key_sort_calls key_sort_segment_calls key_sort_segments
  SCRIPTS sort_file
  NEEDS segmented_sort sort)
clwave_primitive(merge CUDA C_INTERFACE TESTS merge_calls merge_no_order)
clwave_primitive(merge_sort CUDA TESTS merge_sort_no_order NEEDS sort)
clwave_primitive(segmented_sort CUDA TESTS segmented_sort_no_order NEEDS sort)
clwave_primitive(bounds CUDA C_INTERFACE)
clwave_primitive(set_operations CUDA C_INTERFACE TESTS set_operations_no_order)
clwave_primitive(top_k LIBRARY segmented_top_k CUDA C_INTERFACE TESTS segmented_top_k EXAMPLES word_count NEEDS sort)
clwave_primitive(histogram
  LIBRARY bins
  COMMANDS histogram_file
  CUDA
  C_INTERFACE
  SHARDED
  HOST_ARRAY
  RANKS
  TESTS histogram_calls host_array_histogram ranks_histogram sharded_histogram
  SCRIPTS histogram_file
  NEEDS reduce_columns transform)
clwave_primitive(copy LIBRARY copy_box copy_ranges fill ROWS copy_ranges CUDA CUDA_ROWS copy_ranges C_INTERFACE TESTS copy_conversions copy_ranges fill)
clwave_primitive(transpose CUDA C_INTERFACE TESTS transpose_types)
clwave_primitive(layout C_INTERFACE TESTS layout_types)
clwave_primitive(gemm
  LIBRARY gemm_product gemm_shape gemv
  CUDA
  C_INTERFACE
  TESTS gemm_types gemm_wide gemv
  NEEDS reduce_columns reduce_rows)
clwave_primitive(transform
  LIBRARY adjacent_difference broadcast transform_words
  KERNELS broadcast adjacent_difference
  ROWS neighbours transform_outputs
  CUDA_ROWS neighbours transform_outputs
  C_INTERFACE
  TESTS adjacent_difference transform_conversions transform_if transform_outputs transform_texts transform_types transform_value_names transform_values
  EXAMPLES pipeline recipes)
clwave_primitive(gather LIBRARY reorder CUDA C_INTERFACE TESTS gather_if reorder EXAMPLES recipes word_count)
clwave_primitive(search CUDA C_INTERFACE EXAMPLES recipes)
clwave_primitive(random C_INTERFACE TESTS normal permutation random_statistics EXAMPLES monte_carlo recipes NEEDS gather)
