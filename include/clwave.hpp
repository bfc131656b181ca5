/// @file
/// All of clwave: a cross-vendor OpenCL compute library, specialised at run time.
///
/// What holds for all calls, of threads, kinds of queue, flushing and fork: event.hpp.

/// @namespace clwave
/// All of the library. What it has under another name, `clwave::detail`, is no part of the interface and may
/// change between any two releases.
#pragma once

#include <clwave/bounds.hpp>                // IWYU pragma: export
#include <clwave/cache.hpp>                 // IWYU pragma: export
#include <clwave/copy.hpp>                  // IWYU pragma: export
#include <clwave/device.hpp>                // IWYU pragma: export
#include <clwave/element.hpp>               // IWYU pragma: export
#include <clwave/error.hpp>                 // IWYU pragma: export
#include <clwave/event.hpp>                 // IWYU pragma: export
#include <clwave/export.hpp>                // IWYU pragma: export
#include <clwave/future.hpp>                // IWYU pragma: export
#include <clwave/gather.hpp>                // IWYU pragma: export
#include <clwave/gemm.hpp>                  // IWYU pragma: export
#include <clwave/handle.hpp>                // IWYU pragma: export
#include <clwave/histogram.hpp>             // IWYU pragma: export
#include <clwave/host_array.hpp>            // IWYU pragma: export
#include <clwave/host_array_histogram.hpp>  // IWYU pragma: export
#include <clwave/host_array_scan.hpp>       // IWYU pragma: export
#include <clwave/layout.hpp>                // IWYU pragma: export
#include <clwave/lazy_view.hpp>             // IWYU pragma: export
#include <clwave/matrices.hpp>              // IWYU pragma: export
#include <clwave/merge.hpp>                 // IWYU pragma: export
#include <clwave/named_value.hpp>           // IWYU pragma: export
#include <clwave/op.hpp>                    // IWYU pragma: export
#include <clwave/opencl.hpp>                // IWYU pragma: export
#include <clwave/options.hpp>               // IWYU pragma: export
#include <clwave/plan.hpp>                  // IWYU pragma: export
#include <clwave/prepare.hpp>               // IWYU pragma: export
#include <clwave/profile.hpp>               // IWYU pragma: export
#include <clwave/random.hpp>                // IWYU pragma: export
#include <clwave/ranks.hpp>                 // IWYU pragma: export
#include <clwave/ranks_histogram.hpp>       // IWYU pragma: export
#include <clwave/ranks_scan.hpp>            // IWYU pragma: export
#include <clwave/reduce.hpp>                // IWYU pragma: export
#include <clwave/reduce_by_key.hpp>         // IWYU pragma: export
#include <clwave/reduce_columns.hpp>        // IWYU pragma: export
#include <clwave/reduce_rows.hpp>           // IWYU pragma: export
#include <clwave/scan.hpp>                  // IWYU pragma: export
#include <clwave/scan_by_key.hpp>           // IWYU pragma: export
#include <clwave/search.hpp>                // IWYU pragma: export
#include <clwave/segmented_reduce.hpp>      // IWYU pragma: export
#include <clwave/segmented_scan.hpp>        // IWYU pragma: export
#include <clwave/segmented_sort.hpp>        // IWYU pragma: export
#include <clwave/select.hpp>                // IWYU pragma: export
#include <clwave/set_operations.hpp>        // IWYU pragma: export
#include <clwave/sharded.hpp>               // IWYU pragma: export
#include <clwave/sharded_histogram.hpp>     // IWYU pragma: export
#include <clwave/sharded_reduce_rows.hpp>   // IWYU pragma: export
#include <clwave/sharded_scan.hpp>          // IWYU pragma: export
#include <clwave/sharded_statistics.hpp>    // IWYU pragma: export
#include <clwave/sort.hpp>                  // IWYU pragma: export
#include <clwave/sort_order.hpp>            // IWYU pragma: export
#include <clwave/statistics.hpp>            // IWYU pragma: export
#include <clwave/top_k.hpp>                 // IWYU pragma: export
#include <clwave/transform.hpp>             // IWYU pragma: export
#include <clwave/transpose.hpp>             // IWYU pragma: export
#include <clwave/version.hpp>               // IWYU pragma: export
#include <clwave/view.hpp>                  // IWYU pragma: export
