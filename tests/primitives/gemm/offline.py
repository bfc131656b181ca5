"""What the proofs without a device need of gemm (tests/offline/parts.py)."""
from case import Case


def _gemm(kind, name="", *more, core=False):
    return Case(" ".join(("gemm", kind, name)).strip(), ("gemm", "--type", kind, *more), core)


CASES = [
    _gemm("f32", core=True), _gemm("f64", core=True), _gemm("f16", core=True), _gemm("f32", "thin", "--n", "8"),
    _gemm("f32", "transposed", "--transpose-a", "--transpose-b"), _gemm("f32", "in parts", "--m", "64", "--n", "64"),
    _gemm("f16", "transposed", "--transpose-a", "--transpose-b"), _gemm("f16", "odd", "--n", "4095"),
    _gemm("f32", "as tf32", "--allow-tf32"), _gemm("f32", "as tf32 along k", "--allow-tf32", "--transpose-b"), _gemm("bf16"),
    _gemm("bf16", "into f32", "--result", "f32", "--transpose-b", "--beta", "1"),
    _gemm("f32", "as tf32 across k", "--allow-tf32", "--transpose-a"), _gemm("f64", "odd", "--m", "4095"),
    _gemm("f32", "thin transposed", "--n", "8", "--transpose-a"), _gemm("f16", "thin", "--n", "3"),
    _gemm("f16", "of batches", "--m", "512", "--n", "512", "--k", "512", "--batches", "64", "--beta", "1"),
    _gemm("f16", "with uneven lines", "--m", "5000", "--n", "3000", "--k", "1000"),
    _gemm("f16", "cut", "--m", "256", "--n", "256", "--k", "32768"), _gemm("f16", "of same bits", "--same-bits"),
    _gemm("f16", "thin transposed", "--n", "3", "--transpose-a"), _gemm("bf16", "thin", "--n", "3"),
    _gemm("f16", "small", "--m", "512", "--n", "512", "--k", "512"),
    *[Case(f"gemv {kind}{' transposed' * len(more)}", ("gemm", "--type", kind, "--vector", *more), kind == "f32")
      for kind in ("f32", "f16", "f64") for more in ((), ("--transpose-a",))],
]

