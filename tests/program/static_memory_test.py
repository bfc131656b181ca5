"""Looks for writable static variables in what PoCL's compiler makes of the kernels of every primitive.

  static_memory_test.py NM PROGRAM

PROGRAM (static_memory.cpp) makes calls with an empty cache of PoCL's; NM lists the symbols of each kernel that is in it then.
PoCL runs groups on several threads of a process. So an array of local memory must be an argument of what it compiles: as a
static variable it is shared by all groups, which overwrite it for each other.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# Of every shared library, by what it is linked with.
OF_ALL = {"_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "__bss_start", "__data_start", "__dso_handle", "__TMC_END__", "_edata", "_end", "completed.0"}


def statics(nm, library):
    """The names of its writable variables."""
    listed = subprocess.run([nm, "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True).stdout
    names = (line.split()[:2] for line in listed.splitlines())
    return [name for name, kind in names if kind in "bBdD" and name not in OF_ALL]


def main():
    nm, program = sys.argv[1:]
    wrong = looked_at = 0
    for row in ([], ["cpu"]):
        with tempfile.TemporaryDirectory() as cache:
            ran = subprocess.run([program, *row], env={**os.environ, "POCL_CACHE_DIR": cache, "CLWAVE_CACHE_DIR": "off"})
            if ran.returncode != 0:
                return ran.returncode
            for library in pathlib.Path(cache).rglob("*.so"):
                looked_at += 1
                if found := statics(nm, library):
                    wrong += 1
                    print(f"{library.relative_to(cache)}: static variables {' '.join(found)}")
    print(f"{looked_at} kernels, {wrong} with static variables")
    return 1 if wrong or looked_at == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
