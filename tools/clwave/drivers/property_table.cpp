// The properties of platforms and devices, in the order that clinfo shows them.
#include "drivers/property_table.hpp"

namespace clwave::tool {
namespace {

using enum reading;

constexpr unsigned always = 100;

constexpr named_number device_types[] = {{1 << 0, "CL_DEVICE_TYPE_DEFAULT"},
                                         {1 << 1, "CL_DEVICE_TYPE_CPU"},
                                         {1 << 2, "CL_DEVICE_TYPE_GPU"},
                                         {1 << 3, "CL_DEVICE_TYPE_ACCELERATOR"},
                                         {1 << 4, "CL_DEVICE_TYPE_CUSTOM"}};
constexpr named_number partitions[] = {{0x1086, "CL_DEVICE_PARTITION_EQUALLY"},
                                       {0x1087, "CL_DEVICE_PARTITION_BY_COUNTS"},
                                       {0x1088, "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN"},
                                       {0x4052, "CL_DEVICE_PARTITION_BY_NAMES_INTEL"}};
constexpr named_number partitions_ext[] = {{0x4050, "CL_DEVICE_PARTITION_EQUALLY_EXT"},
                                           {0x4051, "CL_DEVICE_PARTITION_BY_COUNTS_EXT"},
                                           {0x4052, "CL_DEVICE_PARTITION_BY_NAMES_EXT"},
                                           {0x4053, "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT"}};
constexpr named_number affinities[] = {
    {1 << 0, "CL_DEVICE_AFFINITY_DOMAIN_NUMA"},     {1 << 1, "CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE"},
    {1 << 2, "CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE"}, {1 << 3, "CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE"},
    {1 << 4, "CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE"}, {1 << 5, "CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE"}};
constexpr named_number affinities_ext[] = {
    {0x1, "CL_AFFINITY_DOMAIN_L1_CACHE_EXT"}, {0x2, "CL_AFFINITY_DOMAIN_L2_CACHE_EXT"},
    {0x3, "CL_AFFINITY_DOMAIN_L3_CACHE_EXT"}, {0x4, "CL_AFFINITY_DOMAIN_L4_CACHE_EXT"},
    {0x10, "CL_AFFINITY_DOMAIN_NUMA_EXT"},    {0x100, "CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT"}};
constexpr named_number floats[] = {
    {1 << 0, "CL_FP_DENORM"},           {1 << 1, "CL_FP_INF_NAN"},
    {1 << 2, "CL_FP_ROUND_TO_NEAREST"}, {1 << 3, "CL_FP_ROUND_TO_ZERO"},
    {1 << 4, "CL_FP_ROUND_TO_INF"},     {1 << 5, "CL_FP_FMA"},
    {1 << 6, "CL_FP_SOFT_FLOAT"},       {1 << 7, "CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT"}};
constexpr named_number executions[] = {{1 << 0, "CL_EXEC_KERNEL"}, {1 << 1, "CL_EXEC_NATIVE_KERNEL"}};
constexpr named_number caches[] = {{0, "CL_NONE"}, {1, "CL_READ_ONLY_CACHE"}, {2, "CL_READ_WRITE_CACHE"}};
constexpr named_number local_memories[] = {{0, "CL_NONE"}, {1, "CL_LOCAL"}, {2, "CL_GLOBAL"}};
constexpr named_number queues[] = {{1 << 0, "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE"},
                                   {1 << 1, "CL_QUEUE_PROFILING_ENABLE"},
                                   {1 << 2, "CL_QUEUE_ON_DEVICE"},
                                   {1 << 3, "CL_QUEUE_ON_DEVICE_DEFAULT"}};
constexpr named_number device_queues[] = {{1 << 0, "CL_DEVICE_QUEUE_SUPPORTED"},
                                          {1 << 1, "CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT"}};
constexpr named_number shared_memories[] = {{1 << 0, "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER"},
                                            {1 << 1, "CL_DEVICE_SVM_FINE_GRAIN_BUFFER"},
                                            {1 << 2, "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"},
                                            {1 << 3, "CL_DEVICE_SVM_ATOMICS"}};
constexpr named_number atomics[] = {
    {1 << 0, "CL_DEVICE_ATOMIC_ORDER_RELAXED"},    {1 << 1, "CL_DEVICE_ATOMIC_ORDER_ACQ_REL"},
    {1 << 2, "CL_DEVICE_ATOMIC_ORDER_SEQ_CST"},    {1 << 3, "CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM"},
    {1 << 4, "CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP"}, {1 << 5, "CL_DEVICE_ATOMIC_SCOPE_DEVICE"},
    {1 << 6, "CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES"}};
constexpr named_number command_buffers[] = {{1 << 0, "CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR"},
                                            {1 << 1, "CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR"},
                                            {1 << 2, "CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR"},
                                            {1 << 3, "CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR"},
                                            {1 << 4, "CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR"}};
constexpr named_number mutable_dispatches[] = {{1 << 0, "CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR"},
                                               {1 << 1, "CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR"},
                                               {1 << 2, "CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR"},
                                               {1 << 3, "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR"},
                                               {1 << 4, "CL_MUTABLE_DISPATCH_EXEC_INFO_KHR"}};
constexpr named_number platform_command_buffers[] = {
    {1 << 0, "CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR"},
    {1 << 1, "CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR"},
    {1 << 2, "CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR"}};
constexpr named_number float_atomics[] = {{1 << 0, "CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT"},
                                          {1 << 1, "CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT"},
                                          {1 << 2, "CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT"},
                                          {1 << 16, "CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT"},
                                          {1 << 17, "CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT"},
                                          {1 << 18, "CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT"}};
constexpr named_number kernel_clocks[] = {{1 << 0, "CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR"},
                                          {1 << 1, "CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR"},
                                          {1 << 2, "CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR"}};
constexpr named_number semaphore_types[] = {{1, "CL_SEMAPHORE_TYPE_BINARY_KHR"}};
constexpr named_number semaphore_handles[] = {{0x2055, "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR"},
                                              {0x2056, "CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR"},
                                              {0x2057, "CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR"},
                                              {0x2058, "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR"},
                                              {0x2059, "CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR"}};
constexpr named_number memory_handles[] = {{0x2060, "CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR"},
                                           {0x2061, "CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR"},
                                           {0x2062, "CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR"},
                                           {0x2063, "CL_EXTERNAL_MEMORY_HANDLE_D3D11_TEXTURE_KHR"},
                                           {0x2064, "CL_EXTERNAL_MEMORY_HANDLE_D3D11_TEXTURE_KMT_KHR"},
                                           {0x2065, "CL_EXTERNAL_MEMORY_HANDLE_D3D12_HEAP_KHR"},
                                           {0x2066, "CL_EXTERNAL_MEMORY_HANDLE_D3D12_RESOURCE_KHR"},
                                           {0x2067, "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR"}};
constexpr named_number dot_products[] = {{1 << 0, "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR"},
                                         {1 << 1, "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR"}};
constexpr named_number terminations[] = {{1 << 0, "CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR"}};
constexpr named_number unified_memories[] = {
    {1 << 0, "CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL"},
    {1 << 1, "CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL"},
    {1 << 2, "CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL"},
    {1 << 3, "CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL"}};
constexpr named_number intel_features[] = {{1 << 0, "CL_DEVICE_FEATURE_FLAG_DP4A_INTEL"},
                                           {1 << 1, "CL_DEVICE_FEATURE_FLAG_DPAS_INTEL"}};
constexpr named_number arm_scheduling[] = {
    {1 << 0, "CL_DEVICE_SCHEDULING_KERNEL_BATCHING_ARM"},
    {1 << 1, "CL_DEVICE_SCHEDULING_WORKGROUP_BATCH_SIZE_ARM"},
    {1 << 2, "CL_DEVICE_SCHEDULING_WORKGROUP_BATCH_SIZE_MODIFIER_ARM"},
    {1 << 3, "CL_DEVICE_SCHEDULING_DEFERRED_FLUSH_ARM"},
    {1 << 4, "CL_DEVICE_SCHEDULING_REGISTER_ALLOCATION_ARM"},
    {1 << 5, "CL_DEVICE_SCHEDULING_WARP_THROTTLING_ARM"},
    {1 << 6, "CL_DEVICE_SCHEDULING_COMPUTE_UNIT_BATCH_QUEUE_SIZE_ARM"}};
constexpr named_number arm_terminations[] = {{1 << 0, "CL_DEVICE_CONTROLLED_TERMINATION_SUCCESS_ARM"},
                                             {1 << 1, "CL_DEVICE_CONTROLLED_TERMINATION_FAILURE_ARM"},
                                             {1 << 2, "CL_DEVICE_CONTROLLED_TERMINATION_QUERY_ARM"}};

constexpr std::string_view versions = "cl_khr_extended_versioning";
constexpr std::string_view uuids = "cl_khr_device_uuid";
constexpr std::string_view nv = "cl_nv_device_attribute_query";
constexpr std::string_view amd = "cl_amd_device_attribute_query";
constexpr std::string_view intel = "cl_intel_device_attribute_query";
constexpr std::string_view usm = "cl_intel_unified_shared_memory";
constexpr std::string_view fission = "cl_ext_device_fission";
constexpr std::string_view semaphores = "cl_khr_semaphore";
constexpr std::string_view external_semaphores = "cl_khr_external_semaphore";
constexpr std::string_view external_memory = "cl_khr_external_memory";
constexpr std::string_view command_buffer = "cl_khr_command_buffer";
constexpr std::string_view many_devices = "cl_khr_command_buffer_multi_device";
constexpr std::string_view fp_atomics = "cl_ext_float_atomics";
constexpr std::string_view dot_product = "cl_khr_integer_dot_product";
constexpr std::string_view image_buffers = "cl_khr_image2d_from_buffer";
constexpr std::string_view avc_estimation = "cl_intel_device_side_avc_motion_estimation";
constexpr std::string_view sharing = "cl_intel_simultaneous_sharing";
constexpr std::string_view yuv = "cl_intel_planar_yuv";
constexpr std::string_view qcom = "cl_qcom_ext_host_ptr";
constexpr std::string_view scheduling = "cl_arm_scheduling_controls";

constexpr property_row of_platforms[] = {
    {0x0902, "CL_PLATFORM_NAME", text, always},
    {0x0903, "CL_PLATFORM_VENDOR", text, always},
    {0x0901, "CL_PLATFORM_VERSION", text, always},
    {0x0900, "CL_PLATFORM_PROFILE", text, always},
    {0x0904, "CL_PLATFORM_EXTENSIONS", words, always},
    {0x0907, "CL_PLATFORM_EXTENSIONS_WITH_VERSION", named_versions, 300, versions},
    {0x0906, "CL_PLATFORM_NUMERIC_VERSION", version, 300, versions},
    {0x0920, "CL_PLATFORM_ICD_SUFFIX_KHR", text, 0, "cl_khr_icd"},
    {0x0905, "CL_PLATFORM_HOST_TIMER_RESOLUTION", number, 210},
    {0x403C, "CL_PLATFORM_MAX_KEYS_AMD", number, 0, "cl_amd_object_metadata"},
    {0x0908, "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR", bits, 0, many_devices, platform_command_buffers},
    {0x2036, "CL_PLATFORM_SEMAPHORE_TYPES_KHR", choices, 0, semaphores, semaphore_types},
    {0x2037, "CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR", choices, 0, external_semaphores,
     semaphore_handles},
    {0x2038, "CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", choices, 0, external_semaphores,
     semaphore_handles},
    {0x2044, "CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR", choices, 0, external_memory,
     memory_handles},
};

constexpr property_row of_devices[] = {
    {0x102B, "CL_DEVICE_NAME", text, always},
    {0x102C, "CL_DEVICE_VENDOR", text, always},
    {0x1001, "CL_DEVICE_VENDOR_ID", hex, always},
    {0x102F, "CL_DEVICE_VERSION", text, always},
    {0x106A, "CL_DEVICE_UUID_KHR", uuid, 0, uuids},
    {0x106B, "CL_DRIVER_UUID_KHR", uuid, 0, uuids},
    {0x106C, "CL_DEVICE_LUID_VALID_KHR", flag, 0, uuids},
    {0x106D, "CL_DEVICE_LUID_KHR", luid, 0, uuids},
    {0x106E, "CL_DEVICE_NODE_MASK_KHR", number, 0, uuids},
    {0x105E, "CL_DEVICE_NUMERIC_VERSION", version, 300, versions},
    {0x102D, "CL_DRIVER_VERSION", text, always},
    {0x103D, "CL_DEVICE_OPENCL_C_VERSION", text, 110},
    {0x105F, "CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR", version, 0, versions},
    {0x1066, "CL_DEVICE_OPENCL_C_ALL_VERSIONS", named_versions, 300},
    {0x106F, "CL_DEVICE_OPENCL_C_FEATURES", named_versions, 300},
    {0x4230, "CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT", version, 0, "cl_ext_cxx_for_opencl"},
    {0x1072, "CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED", text, 300},
    {0x1000, "CL_DEVICE_TYPE", bits, always, {}, device_types},
    {0x4038, "CL_DEVICE_BOARD_NAME_AMD", text, 0, amd},
    {0x4034, "CL_DEVICE_PCIE_ID_AMD", hex, 0, amd},
    {0x4037, "CL_DEVICE_TOPOLOGY_AMD", topology, 0, amd},
    {0x410F, "CL_DEVICE_PCI_BUS_INFO_KHR", pci_bus, 0, "cl_khr_pci_bus_info"},
    {0x4008, "CL_DEVICE_PCI_BUS_ID_NV", number, 0, nv},
    {0x4009, "CL_DEVICE_PCI_SLOT_ID_NV", number, 0, nv},
    {0x400A, "CL_DEVICE_PCI_DOMAIN_ID_NV", number, 0, nv},
    {0x102E, "CL_DEVICE_PROFILE", text, always},
    {0x1027, "CL_DEVICE_AVAILABLE", flag, always},
    {0x1028, "CL_DEVICE_COMPILER_AVAILABLE", flag, always},
    {0x103E, "CL_DEVICE_LINKER_AVAILABLE", flag, 120},
    {0x1002, "CL_DEVICE_MAX_COMPUTE_UNITS", number, always},
    {0x40BF, "CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM", hex, 0, "cl_arm_core_id"},
    {0x41E0, "CL_DEVICE_JOB_SLOTS_ARM", hex, 0, "cl_arm_job_slot_selection"},
    {0x4040, "CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD", number, 0, amd},
    {0x4041, "CL_DEVICE_SIMD_WIDTH_AMD", number, 0, amd},
    {0x4042, "CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD", number, 0, amd},
    {0x100C, "CL_DEVICE_MAX_CLOCK_FREQUENCY", number, always},
    {0x40F3, "CL_DEVICE_CORE_TEMPERATURE_ALTERA", number, 0, "cl_altera_device_temperature"},
    {0x404A, "CL_DEVICE_GFXIP_MAJOR_AMD", number, 0, amd},
    {0x404B, "CL_DEVICE_GFXIP_MINOR_AMD", number, 0, amd},
    {0x4000, "CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV", number, 0, nv},
    {0x4001, "CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV", number, 0, nv},
    {0x4250, "CL_DEVICE_IP_VERSION_INTEL", hex, 0, intel},
    {0x4251, "CL_DEVICE_ID_INTEL", hex, 0, intel},
    {0x4252, "CL_DEVICE_NUM_SLICES_INTEL", number, 0, intel},
    {0x4253, "CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL", number, 0, intel},
    {0x4254, "CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL", number, 0, intel},
    {0x4255, "CL_DEVICE_NUM_THREADS_PER_EU_INTEL", number, 0, intel},
    {0x4256, "CL_DEVICE_FEATURE_CAPABILITIES_INTEL", bits, 0, intel, intel_features},
    {0x41E4, "CL_DEVICE_SCHEDULING_CONTROLS_CAPABILITIES_ARM", bits, 0, scheduling, arm_scheduling},
    {0x41EB, "CL_DEVICE_SUPPORTED_REGISTER_ALLOCATIONS_ARM", words32, 0, scheduling},
    {0x41EA, "CL_DEVICE_MAX_WARP_COUNT_ARM", number, 0, scheduling},
    {0x1043, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES", number, 120},
    {0x1044, "CL_DEVICE_PARTITION_PROPERTIES", choices, 120, {}, partitions},
    {0x1045, "CL_DEVICE_PARTITION_AFFINITY_DOMAIN", bits, 120, {}, affinities},
    {0x4055, "CL_DEVICE_PARTITION_TYPES_EXT", choices, 0, fission, partitions_ext},
    {0x4056, "CL_DEVICE_AFFINITY_DOMAINS_EXT", choices, 0, fission, affinities_ext},
    {0x1003, "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS", number, always},
    {0x1005, "CL_DEVICE_MAX_WORK_ITEM_SIZES", sizes, always},
    {0x1004, "CL_DEVICE_MAX_WORK_GROUP_SIZE", number, always},
    {0x4030, "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD", number, 0, amd},
    {0x4031, "CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD", number, 0, amd},
    {0x1067, "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", number, 300},
    {0x4003, "CL_DEVICE_WARP_SIZE_NV", number, 0, nv},
    {0x4043, "CL_DEVICE_WAVEFRONT_WIDTH_AMD", number, 0, amd},
    {0x105C, "CL_DEVICE_MAX_NUM_SUB_GROUPS", number, 210},
    {0x2035, "CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR", number, 0, "cl_khr_subgroup_named_barrier"},
    {0x4108, "CL_DEVICE_SUB_GROUP_SIZES_INTEL", sizes, 0, "cl_intel_required_subgroup_size"},
    {0x1006, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR", number, always},
    {0x1036, "CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR", number, 110},
    {0x1007, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT", number, always},
    {0x1037, "CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT", number, 110},
    {0x1008, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT", number, always},
    {0x1038, "CL_DEVICE_NATIVE_VECTOR_WIDTH_INT", number, 110},
    {0x1009, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG", number, always},
    {0x1039, "CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG", number, 110},
    {0x1034, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF", number, 110},
    {0x103C, "CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF", number, 110},
    {0x100A, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT", number, always},
    {0x103A, "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT", number, 110},
    {0x100B, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE", number, always},
    {0x103B, "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE", number, 110},
    {0x1033, "CL_DEVICE_HALF_FP_CONFIG", bits, 0, "cl_khr_fp16", floats},
    {0x101B, "CL_DEVICE_SINGLE_FP_CONFIG", bits, always, {}, floats},
    {0x1032, "CL_DEVICE_DOUBLE_FP_CONFIG", bits, 120, "cl_khr_fp64 cl_amd_fp64", floats},
    {0x1073, "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR", bits, 0, dot_product, dot_products},
    {0x4233, "CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT", bits, 0, fp_atomics, float_atomics},
    {0x4231, "CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT", bits, 0, fp_atomics, float_atomics},
    {0x4232, "CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT", bits, 0, fp_atomics, float_atomics},
    {0x100D, "CL_DEVICE_ADDRESS_BITS", number, always},
    {0x1026, "CL_DEVICE_ENDIAN_LITTLE", flag, always},
    {0x101F, "CL_DEVICE_GLOBAL_MEM_SIZE", number, always},
    {0x4039, "CL_DEVICE_GLOBAL_FREE_MEMORY_AMD", sizes, 0, amd},
    {0x4044, "CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD", number, 0, amd},
    {0x4045, "CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD", number, 0, amd},
    {0x4046, "CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD", number, 0, amd},
    {0x1024, "CL_DEVICE_ERROR_CORRECTION_SUPPORT", flag, always},
    {0x1010, "CL_DEVICE_MAX_MEM_ALLOC_SIZE", number, always},
    {0x1035, "CL_DEVICE_HOST_UNIFIED_MEMORY", flag, 110},
    {0x4006, "CL_DEVICE_INTEGRATED_MEMORY_NV", flag, 0, nv},
    {0x1053, "CL_DEVICE_SVM_CAPABILITIES", bits, 200, {}, shared_memories},
    {0x40B6, "CL_DEVICE_SVM_CAPABILITIES_ARM", bits, 0, "cl_arm_shared_virtual_memory", shared_memories},
    {0x4190, "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL", bits, 0, usm, unified_memories},
    {0x4191, "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL", bits, 0, usm, unified_memories},
    {0x4192, "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", bits, 0, usm, unified_memories},
    {0x4193, "CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", bits, 0, usm, unified_memories},
    {0x4194, "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL", bits, 0, usm, unified_memories},
    {0x101A, "CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", number, always},
    {0x1019, "CL_DEVICE_MEM_BASE_ADDR_ALIGN", number, always},
    {0x40A1, "CL_DEVICE_PAGE_SIZE_QCOM", number, 0, qcom},
    {0x40A0, "CL_DEVICE_EXT_MEM_PADDING_IN_BYTES_QCOM", number, 0, qcom},
    {0x1058, "CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT", number, 200},
    {0x1059, "CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT", number, 200},
    {0x105A, "CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT", number, 200},
    {0x1063, "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", bits, 300, {}, atomics},
    {0x1064, "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES", bits, 300, {}, atomics},
    {0x104D, "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE", number, 200},
    {0x1054, "CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE", number, 200},
    {0x101C, "CL_DEVICE_GLOBAL_MEM_CACHE_TYPE", choice, always, {}, caches},
    {0x101E, "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE", number, always},
    {0x101D, "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE", number, always},
    {0x1016, "CL_DEVICE_IMAGE_SUPPORT", flag, always},
    {0x1018, "CL_DEVICE_MAX_SAMPLERS", number, always},
    {0x1040, "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE", number, 120},
    {0x1041, "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", number, 120},
    {0x104B, "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT", number, 200, image_buffers},
    {0x104A, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT", number, 200, image_buffers},
    {0x1012, "CL_DEVICE_IMAGE2D_MAX_HEIGHT", number, always},
    {0x1011, "CL_DEVICE_IMAGE2D_MAX_WIDTH", number, always},
    {0x417F, "CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL", number, 0, yuv},
    {0x417E, "CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL", number, 0, yuv},
    {0x1014, "CL_DEVICE_IMAGE3D_MAX_HEIGHT", number, always},
    {0x1013, "CL_DEVICE_IMAGE3D_MAX_WIDTH", number, always},
    {0x1015, "CL_DEVICE_IMAGE3D_MAX_DEPTH", number, always},
    {0x100E, "CL_DEVICE_MAX_READ_IMAGE_ARGS", number, always},
    {0x100F, "CL_DEVICE_MAX_WRITE_IMAGE_ARGS", number, always},
    {0x104C, "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS", number, 200},
    {0x1071, "CL_DEVICE_PIPE_SUPPORT", flag, 300},
    {0x1055, "CL_DEVICE_MAX_PIPE_ARGS", number, 200},
    {0x1056, "CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS", number, 200},
    {0x1057, "CL_DEVICE_PIPE_MAX_PACKET_SIZE", number, 200},
    {0x1022, "CL_DEVICE_LOCAL_MEM_TYPE", choice, always, {}, local_memories},
    {0x1023, "CL_DEVICE_LOCAL_MEM_SIZE", number, always},
    {0x4047, "CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD", number, 0, amd},
    {0x4048, "CL_DEVICE_LOCAL_MEM_BANKS_AMD", number, 0, amd},
    {0x4002, "CL_DEVICE_REGISTERS_PER_BLOCK_NV", number, 0, nv},
    {0x1021, "CL_DEVICE_MAX_CONSTANT_ARGS", number, always},
    {0x1020, "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE", number, always},
    {0x4033, "CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD", number, 0, amd},
    {0x1069, "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT", flag, 300},
    {0x1017, "CL_DEVICE_MAX_PARAMETER_SIZE", number, always},
    {0x4032, "CL_DEVICE_MAX_ATOMIC_COUNTERS_EXT", number, 0,
     "cl_ext_atomic_counters_64 cl_ext_atomic_counters_32"},
    {0x102A, "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", bits, 200, {}, queues},
    {0x102A, "CL_DEVICE_QUEUE_PROPERTIES", bits, always, {}, queues},
    {0x1070, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", bits, 300, {}, device_queues},
    {0x418B, "CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL", queue_families, 0, "cl_intel_command_queue_families"},
    {0x104E, "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES", bits, 200, {}, queues},
    {0x104F, "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", number, 200},
    {0x1050, "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE", number, 200},
    {0x1051, "CL_DEVICE_MAX_ON_DEVICE_QUEUES", number, 200},
    {0x1052, "CL_DEVICE_MAX_ON_DEVICE_EVENTS", number, 200},
    {0x12A9, "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR", bits, 0, command_buffer, command_buffers},
    {0x12AA, "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR", bits, 0, command_buffer, queues},
    {0x129A, "CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR", bits, 0, command_buffer, queues},
    {0x12AB, "CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR", number, 0, many_devices},
    {0x12AC, "CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR", handles, 0, many_devices},
    {0x12B0, "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR", bits, 0, "cl_khr_command_buffer_mutable_dispatch",
     mutable_dispatches},
    {0x2031, "CL_DEVICE_TERMINATE_CAPABILITY_KHR", bits, 0, "cl_khr_terminate_context", terminations},
    {0x41EE, "CL_DEVICE_CONTROLLED_TERMINATION_CAPABILITIES_ARM", bits, 0,
     "cl_arm_controlled_kernel_termination", arm_terminations},
    {0x1048, "CL_DEVICE_PREFERRED_INTEROP_USER_SYNC", flag, 120},
    {0x4105, "CL_DEVICE_NUM_SIMULTANEOUS_INTEROPS_INTEL", number, 0, sharing},
    {0x4104, "CL_DEVICE_SIMULTANEOUS_INTEROPS_INTEL", words32, 0, sharing},
    {0x204C, "CL_DEVICE_SEMAPHORE_TYPES_KHR", choices, 0, semaphores, semaphore_types},
    {0x204D, "CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR", choices, 0, external_semaphores,
     semaphore_handles},
    {0x204E, "CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", choices, 0, external_semaphores,
     semaphore_handles},
    {0x204F, "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR", choices, 0, external_memory,
     memory_handles},
    {0x1076, "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR", bits, 0, "cl_khr_kernel_clock", kernel_clocks},
    {0x1025, "CL_DEVICE_PROFILING_TIMER_RESOLUTION", number, always},
    {0x4036, "CL_DEVICE_PROFILING_TIMER_OFFSET_AMD", number, 0, amd},
    {0x1029, "CL_DEVICE_EXECUTION_CAPABILITIES", bits, always, {}, executions},
    {0x1065, "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT", flag, 300},
    {0x1068, "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", flag, 300},
    {0x105D, "CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS", flag, 210},
    {0x4049, "CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD", flag, 0, amd},
    {0x404C, "CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD", number, 0, amd},
    {0x404D, "CL_DEVICE_MAX_REAL_TIME_COMPUTE_QUEUES_AMD", number, 0, amd},
    {0x404E, "CL_DEVICE_MAX_REAL_TIME_COMPUTE_UNITS_AMD", number, 0, amd},
    {0x4005, "CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV", flag, 0, nv},
    {0x4004, "CL_DEVICE_GPU_OVERLAP_NV", flag, 0, nv},
    {0x4007, "CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV", number, 0, nv},
    {0x4088, "CL_DEVICE_NUM_P2P_DEVICES_AMD", number, 0, "cl_amd_copy_buffer_p2p"},
    {0x4089, "CL_DEVICE_P2P_DEVICES_AMD", handles, 0, "cl_amd_copy_buffer_p2p"},
    {0x105B, "CL_DEVICE_IL_VERSION", words, 210, "cl_khr_il_program"},
    {0x1061, "CL_DEVICE_ILS_WITH_VERSION", named_versions, 300, versions},
    {0x40E0, "CL_DEVICE_SPIR_VERSIONS", words, 0, "cl_khr_spir"},
    {0x1049, "CL_DEVICE_PRINTF_BUFFER_SIZE", number, 120},
    {0x103F, "CL_DEVICE_BUILT_IN_KERNELS", semicolons, 120},
    {0x1062, "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION", named_versions, 300, versions},
    {0x407E, "CL_DEVICE_ME_VERSION_INTEL", number, 0, "cl_intel_advanced_motion_estimation"},
    {0x410B, "CL_DEVICE_AVC_ME_VERSION_INTEL", number, 0, avc_estimation},
    {0x410C, "CL_DEVICE_AVC_ME_SUPPORTS_TEXTURE_SAMPLER_USE_INTEL", flag, 0, avc_estimation},
    {0x410D, "CL_DEVICE_AVC_ME_SUPPORTS_PREEMPTION_INTEL", flag, 0, avc_estimation},
    {0x1030, "CL_DEVICE_EXTENSIONS", words, always},
    {0x1060, "CL_DEVICE_EXTENSIONS_WITH_VERSION", named_versions, 300, versions},
};

}  // namespace

std::span<const property_row> platform_rows() { return of_platforms; }
std::span<const property_row> device_rows() { return of_devices; }

}  // namespace clwave::tool