EXPECT = r"""
# Matrix products: nothing spills; tiles come by loads of 16 bytes and stay fused multiply-adds; matrix instructions
# where the profile says so, and copies that run on.
sm_*              gemm*                         *               spills = 0
sm_*              gemv*                         *               spills = 0
sm_*              gemv*                         *               scratch = 0
sm_*              gemv f32*                     reduce_rows     has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
sm_*              gemv f32*                     reduce_columns  has ld\.global(\.nc)?(\.L1::no_allocate)?\.v4\.
gfx*              gemv f32*                     *               has (load_dwordx4|load_b128)
# On AMD none has private memory, nor holds the operands of more than a few steps of k; floats come by twos where they can.
gfx*              gemm f16*                     *               scratch = 0
gfx*              gemm bf16*                    *               scratch = 0
gfx*              gemm f32*                     *               scratch = 0
gfx*              gemm f64*                     *               scratch = 0
gfx*              gemv*                         *               scratch = 0
gfx[78]*          gemm f??                      gemm_tiles      vgprs <= 128
gfx90[068]        gemm f??                      gemm_tiles      vgprs <= 128
gfx1*             gemm f??                      gemm_tiles      vgprs <= 128
gfx1*             gemm f16 of same bits         gemm_tiles      vgprs <= 128
gfx90a*           gemm f32                      gemm_tiles      times v_pk_fma_f32 256
gfx94*            gemm f32                      gemm_tiles      times v_pk_fma_f32 256
gfx[789]*         gemm f32                      gemm_tiles      has (flat|buffer|global)_load_dwordx4
gfx10*            gemm f32                      gemm_tiles      has global_load_dwordx4
gfx1[12]*         gemm f32                      gemm_tiles      has global_load_b128
gfx[79]*          gemm f32                      gemm_tiles      has v_(fma|fmac|pk_fma)_f32
gfx1*             gemm f32                      gemm_tiles      has v_(dual_)?(fma|fmac)_f32
gfx*              gemm f32                      gemm_tiles      has ds_(read|load)_b(64|96|128)
sm_*              gemm f32                      gemm_tiles      has fma\.rn\.f32
sm_[2-7]*         gemm f32                      gemm_tiles      has ld\.global(\.nc)?\.v4
sm_*              gemm f32                      gemm_tiles      has ld\.shared\.v4
gfx908            gemm f16*                     gemm_matrix     has v_mfma_f32_16x16x16_?f16
gfx9[04]*         gemm f16*                     gemm_matrix     has v_mfma_f32_16x16x16_?f16
gfx9[04]*         gemm f64                      gemm_matrix     has v_mfma_f64_16x16x4_?f64
gfx1100           gemm f16*                     gemm_matrix     has v_wmma_f32_16x16x16_f16
gfx1201           gemm f16*                     gemm_matrix     has v_wmma_f32_16x16x16_f16
gfx9[04]*         gemm bf16*                    gemm_matrix     has v_mfma_f32_16x16x16_?bf16
gfx1100           gemm bf16*                    gemm_matrix     has v_wmma_f32_16x16x16_bf16
gfx1201           gemm bf16*                    gemm_matrix     has v_wmma_f32_16x16x16_bf16
sm_[89]*          gemm bf16*                    gemm_matrix     has mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16
sm_1*             gemm bf16*                    gemm_matrix     has mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16
sm_[89]*          gemm f16*                     gemm_matrix     has mma\.sync\.aligned\.m16n8k16
sm_1*             gemm f16*                     gemm_matrix     has mma\.sync\.aligned\.m16n8k16
sm_[89]*          gemm f16                      gemm_matrix     has cp\.async\.cg
sm_1*             gemm f16                      gemm_matrix     has cp\.async\.cg
sm_[89]*          gemm f16*                     gemm_matrix     has ldmatrix
sm_80             gemm f64                      gemm_matrix     has mma\.sync\.aligned\.m8n8k4
sm_90             gemm f64                      gemm_matrix     has mma\.sync\.aligned\.m16n8k8
sm_90             gemm f32                      gemm_tiles      has cp\.async
sm_90             gemm f32                      gemm_tiles      has cp\.async\.wait_group
sm_90             gemm f32                      gemm_tiles      has cp\.async\.commit_group
sm_[89]*          gemm f16                      gemm_matrix     has cp\.async\.wait_group
# Two before the first step, and one in each.
sm_[89]*          gemm f16                      gemm_matrix     times cp\.async\.commit_group 3
sm_90             gemm f32                      gemm_tiles      vgprs <= 128
sm_8*             gemm f32 as tf32              gemm_matrix     has m16n8k8.*tf32
# Doubles: two steps of 16 in a stage, 8 instructions each, and their operands a step ahead: all copies and instructions of a step are
# one block of code.
sm_90             gemm f64                      gemm_matrix     has cp\.async\.cg
sm_90             gemm f64                      gemm_matrix     times mma\.sync\.aligned\.m16n8k8 16
# A thin C: the long factor comes by 16 bytes, the thin one out of local memory.
sm_90             gemm f32 thin                 gemm_thin       has ld\.global(\.nc)?\.v4
sm_90             gemm f32 thin*                gemm_thin       has ld\.shared\.v4
sm_90             gemm f32 thin*                gemm_thin       vgprs <= 192
# Wide instructions, whose marks are gone in the second build; their operands come by the copy engine, or of floats across k
# from registers. Nothing spills with the registers that so large groups have (above), nor is an instruction waited for.
sm_90             gemm f16                      gemm_wide       has wgmma\.mma_async\.sync\.aligned\.m64n\d+k16\.f32\.f16\.f16 .*, x, y, adds, 1, 1, 0, 1;
sm_90             gemm f16 transposed           gemm_wide       has wgmma\..*, x, y, adds, 1, 1, 1, 0;
sm_90             gemm bf16*                    gemm_wide       has wgmma\.mma_async\.sync\.aligned\.m64n\d+k16\.f32\.bf16\.bf16
sm_90             gemm f32 as tf32              gemm_wide       has wgmma\.mma_async\.sync\.aligned\.m64n\d+k8\.f32\.tf32\.tf32 .*\}, y, adds, 1, 1;
sm_90             gemm f32 as tf32 along k      gemm_wide       has wgmma\.mma_async\.sync\.aligned\.m64n\d+k8\.f32\.tf32\.tf32 .*, x, y, adds, 1, 1;
sm_90             gemm f32 as tf32 across k     gemm_wide       has wgmma\.mma_async\.sync\.aligned\.m64n\d+k8\.f32\.tf32\.tf32 .*\}, y, adds, 1, 1;
sm_90             gemm f32 as tf32 across k     gemm_turn       has bar\.sync
sm_90             gemm*                         gemm_wide       has cp\.async\.bulk\.tensor\.[23]d\.shared
sm_90             gemm f16 of batches           gemm_wide       has cp\.async\.bulk\.tensor\.3d\.shared
sm_90             gemm f16 with uneven lines    gemm_wide       has setmaxnreg\.inc\.sync\.aligned\.u32 160
sm_90             gemm f16 of same bits         gemm_tiles      has fma\.rn\.f32
sm_90             gemm*                         gemm_wide       lacks //@
"""

KNOWN = {
    "gemm": ("gemm,gemm-copies,gemm-matrix,gemm-in-parts", "gemm f??", "gemm"),
    "gemm_blocks": ("gemm,gemm-in-parts", "gemm f32", "gemm"),
    "gemm_matrix": ("gemm-matrix", "gemm f[16][64]", "gemm"),
    "gemm_wide": ("", "gemm f16*,gemm bf16*,gemm f32 as tf32*", ""),
    "target_wide_matrix": ("", "gemm f16*,gemm bf16*,gemm f32 as tf32*", ""),
    "gemm_thin": ("", "gemm f?? thin*", "gemm"),
    "gemm_tiles": ("gemm,gemm-copies,gemm-in-parts", "gemm f32", "gemm"),
    "target_matrix": ("gemm-matrix", "gemm f[16][64]", "gemm"),
    "matrix_results": ("", "gemv f32", "gemv"),
    "memory": ("gemm-copies", "", ""),
}
# The dearest, and no lanes in it: once among the GPUs' profiles will do.
ONCE = {"gemm-in-parts"}
