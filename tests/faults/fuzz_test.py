#!/usr/bin/env python3
"""Builds the readers of .npy files and of tunings with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, and runs
them: so many executions of each, without a finding. Of the rest of the library they take what the build has made.

Exits with 77 where there is no clang++ with libFuzzer.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--work", type=pathlib.Path, required=True, help="the folder to build in")
parser.add_argument("--library", type=pathlib.Path, required=True, help="libclwave_internal.a")
parser.add_argument("--runs", type=int, default=300000, help="executions of each")
parser.add_argument("--keep", action="store_true", help="reduces what was found to few files and keeps it as the corpus")
given = parser.parse_args()

root = pathlib.Path(__file__).resolve().parent.parent.parent
corpora = pathlib.Path(__file__).resolve().parent / "fuzz" / "corpus"
TARGETS = {
    "npy": ["tests/faults/fuzz/npy.cpp", "tools/clwave/files/encodings.cpp", "tools/clwave/files/input_file.cpp",
            "tools/clwave/files/npy_header.cpp", "tools/clwave/shared/words.cpp", "tools/clwave/system/system_posix.cpp"],
    "tuning": ["tests/faults/fuzz/tuning.cpp", "lib/device/tuning.cpp", "lib/device/tunable_numbers.cpp"],
}


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout


def compiler():
    given.work.mkdir(parents=True, exist_ok=True)
    probe = given.work / "probe.cpp"
    probe.write_text('extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n')
    for name in ("clang++", *(f"clang++-{version}" for version in range(20, 13, -1))):
        if shutil.which(name) and run(name, "-fsanitize=fuzzer,address", probe, "-o", given.work / "probe")[0] == 0:
            return name
    print("skipped: there is no clang++ with libFuzzer (Debian: clang-15, libclang-rt-15-dev)")
    sys.exit(77)


def fuzz(target):
    """Says what was done; the words of a finding, if there is one."""
    program, found = given.work / target, given.work / f"{target}-found"
    shutil.rmtree(found, ignore_errors=True)
    found.mkdir()
    code, out = run(clang, "-std=c++20", "-O1", "-g1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
                    "-fno-sanitize=vptr", "-DCL_TARGET_OPENCL_VERSION=300", *(f"-I{root / folder}" for folder in
                    ("include", "lib", "tools/clwave", "tests")), *(root / source for source in TARGETS[target]),
                    # Where the library's files were joined, what it has of the sources above comes with the rest; theirs counts.
                    "-Wl,--allow-multiple-definition", given.library, "-lOpenCL", "-ldl", "-lpthread", "-o", program)
    if code != 0:
        return f"{target}: does not build\n{out[-4000:]}", False
    corpus = corpora / target
    seed = os.environ.get("CLWAVE_TEST_SEED")
    code, out = run(program, f"-runs={given.runs}", "-max_len=2048", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1",
                    f"-artifact_prefix={given.work}/{target}-", *([f"-seed={int(seed) % 2**31}"] if seed else []), found, corpus)
    executed = re.search(r"stat::number_of_executed_units: *(\d+)", out)
    if code != 0 or not executed or int(executed[1]) < given.runs:
        return f"{target}: a finding\n{out[-6000:]}", False
    if given.keep:
        kept = given.work / f"{target}-kept"
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        run(program, "-merge=1", kept, corpus, found)
        smallest = sorted(kept.iterdir(), key=lambda file: file.stat().st_size)[:20]
        corpus.mkdir(parents=True, exist_ok=True)
        for file in smallest:
            shutil.copy(file, corpus / file.name)
    seed_used = re.search(r"INFO: Seed: (\d+)", out)
    return (f"{target}: {int(executed[1]):,} executions, no finding, {len(list(found.iterdir()))} inputs of interest, "
            f"seed {seed_used[1] if seed_used else '?'}"), True


clang = compiler()
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(fuzz, TARGETS))
for text, _ in results:
    print(text)
sys.exit(0 if all(good for _, good in results) else 1)
