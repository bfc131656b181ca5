"""The targets code is compiled for without a device, and how."""
import functools
import os
import re
import shutil
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

import gpucode

BITCODE = Path("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
LIBCLC = Path("/usr/lib/clc/nvptx64--nvidiacl.bc")
CUDA = 13  # what is expected of registers and spills is said of this ptxas; an older one spills elsewhere


class CompileError(Exception):
    pass


@dataclass(frozen=True)
class Target:
    name: str       # unique; what `clwave emulate` is asked for, unless `row` says otherwise
    kind: str       # amd, nvidia, spir
    clang: str = "15"
    row: str = ""
    cpu: str = ""   # what clang is told, where that is not the name
    ptxas: bool = False
    core: bool = False  # only the core cases: a sibling of a target that gets them all

    @property
    def architecture(self):
        return self.row or self.name


# FACTS: clang-15 knows AMD up to gfx940 and gfx103x; clang-19 the later ones. clang-15 knows NVIDIA up to
# sm_86, and code for a lower one assembles for a higher; ptxas of CUDA 13 begins at sm_75.
TARGETS = [
    *[Target("gfx" + g, "amd") for g in ("700", "803", "906", "90a", "1030")],
    *[Target("gfx" + g, "amd", core=True) for g in ("900", "908", "940", "1010")],
    Target("gfx1030-wave64", "amd", cpu="gfx1030"),
    *[Target("gfx" + g, "amd", "19") for g in ("942", "1100", "1201")],
    # clang-15 waits for a wave's stores at each barrier of this chip, whatever the source says; later ones do not.
    Target("gfx90a-clang19", "amd", "19", row="gfx90a", cpu="gfx90a", core=True),
    Target("gfx1100-wave64", "amd", "19", cpu="gfx1100", core=True),
    Target("gfx1201-wave64", "amd", "19", row="gfx1200-wave64", cpu="gfx1201", core=True),
    *[Target("sm_" + s, "nvidia", cpu="sm_" + c, ptxas=True, core=core) for s, c, core in (
        ("75", "75", False), ("80", "80", True), ("86", "86", True), ("89", "86", True), ("90", "86", False),
        ("100", "86", True), ("120", "86", False))],
    *[Target("sm_" + s, "nvidia", cpu="sm_" + c, core=True) for s, c in (
        ("70", "70"), ("61", "61"), ("60", "60"), ("50", "50"), ("35", "35"), ("20", "20"))],
    *[Target(f"subgroup-{lanes}", "spir", core=lanes != 16) for lanes in (8, 16, 32, 64)],
    Target("xe2", "spir", core=True),
]


def share(text):
    """(i, n) of "i/n": the i-th of n shares, from 1 on."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found.group(1)) <= int(found.group(2)):
        raise ValueError(f"no share: {text}")
    return int(found.group(1)), int(found.group(2))


def run(command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise CompileError("\n".join([" ".join(str(c) for c in command), *(done.stdout + done.stderr).splitlines()[:12]]))
    return done.stdout + done.stderr


@functools.cache
def ptxas():
    """The first ptxas that is new enough, of PATH or of the toolkit's own folder; "" if there is none."""
    for folder in [*os.environ.get("PATH", "").split(os.pathsep), "/usr/local/cuda/bin"]:
        found = shutil.which("ptxas", path=folder)
        if found and int(re.search(r"release (\d+)\.", run([found, "--version"])).group(1)) >= CUDA:
            return found
    return ""


@functools.cache
def missing(target):
    """Why the machine cannot compile for the target; "" if it can."""
    need = [f"clang-{target.clang}"]
    if target.kind == "amd":
        need += [f"llvm-objdump-{target.clang}", f"llvm-readobj-{target.clang}", f"ld.lld-{target.clang}"]
    lacking = [program for program in need if not shutil.which(program)]
    if target.kind == "amd" and not BITCODE.is_dir():
        lacking.append("rocm-device-libs")
    if target.kind == "nvidia" and not LIBCLC.exists():
        lacking.append("libclc-15")
    if target.ptxas and not ptxas():
        lacking.append(f"ptxas of CUDA {CUDA} or later")
    return "not here: " + ", ".join(lacking) if lacking else ""


LIBRARIES = threading.Lock()


def device_libraries(target, shared):
    """AMD's bitcode folder; for a chip newer than the package, a copy with the constant that names it."""
    number = (target.cpu or target.name).removeprefix("gfx")
    constant = f"oclc_isa_version_{number}.bc"
    if (BITCODE / constant).exists():
        return BITCODE
    folder = shared / f"bitcode-{number}"
    with LIBRARIES:
        if not (folder / constant).exists():
            folder.mkdir(parents=True, exist_ok=True)
            for file in BITCODE.glob("*.bc"):
                if not (folder / file.name).exists():
                    (folder / file.name).symlink_to(file)
            value = int(number[:-2]) * 1000 + int(number[-2], 16) * 100 + int(number[-1], 16)
            text = folder / "isa.ll"
            text.write_text("@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant "
                            f"i32 {value}, align 4\n")
            run([f"clang-{target.clang}", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-Wno-override-module", "-c",
                 "-emit-llvm", "-x", "ir", text, "-o", folder / constant])
    return folder


def options_for(target, line):
    """The option line without what only a driver understands, and NVIDIA's limit on registers."""
    limit = re.search(r"-cl-nv-maxrregcount=(\d+)", line)
    words = [word for word in line.split() if not word.startswith("-cl-nv-")]
    return words, limit.group(1) if limit else ""


def second_build(ptx, target, group_size):
    """What the host makes of a first build with marked instructions (lib/program/second_build.cpp), and its target's group size,
    which clang does not hand on and by which ptxas deals out registers."""
    ptx = re.sub(r"(?m)^\.target .*$", f".target {target}", ptx).replace("//@ ", "")
    return re.sub(r"(\.entry \w+\([^)]*\))", rf"\1\n.reqntid {group_size}, 1, 1", ptx)


def compile_source(target, folder, shared):
    """Compiles source.cl with options.txt of `folder`. The kernels by their names in cl_kernels/ (none for SPIR)."""
    kernels = compiled_kernels(target, folder, shared)
    for kernel in kernels.values():
        kernel.name = kernel.name.removeprefix("clwave_")
    return {kernel.name: kernel for kernel in kernels.values()}


def compiled_kernels(target, folder, shared):
    words, limit = options_for(target, (folder / "options.txt").read_text())
    source = folder / "source.cl"
    # A warning would be seen by every user whose driver prints them. Not ours: what libclc's modules name themselves, and
    # the extensions that a compiler has without a name.
    clang = [f"clang-{target.clang}", "-x", "cl", *words, "-O3", "-Werror", "-Wno-linker-warnings", "-Wno-ignored-pragmas"]
    if target.kind == "amd":
        cpu = target.cpu or target.name
        wave = ["-mwavefrontsize64"] if target.name.endswith("-wave64") else []
        amd = ["-target", "amdgcn-amd-amdhsa", f"-mcpu={cpu}", *wave,
               f"--rocm-device-lib-path={device_libraries(target, shared)}"]
        run([*clang, *amd, source, "-o", folder / "code.co"])
        notes = run([f"llvm-readobj-{target.clang}", "--notes", folder / "code.co"])
        if cpu == "gfx700":  # its instructions have no disassembler
            run([*clang, *amd, "-S", source, "-o", folder / "code.s"])
            return gpucode.amd_assembly((folder / "code.s").read_text(), notes)
        disassembly = run([f"llvm-objdump-{target.clang}", "-d", folder / "code.co"])
        (folder / "code.s").write_text(disassembly)
        return gpucode.amd_kernels(disassembly, notes)
    if target.kind == "nvidia":
        run([*clang, "-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu", "-Xclang", target.cpu, "-Xclang",
             "-target-feature", "-Xclang", "+ptx75" if int(target.cpu[3:]) >= 30 else "+ptx60", "-nogpulib", "-Xclang",
             "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "-S", source, "-o", folder / "code.ptx"])
        report = ""
        if target.ptxas:
            # Inline PTX may be newer than what this clang knows.
            ptx = (folder / "code.ptx").read_text()
            ptx = re.sub(r"(?m)^\.version .*$", ".version 8.7", ptx)
            ptx = re.sub(r"(?m)^\.target .*$", f".target {target.name}", ptx)
            architecture, second = target.name, folder / "second_target.txt"
            if second.exists():
                architecture = second.read_text().strip()
                group_size = next(word.split("=")[1] for word in words if word.startswith("-Dclwave_GROUP_SIZE="))
                ptx = second_build(ptx, architecture, group_size)
            (folder / "code.ptx").write_text(ptx)
            report = run([ptxas(), "-v", f"-arch={architecture}", *([f"-maxrregcount={limit}"] if limit else []),
                          folder / "code.ptx", "-o", folder / "code.cubin"])
            # ptxas waits behind each matrix instruction where it cannot follow what happens to its registers.
            if "Potential Performance Loss" in report:
                raise CompileError(report)
        return gpucode.nvidia_kernels((folder / "code.ptx").read_text(), report)
    run([*clang, "-target", "spir64", "-Xclang", "-finclude-default-header", "-emit-llvm", "-S", source, "-o",
         folder / "code.ll"])
    return gpucode.spir_kernels((folder / "code.ll").read_text())
