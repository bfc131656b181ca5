// THE TABLE: one profile per architecture, newest first inside each family, the evidence beside the numbers.
#include <algorithm>
#include <array>

#include <clwave/profile.hpp>

namespace clwave {
namespace {

// The rule behind every number nobody measured (Little's law): memory is kept busy when the bytes in
// flight on one compute unit,
//     group_size x groups_per_unit x items x vector_bytes,
// are at least its share of bandwidth x latency. The hungriest units known to the table take about
// 40 bytes a nanosecond (4.8 TB/s over 132 of them) and a loaded memory is taken to answer within 1000 ns:
// 40 KB. Groups also wait and fold while they are not loading, so a profile asks for three times that:
// 256 x 4 x 8 x 16 = 128 KiB. Slower units need less and lose nothing by the surplus as long as
// registers last: 8 loads of 16 bytes are 32 registers a work-item, which every profile's device has.
constexpr std::string_view not_measured = "not measured: derived from bytes in flight";

constexpr tuning gpu_default = {.group_size = 256, .items = 8, .groups_per_unit = 4, .vector_bytes = 16};

// Not measured: 4 packets an item are a tile of 16 KiB, whose profiles have 256 bytes where elements have 4;
// two of them fit every profile's local memory, for squares in place.
constexpr tuning gpu_transpose = {.group_size = 256, .items = 4, .groups_per_unit = 4, .vector_bytes = 16};

// Not measured: as many bytes in flight.
constexpr tuning gpu_layout = {.group_size = 256, .items = 4, .groups_per_unit = 4, .vector_bytes = 16};

constexpr std::string_view not_measured_gemm = "not measured: derived from registers and local memory";

// Tiles of matrix products. A work-item's 8 x 8 block takes a multiply-add for each quarter of a load from
// local memory; groups of 256 hide its latency. Smaller tiles are for products with few large ones, and the
// last two for thin matrices, where most of a square tile would lie beyond C. `speed` is a guess until
// measured.
constexpr gemm_tile gpu_gemm_f32[] = {
    {.m = 128, .n = 128, .k = 8, .item_m = 8, .item_n = 8, .speed = 1},
    {.m = 64, .n = 64, .k = 16, .item_m = 8, .item_n = 4, .speed = 0.75},
    {.m = 32, .n = 32, .k = 16, .item_m = 4, .item_n = 4, .speed = 0.4},
    {.m = 128, .n = 8, .k = 16, .item_m = 4, .item_n = 4, .speed = 0.3},
    {.m = 8, .n = 128, .k = 16, .item_m = 4, .item_n = 4, .speed = 0.3},
};
constexpr gemm_tile gpu_gemm_f64[] = {
    {.m = 64, .n = 64, .k = 8, .item_m = 4, .item_n = 4, .speed = 1},
    {.m = 32, .n = 32, .k = 8, .item_m = 4, .item_n = 4, .speed = 0.7},
    {.m = 128, .n = 8, .k = 8, .item_m = 4, .item_n = 4, .speed = 0.3},
    {.m = 8, .n = 128, .k = 8, .item_m = 4, .item_n = 4, .speed = 0.3},
};
constexpr gemm_tuning gpu_gemm = {.f32 = gpu_gemm_f32, .f64 = gpu_gemm_f64, .evidence = not_measured_gemm};

// Two wide registers of profiles; as many columns as leave registers for the operands: 12 of 32, on
// processors with 16 registers 6 (lib/primitives/gemm_shape.cpp adapts both to the device's own width).
constexpr gemm_tile cpu_gemm_f32[] = {{.m = 128, .n = 192, .k = 256, .item_m = 32, .item_n = 12}};
constexpr gemm_tile cpu_gemm_f64[] = {{.m = 128, .n = 96, .k = 128, .item_m = 16, .item_n = 12}};
constexpr gemm_tuning cpu_gemm = {.f32 = cpu_gemm_f32, .f64 = cpu_gemm_f64, .evidence = not_measured_gemm};

// NVIDIA's matrix instructions, from SM 80 on; doubles where the chip has units for them.
constexpr gemm_tile mma_gemm_f16[] = {
    {.m = 128, .n = 128, .k = 32, .item_m = 64, .item_n = 64, .speed = 1, .stages = 3},
    {.m = 64, .n = 64, .k = 32, .item_m = 32, .item_n = 32, .speed = 0.7, .stages = 3},
};
constexpr gemm_tile mma_gemm_f64[] = {
    {.m = 128, .n = 64, .k = 8, .item_m = 64, .item_n = 32, .speed = 1, .stages = 4},
    {.m = 64, .n = 64, .k = 8, .item_m = 32, .item_n = 32, .speed = 0.9, .stages = 4},
};
constexpr gemm_tile mma_gemm_tf32[] = {
    {.m = 128, .n = 128, .k = 16, .item_m = 64, .item_n = 64, .speed = 1, .stages = 3},
    {.m = 64, .n = 64, .k = 16, .item_m = 32, .item_n = 32, .speed = 0.6, .stages = 3},
};
constexpr gemm_tuning mma_gemm = {.f32 = gpu_gemm_f32,
                                  .f64 = gpu_gemm_f64,
                                  .unit = matrix_unit::mma_sync,
                                  .matrix_f16 = mma_gemm_f16,
                                  .matrix_bf16 = mma_gemm_f16,
                                  .matrix_tf32 = mma_gemm_tf32,
                                  .evidence = not_measured_gemm};
constexpr gemm_tuning mma_gemm_with_f64 = {.f32 = gpu_gemm_f32,
                                           .f64 = gpu_gemm_f64,
                                           .unit = matrix_unit::mma_sync,
                                           .matrix_f16 = mma_gemm_f16,
                                           .matrix_bf16 = mma_gemm_f16,
                                           .matrix_f64 = mma_gemm_f64,
                                           .matrix_tf32 = mma_gemm_tf32,
                                           .evidence = not_measured_gemm};

// NVIDIA H200, 580.159, 2026-11, profile-major products of 4096 (8192), TFLOP/s, cuBLAS in brackets: 51.1
// (50.6). f32, tiles m x n x k, items, stages, where k is a multiple of the tile's:
//   128 x 64 x 16, 8 x 8, 3    48.9 (49.9)
//   128 x 128 x 8, 8 x 16, 2   46.8 (47.1)
//   128 x 128 x 16, 8 x 8, 2   46.5 (47.2), with 128 registers
//   128 x 256 x 8, 8 x 16, 2   44.5 (44.8)
// and with the code for a short step: the first 46.2 (47.9), with 4 stages 46.3 (48.1); 64 x 64 x 16, 4 x 8,
// 2: 39.7 (40.8).
constexpr gemm_tile hopper_gemm_f32[] = {
    {.m = 128, .n = 64, .k = 16, .item_m = 8, .item_n = 8, .speed = 1, .stages = 3},
    {.m = 64, .n = 64, .k = 16, .item_m = 4, .item_n = 8, .speed = 0.85},
    {.m = 32, .n = 32, .k = 16, .item_m = 4, .item_n = 4, .speed = 0.5},
    // 16384 x 8 x 1024: 29.0 us; 128 x 8 x 16 with 2, 3, 4 stages 52.4, 32.5, 30.5 us.
    {.m = 64, .n = 8, .k = 32, .item_m = 4, .item_n = 4, .speed = 0.25, .stages = 3},
    {.m = 8, .n = 64, .k = 32, .item_m = 4, .item_n = 4, .speed = 0.25, .stages = 3},
};
// f16, cuBLAS 752 (755); 128 x 128 x 32, 64 x 64, 3: 396 (412); sets of 64 x 32 326 (355); 64 x 64 x 64,
// 32 x 32, 3: 308 (316), and 14.6 us at 1024 where the first takes 21.7.
constexpr gemm_tile hopper_gemm_f16[] = {
    {.m = 128, .n = 128, .k = 32, .item_m = 64, .item_n = 64, .speed = 1, .stages = 3},
    {.m = 64, .n = 64, .k = 64, .item_m = 32, .item_n = 32, .speed = 0.77, .stages = 3},
};
// f64 with operands loaded ahead, long runs of 4096 (8192), 1024, cuBLAS 54.1 (57.5), 49.1: tiles, items,
// stages
//   64 x 64 x 16, 32 x 32, 3    52.8 (48.4), 48.0; 4 stages 49.5 (46.9), 168 registers 50.1 (47.9)
//   128 x 64 x 16, 32 x 32, 3   48.3 (51.2), 43.3; more local memory than the driver reports
//   128 x 64 x 8, 64 x 32, 4    46.0 (45.6), 30.9; not ahead 44.0 (46.8), 34.1
// By instructions of 16 steps instead of 8 the first has 43.5 (42.0). tools/results/h200-gemm-f64.txt.
constexpr gemm_tile hopper_gemm_f64[] = {
    {.m = 64, .n = 64, .k = 16, .item_m = 32, .item_n = 32, .speed = 1, .stages = 3},
};
// tf32, cuBLAS 391 (324); 128 x 128 x 16, 64 x 64, 3: 156 (163); 64 x 64 x 32, 32 x 32, 3: 122 (118).
constexpr gemm_tile hopper_gemm_tf32[] = {
    {.m = 128, .n = 128, .k = 16, .item_m = 64, .item_n = 64, .speed = 1, .stages = 3},
    {.m = 64, .n = 64, .k = 32, .item_m = 32, .item_n = 32, .speed = 0.75, .stages = 3},
};
// Wide instructions: as many groups as there are units, so that a tile's time is its size by its speed.
// NVIDIA H100, 580.159.04, 2026-11-27, TFLOP/s of f16 with profile-major squares of 2048, 3072, 4096, 8192
// (cuBLAS 685, 717, 744, 741), tiles m x n with stages: 256 x 128, 4 649, 550, 725, 744; 256 x 192, 3 500,
// 570, 683, 751; 192 x 192, 4 493, 714, 643, 723; 192 x 128, 5 410, 690, 646, 736; 128 x 256, 4 646, 549,
// 718, 738; 128 x 192, 5 468, 691, 653, 725; 128 x 128, 6 611, 619, 673, 689; 96 x 192, 5 372, 468, 419, 363;
// 256 x 64, 5 431, 432, 528, 497; 128 x 64, 8 373, 418, 435, 442. tools/results/h100-gemm.txt.
constexpr gemm_tile hopper_gemm_wide_16[] = {
    {.m = 256, .n = 192, .k = 64, .item_m = 128, .item_n = 64, .speed = 1.04, .stages = 3},
    {.m = 192, .n = 192, .k = 64, .item_m = 192, .item_n = 64, .speed = 0.98, .stages = 4},
    {.m = 256, .n = 128, .k = 64, .item_m = 256, .item_n = 64, .speed = 1, .stages = 4},
    {.m = 192, .n = 128, .k = 64, .item_m = 192, .item_n = 64, .speed = 0.94, .stages = 5},
    {.m = 96, .n = 192, .k = 64, .item_m = 96, .item_n = 64, .speed = 0.8, .stages = 5},
    {.m = 128, .n = 128, .k = 64, .item_m = 128, .item_n = 64, .speed = 0.93, .stages = 6},
    {.m = 128, .n = 64, .k = 64, .item_m = 128, .item_n = 64, .speed = 0.6, .stages = 8},
};
// Each line of a box that does not begin at a multiple of 128 bytes takes two requests of the copy engine,
// which then is the bound: the larger the tile, the better. At 4096 with lines of 4104 elements (cuBLAS 694),
// in the order above: 478, 570, 493, 402, 496, 420, 385, 318, 301, 252.
constexpr gemm_tile hopper_gemm_wide_16_uneven[] = {
    {.m = 256, .n = 192, .k = 64, .item_m = 128, .item_n = 64, .speed = 1, .stages = 3},
    {.m = 192, .n = 192, .k = 64, .item_m = 192, .item_n = 64, .speed = 0.86, .stages = 4},
    {.m = 256, .n = 128, .k = 64, .item_m = 256, .item_n = 64, .speed = 0.75, .stages = 4},
    {.m = 192, .n = 128, .k = 64, .item_m = 192, .item_n = 64, .speed = 0.7, .stages = 5},
    {.m = 128, .n = 128, .k = 64, .item_m = 128, .item_n = 64, .speed = 0.6, .stages = 6},
    {.m = 128, .n = 64, .k = 64, .item_m = 128, .item_n = 64, .speed = 0.4, .stages = 8},
};
// Squares of 4096 with both operands along k (cuBLAS 398): 256 x 128, 4 390; 192 x 128, 5 330; 128 x 128, 6
// 334; 256 x 192, 3 367; 128 x 256, 4 390.
constexpr gemm_tile hopper_gemm_wide_tf32[] = {
    {.m = 256, .n = 128, .k = 32, .item_m = 256, .item_n = 64, .speed = 1, .stages = 4},
    {.m = 128, .n = 128, .k = 32, .item_m = 128, .item_n = 64, .speed = 0.9, .stages = 6},
    {.m = 128, .n = 64, .k = 32, .item_m = 128, .item_n = 64, .speed = 0.6, .stages = 8},
};
// The same where one operand comes from registers, as the profiles of the instruction, which here are n
// whichever it is (cuBLAS 390): 370, 315, 285, 228, 160.
constexpr gemm_tile hopper_gemm_wide_tf32_turned[] = {
    {.m = 256, .n = 128, .k = 32, .item_m = 256, .item_n = 64, .speed = 1, .stages = 4},
    {.m = 128, .n = 128, .k = 32, .item_m = 128, .item_n = 64, .speed = 0.8, .stages = 6},
    {.m = 128, .n = 64, .k = 32, .item_m = 128, .item_n = 64, .speed = 0.6, .stages = 8},
};
constexpr gemm_tuning hopper_gemm = {
    .f32 = hopper_gemm_f32,
    .f64 = gpu_gemm_f64,
    .unit = matrix_unit::mma_sync,
    .matrix_f16 = hopper_gemm_f16,
    .matrix_bf16 = hopper_gemm_f16,
    .matrix_f64 = hopper_gemm_f64,
    .matrix_tf32 = hopper_gemm_tf32,
    .wide_unit = matrix_unit::wgmma,
    .wide_16 = hopper_gemm_wide_16,
    .wide_16_uneven = hopper_gemm_wide_16_uneven,
    .wide_tf32 = hopper_gemm_wide_tf32,
    .wide_tf32_turned = hopper_gemm_wide_tf32_turned,
    .thin = 16,
    .evidence = "NVIDIA H200, 580.159, 2026-11: batches of variants, in the comments"};

// AMD's: a wave of 64 computes 64 x 64, one of 32 half of that. gfx908's instructions for bfloat16 take other
// operands.
constexpr gemm_tile mfma_gemm_f16[] = {
    {.m = 128, .n = 128, .k = 32, .item_m = 64, .item_n = 64, .speed = 1},
    {.m = 64, .n = 64, .k = 32, .item_m = 32, .item_n = 32, .speed = 0.6},
};
constexpr gemm_tile mfma_gemm_f64[] = {
    {.m = 64, .n = 64, .k = 16, .item_m = 32, .item_n = 32, .speed = 1},
};
constexpr gemm_tile wmma_gemm_f16[] = {
    {.m = 128, .n = 128, .k = 32, .item_m = 64, .item_n = 32, .speed = 1},
    {.m = 64, .n = 64, .k = 32, .item_m = 32, .item_n = 32, .speed = 0.6},
};
constexpr gemm_tuning mfma_gemm = {.f32 = gpu_gemm_f32,
                                   .f64 = gpu_gemm_f64,
                                   .unit = matrix_unit::mfma,
                                   .matrix_f16 = mfma_gemm_f16,
                                   .evidence = not_measured_gemm};
constexpr gemm_tuning mfma_gemm_with_f64 = {.f32 = gpu_gemm_f32,
                                            .f64 = gpu_gemm_f64,
                                            .unit = matrix_unit::mfma,
                                            .matrix_f16 = mfma_gemm_f16,
                                            .matrix_bf16 = mfma_gemm_f16,
                                            .matrix_f64 = mfma_gemm_f64,
                                            .evidence = not_measured_gemm};
constexpr gemm_tuning wmma_gemm = {.f32 = gpu_gemm_f32,
                                   .f64 = gpu_gemm_f64,
                                   .unit = matrix_unit::wmma,
                                   .matrix_f16 = wmma_gemm_f16,
                                   .matrix_bf16 = wmma_gemm_f16,
                                   .evidence = not_measured_gemm};
constexpr gemm_tuning wmma_12_gemm = {.f32 = gpu_gemm_f32,
                                      .f64 = gpu_gemm_f64,
                                      .unit = matrix_unit::wmma_12,
                                      .matrix_f16 = wmma_gemm_f16,
                                      .matrix_bf16 = wmma_gemm_f16,
                                      .evidence = not_measured_gemm};

// What the profiles of a family have in common. A profile says what it is called, what it is from, and what
// is different.
constexpr profile row_of(device_family family, unsigned lanes, lane_exchange exchange, group_order order) {
  return {.name = {},
          .title = {},
          .family = family,
          .lanes = lanes,
          .exchange = exchange,
          .order = order,
          .reduce = gpu_default,
          .copy = gpu_default,
          .evidence = not_measured};
}

struct sibling {
  std::string_view name, title;
  unsigned since = 0;
  const gemm_tuning* gemm = nullptr;
};

constexpr profile of(profile p, const sibling& own) {
  p.name = own.name;
  p.title = own.title;
  p.since = own.since;
  p.gemm = own.gemm;
  return p;
}

// NVIDIA. Shuffles name their participants from Volta on, where lanes are scheduled one by one.
// The driver says that compiled kernels take no more than 256 work-items.
constexpr profile nvidia(lane_exchange exchange) {
  profile p = row_of(device_family::nvidia, 32, exchange, group_order::ptx_fence);
  p.scan.group_size = 256;
  return p;
}
constexpr profile volta = nvidia(lane_exchange::shuffle_sync);
constexpr profile kepler = nvidia(lane_exchange::shuffle);
constexpr profile fermi = nvidia(lane_exchange::local_memory);  // no shuffle yet

// NVIDIA H200, 580.159, 2026-11, sums of 2^28 floats (halves, bytes of 2^30, doubles; argmax of floats),
// GB/s, in one run: the profile 4553 (4354, 4394, 4565; 4312); 64 registers and 4 groups a unit, which
// spills, 3818 (3826, 3481, 4586; 2829); 128 and 2 groups 4532 (4357, 4410, 4604; 4171). Dot: 4259 with 4
// packets of each in flight, 4215 with 8, 2 groups and no limit.
constexpr profile hopper = {
    .name = "sm_90",
    .title = "NVIDIA Hopper",
    .family = device_family::nvidia,
    .since = 90,
    .lanes = 32,
    .exchange = lane_exchange::shuffle_sync,
    .order = group_order::ptx_fence,
    // H200, driver 580.159: kernels compiled for groups of 512 run in such, though it says 256 of them.
    .groups_as_compiled = true,
    .reduce = {.group_size = 256, .items = 8, .groups_per_unit = 3, .vector_bytes = 16, .registers = 80},
    // us at 2^28 and 2^20 floats, inclusive, CUB 680 and 9.6: all 16 runs of a work-item in registers, 2
    // groups a unit, 666 and 8.1; 80 registers, 3 groups, with 3, 4 and 6 runs in local memory 643, 621 and
    // 618, and 8.7, 8.4 and 7.9; 64 registers and 4 groups, with 6 and 7 runs there, 631 and 665, 8.9
    // and 10.0. First look after 2000, 1000, 500 and 300 ns, with 4: 625, 624, 621 and 619; 8.6, 8.4, 8.4
    // and 8.3.
    // Doubles, H100, 2026-11-27, us at 2^26, inclusive and exclusive (CUB 418 and 402): 256 work-items, 2
    // runs in local memory, 415 and 413, 80 registers 606 and 464; 128 work-items, 5 runs there, 128
    // registers, 4 groups a unit, 388 and 389; 4 runs 396 and 399; 120 and 96 registers 412 and 590; 160
    // registers 397 and 393; no limit 398 and 396.
    .scan = {.group_size = 256, .registers = 80, .kept = 6, .registers_of_8 = 128, .kept_of_8 = 5},
    // us at 2^28 floats of which 5, 50 and 95 % are kept, in one run (CUB 531 and 598): 128 of 32 elements
    // 491 and 622; 256 of 32 490, 628 and 749; 192 of 32 491, 624 and 744; 256 of 16 645 and 788; 64 of 64
    // 476 and 616; 128 of 64 433, 582 and 717.
    .select = {.group_size = 128, .items = 64},
    // H200, 580.159, 2026-11-24, ms at 2^28 i32, f32 and f64, and pairs of i32 (CUB 5.33, 5.67, 16.5
    // and 7.53): 80 registers and 24 keys a work-item 5.46, 5.64, -, 8.27; 26 5.38, 5.51, -, 7.98;
    // 28 5.25, 5.43, -, 7.78; 29, which is what 48 KiB hold, 5.14, 5.38, -, 7.69; 72 registers and
    // 28 5.23, 5.52. Of f64, of which 48 KiB hold 15 a work-item, 56, 64, 72 and 80
    // registers 15.9, 15.8, 16.9 and 16.6. Pairs with 96 to 128 registers and 28 7.89. 384 work-items with
    // 15 6.89, 7.27, 16.6, 9.63.
    .sort = {.group_size = 256,
             .items = 29,
             .small_group_size = 256,
             .small_items = 24,
             .ranked_keys = 8192,
             .registers = 80,
             .registers_of_8 = 64},
    // H200, 2026-11-25, us at 2^26 elements of i32, f64 and i32 with i32 (CUB 173, 322 and 418), unions of
    // i32 and merge sorts: 19 an item 197, 358, 323, 358 and 3297; 23 187, 339, 320, 344 and 3173; 27 207,
    // 341, 345, 324 and 3416; 31 200, 328, 383, 331 and 3365. With 23 and no limit of registers pairs and
    // unions 424 and 463, with 80 350 and 371; on an H100 with 48 540 and 433. Segments, 2^20 of 16 and of
    // 64, 16 of 2^22 and a power law (CUB 102, 600, 18069, 18838): groups of 128, 4 a unit 105, 392, 5782 and
    // 5820; 8 110, 386, 5796 and 5179; groups of 256, 2 a unit 98, 389, 5561 and 5669. On an H100 8 and 32 an
    // item in place of 16 148 and 134, 546 and 444. Of keys alone, merged with ids kept, 2026-11-26, i32 and
    // f64: 21 and 15 an item 174 and 313 (CUB 172 and 320), 23 188, 19 180, 17 and 11 187 and 323; groups of
    // 128 and 21 184. Tiles brought by copies that run on while another is merged: 193 and 374. Sorts by an
    // operator of 2^12, 2^16 and 2^20 keys (CUB 11.2, 38.7 and 90.9): groups of 256 and 23 an item, a launch
    // of searches before each pass, 18.2, 55.2 and 112.7; of 512 and 11 14.3, 50.6 and 113.9; without these
    // launches 14.2, 42.0 and 101.4; of 512 and 7 16.4, 42.2 and 135.9; of 1024 and 5 14.0, 42.8 and 114.5;
    // of 512 and 11, 9 and 8 in another run 14.1, 41.1 and 100.8, 13.8, 39.6 and 100.5, 13.0, 38.0 and 100.8.
    .merge = {.group_size = 256,
              .items = 23,
              .items_of_8 = 15,
              .items_of_keys_alone = 21,
              .few_group_size = 512,
              .few_items = 8,
              .registers = 64,
              .segment_group_size = 256,
              .segment_groups_per_unit = 2},
    // GB/s of `clwave bench` with 8, 4, 2 and 1 packets an item: copy of 2^28 floats 4074, 4112, 4139 and
    // 4293 (clEnqueueCopyBuffer 4220 to 4257); fill 4534, 4586, 4603 and 3434; u8 to f32 3878, 3964, 4024 and
    // 3929.
    .copy = {.group_size = 256, .items = 1, .groups_per_unit = 4, .vector_bytes = 16},
    .fill = tuning{.group_size = 256, .items = 2, .groups_per_unit = 4, .vector_bytes = 16},
    // GB/s at 16384 x 16384 with elements of 1, 2, 4, 8 and 16 bytes against a copy's 4220: 3797, 3972, 4113,
    // 4022 and 4091. Of floats: groups of 128 and tiles of 32x64 4023; tiles of 32x32 3922; of 64x128 with
    // groups of 512 4112. Loads past the first-level cache (nc, no_allocate) 4017; streaming stores 4098; a
    // limit of 64 registers, when the kernel took 80, 3824.
    .transpose = tuning{.group_size = 256, .items = 4, .groups_per_unit = 4, .vector_bytes = 16},
    // GB/s apart and together with structures of 3 floats, of 7, and of 7 fields in 32 bytes, a copy 4257:
    // 4158 and 4175, 4071 and 4132, 4167 and 4083. Groups of 256 with as many bytes 4199 and 4242, 4109 and
    // 4191, 4169 and 3451; with twice as many 4123 and 4165, 4043 and 4121, 4159 and 4034.
    .layout = tuning{.group_size = 128, .items = 4, .groups_per_unit = 4, .vector_bytes = 16},
    // GB/s with 1, 2, 4 and 8 packets, 16384 by 16384 floats: a value a profile 3938, 4127, 4145 and 4141; a
    // value a column 3966, 4273, 4242 and 4244. Transform of one input: 4281, 4123, 4073 and 4078.
    .broadcast = tuning{.group_size = 256, .items = 2, .groups_per_unit = 4, .vector_bytes = 16},
    // H200s differ: on some, units or their ways to memory are not alike. Sum of f32, of CUB's speed, by
    // groups a unit, on two of those (36 and 64 were run on the second):
    //             3      6      12     15     24     36     48     64
    //   2^26   0.99   0.99   0.99   1.01   1.02   0.99   0.97   0.93
    //   2^28   0.965  0.956  0.962  0.975  0.994  1.005  1.003  1.003
    //   2^30   0.966  0.964  0.966  0.984  0.982  0.999  1.009  1.012
    // On others 3 are as fast as CUB, too (1.00, 1.00); 62 of them at 2^28 and 64 at 2^30 then go as fast as
    // the freest order does, 15 at 2^26 1.5 % slower: rounds are for more than that.
    .groups_in_rounds = 64,
    .evidence =
        "NVIDIA H200, 580.159, 2026-11: `clwave bench` of reduce and copy, tools/results/h200-bench.txt",
    .gemm = &hopper_gemm,
    // What only sm_90a has; a group has up to 227 KiB there, where the driver speaks of 48.
    .beyond = {.compiled_for = "sm_90", .target = "sm_90a", .local_memory = 227 << 10}};

// AMD.
constexpr profile amd(unsigned lanes, lane_exchange exchange, bool staging) {
  profile p = row_of(device_family::amd, lanes, exchange, group_order::amd_fence);
  p.local_staging_for_broadcast = staging;
  return p;
}
constexpr profile rdna = amd(32, lane_exchange::dpp_permlanex16, false);
constexpr profile rdna_wave64 = amd(64, lane_exchange::dpp_permlanex16, false);
constexpr profile cdna = amd(64, lane_exchange::dpp_row_bcast, true);
constexpr profile gcn2 = amd(64, lane_exchange::swizzle, true);
constexpr profile gcn1 = amd(64, lane_exchange::swizzle, false);

// Intel. All of these run sub-groups of 16, and kernels can ask for that.
constexpr profile intel =
    row_of(device_family::intel, 16, lane_exchange::sub_group, group_order::opencl_atomics);

// Any other device.
constexpr profile sub_groups(unsigned lanes) {
  return row_of(device_family::generic, lanes, lane_exchange::sub_group, group_order::opencl_atomics);
}
constexpr profile any_gpu =
    row_of(device_family::generic, 32, lane_exchange::local_memory, group_order::opencl_atomics);

// A work-item is a group of its own and takes a contiguous chunk in wide registers: 4 of them at a time.
// GPU-style code ran 10 to 100 times slower there.
// PoCL 3.1 on 2 cores, sum of 10^8 floats: 0.95 of OpenMP's loop where 8 KiB ahead are fetched, 0.93 with 4
// KiB, 0.89 with nothing.
constexpr profile cpu = {
    .name = "cpu",
    .title = "any CPU",
    .family = device_family::cpu,
    .since = 0,
    .lanes = 1,
    .exchange = lane_exchange::none,
    .order = group_order::opencl_atomics,
    .reduce = {.group_size = 1, .items = 4, .groups_per_unit = 4, .vector_bytes = 64},
    // PoCL 3.1, 2 cores of a Xeon with AVX-512, 2026-11, sums of 10^8 floats, ms, the median (and the
    // slowest) of 7 processes in turn: 8192: 16.5 (18.8), 7168: 16.0 (16.8), 6144: 16.5 (17.1), 2048: 16.4
    // (17.1). What is a multiple of 4096 away is taken for what was stored last, by the bits of an address
    // that a core compares first.
    .fold = {.fetched_ahead = 7168, .block = 128},
    // Drivers hand a core many neighbouring groups at a time. Bytes fetched ahead: scan_wide.cl.
    .scan = {.group_size = 1,
             .looks = 20000,
             .first_pause = 0,
             .next_pause = 0,
             .fetched_ahead = 4096,
             .in_order_of_start = true},
    .histogram = {.group_size = 1, .groups_per_unit = 1},
    .top_k = {.group_size = 1, .groups_per_unit = 1},
    .copy = {.group_size = 1, .items = 4, .groups_per_unit = 4, .vector_bytes = 64},
    // PoCL 3.1, 2 cores, GB/s at 4096 x 4096 floats (4096 x 4112), copy 30: tiles of 8 lines 33 (52), of 4
    // lines 22 (40); without streaming stores 24 (28).
    .transpose = tuning{.group_size = 1, .items = 8, .groups_per_unit = 4, .vector_bytes = 64},
    .layout = tuning{.group_size = 1, .items = 64, .groups_per_unit = 4, .vector_bytes = 64},
    .evidence =
        "PoCL 3.1 on 2 cores with AVX-512, 2026-11: prototypes, contiguous chunks, 4 accumulators "
        "of float16 and a few work-items per core were fastest"};

constexpr auto profile_rows = std::to_array<profile>({
    of(volta,
       {.name = "sm_120", .title = "NVIDIA Blackwell (GeForce, RTX PRO)", .since = 120, .gemm = &mma_gemm}),
    of(volta, {.name = "sm_100",
               .title = "NVIDIA Blackwell (data centre)",
               .since = 100,
               .gemm = &mma_gemm_with_f64}),
    hopper,
    of(volta, {.name = "sm_89", .title = "NVIDIA Ada", .since = 89, .gemm = &mma_gemm}),
    of(volta, {.name = "sm_86", .title = "NVIDIA Ampere (GeForce, RTX)", .since = 86, .gemm = &mma_gemm}),
    of(volta,
       {.name = "sm_80", .title = "NVIDIA Ampere (data centre)", .since = 80, .gemm = &mma_gemm_with_f64}),
    of(volta, {.name = "sm_75", .title = "NVIDIA Turing", .since = 75}),
    of(volta, {.name = "sm_70", .title = "NVIDIA Volta", .since = 70}),
    of(kepler, {.name = "sm_61", .title = "NVIDIA Pascal (GeForce)", .since = 61}),
    of(kepler, {.name = "sm_60", .title = "NVIDIA Pascal (data centre)", .since = 60}),
    of(kepler, {.name = "sm_50", .title = "NVIDIA Maxwell", .since = 50}),
    of(kepler, {.name = "sm_35", .title = "NVIDIA Kepler", .since = 35}),
    of(kepler, {.name = "sm_30", .title = "NVIDIA Kepler", .since = 30}),
    of(fermi, {.name = "sm_20", .title = "NVIDIA Fermi", .since = 20}),

    // AMD, RDNA: the compiler runs 32 or 64 lanes. A -wave64 profile serves a device whose probe saw 64.
    of(rdna, {.name = "gfx1200", .title = "AMD RDNA4", .since = 0x1200, .gemm = &wmma_12_gemm}),
    of(rdna_wave64, {.name = "gfx1200-wave64", .title = "AMD RDNA4, 64 lanes", .since = 0x1200}),
    of(rdna, {.name = "gfx1100", .title = "AMD RDNA3", .since = 0x1100, .gemm = &wmma_gemm}),
    of(rdna_wave64, {.name = "gfx1100-wave64", .title = "AMD RDNA3, 64 lanes", .since = 0x1100}),
    of(rdna, {.name = "gfx1030", .title = "AMD RDNA2", .since = 0x1030}),
    of(rdna_wave64, {.name = "gfx1030-wave64", .title = "AMD RDNA2, 64 lanes", .since = 0x1030}),
    of(rdna, {.name = "gfx1010", .title = "AMD RDNA1", .since = 0x1010}),
    of(rdna_wave64, {.name = "gfx1010-wave64", .title = "AMD RDNA1, 64 lanes", .since = 0x1010}),

    // AMD, CDNA and GCN. The last number of a family serves from its first sibling on.
    of(cdna, {.name = "gfx950", .title = "AMD CDNA4", .since = 0x950, .gemm = &mfma_gemm_with_f64}),
    of(cdna, {.name = "gfx942", .title = "AMD CDNA3", .since = 0x940, .gemm = &mfma_gemm_with_f64}),
    of(cdna, {.name = "gfx90a", .title = "AMD CDNA2", .since = 0x90a, .gemm = &mfma_gemm_with_f64}),
    of(cdna, {.name = "gfx908", .title = "AMD CDNA1", .since = 0x908, .gemm = &mfma_gemm}),
    of(cdna, {.name = "gfx906", .title = "AMD GCN5 (Vega 20)", .since = 0x906}),
    of(cdna, {.name = "gfx900", .title = "AMD GCN5 (Vega)", .since = 0x900}),
    of(cdna, {.name = "gfx803", .title = "AMD GCN3 and GCN4", .since = 0x801}),
    of(gcn2, {.name = "gfx700", .title = "AMD GCN2", .since = 0x700}),
    of(gcn1, {.name = "gfx600", .title = "AMD GCN1", .since = 0x600}),

    // Intel, by arch << 8 | release.
    of(intel, {.name = "xe2", .title = "Intel Xe2", .since = 20 << 8}),
    of(intel, {.name = "xe-hpc", .title = "Intel Xe-HPC", .since = 12 << 8 | 60}),
    of(intel, {.name = "xe", .title = "Intel Xe", .since = 12 << 8}),
    of(intel, {.name = "gen9", .title = "Intel Gen9", .since = 9 << 8}),

    // Any other device: real sub-groups first, then local memory, then a CPU.
    of(sub_groups(64), {.name = "subgroup-64", .title = "any device with sub-groups of 64"}),
    of(sub_groups(32), {.name = "subgroup-32", .title = "any device with sub-groups of 32"}),
    of(sub_groups(16), {.name = "subgroup-16", .title = "any device with sub-groups of 16"}),
    of(sub_groups(8), {.name = "subgroup-8", .title = "any device with sub-groups of 8"}),
    of(any_gpu, {.name = "gpu", .title = "any GPU, through local memory"}),
    cpu,
});

}  // namespace

std::span<const profile> profiles() { return profile_rows; }

const tuning& transpose_tuning(const profile& p) { return p.transpose ? *p.transpose : gpu_transpose; }

const tuning& layout_tuning(const profile& p) { return p.layout ? *p.layout : gpu_layout; }

const tuning& fill_tuning(const profile& p) { return p.fill ? *p.fill : p.copy; }

const tuning& transform_tuning(const profile& p) { return p.transform ? *p.transform : p.copy; }

const tuning& broadcast_tuning(const profile& p) { return p.broadcast ? *p.broadcast : transform_tuning(p); }

const gemm_tuning& gemm_of(const profile& p) {
  if (p.gemm != nullptr) return *p.gemm;
  return p.exchange == lane_exchange::none ? cpu_gemm : gpu_gemm;
}

const profile* find_profile(std::string_view name) {
  const auto found = std::find_if(profile_rows.begin(), profile_rows.end(),
                                  [&](const profile& p) { return p.name == name; });
  return found == profile_rows.end() ? nullptr : &*found;
}

}  // namespace clwave
