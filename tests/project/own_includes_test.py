"""Where a build joins files of the library, of the tool and of the tests, each of those compiles by itself as well,
without a warning: it includes what it uses. By turns a fifth of them, and a tenth of the files of tests.

  own_includes_test.py BUILD_FOLDER TURN

Skipped (77) where the build joins none: it has shown that itself.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

build, turn = pathlib.Path(sys.argv[1]), int(sys.argv[2])


def alone(entry, file):
    """The command of a file that joins others, for one of those, without code and without precompiled headers."""
    words, kept = shlex.split(entry["command"]), []
    while words:
        word = words.pop(0)
        if word == "-o" or word == "-include" and words[0].endswith(("cmake_pch.hxx", "cmake_pch.h")):
            words.pop(0)
        elif word not in ("-c", entry["file"], "-Winvalid-pch"):
            kept.append(word)
    return kept + ["-fsyntax-only", "-Werror", file]


commands = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    if re.search(r"/Unity/unity_\d+_cxx\.cxx$", entry["file"]):
        for file in re.findall(r'^#include "(.+)"$', pathlib.Path(entry["file"]).read_text(), flags=re.M):
            commands[file] = alone(entry, file)
if not commands:
    print("skipped: the build compiles each file by itself")
    sys.exit(77)
tests = sorted(file for file in commands if file.endswith("_test.cpp"))
others = sorted(set(commands) - set(tests))
# CI runs this in odd turns alone.
chosen = others[turn % 5::5] + tests[turn // 2 % 10::10]


def compiled(file):
    done = subprocess.run(commands[file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=build)
    if done.returncode != 0:
        print(f"{file} does not compile by itself:\n{done.stdout}", flush=True)
    return done.returncode == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    good = sum(pool.map(compiled, chosen))
print(f"{good} of {len(chosen)} files compile by themselves (there are {len(commands)})")
sys.exit(good != len(chosen))
