"""Tests `clwave demo` on a driver whose events have no times: python3 tests/tool/tool_clocks_test.py <path to clwave>"""

import os
import re
import shutil
import subprocess
import sys

from tool_common import check, finish, path_of, run

# In place of the loader's: every time is 0, as Mesa's rusticl 22.3 says.
NO_TIMES = """
#include <stddef.h>
#include <string.h>
int clGetEventProfilingInfo(void* event, unsigned what, size_t room, void* to, size_t* size_is) {
  if (size_is != NULL) *size_is = 8;
  if (to != NULL) memset(to, 0, 8);
  return 0;
}
"""


def speed_of_copies(text):
    found = re.search(r"copy speed: ([0-9.]+) GB/s", text)
    return float(found.group(1)) if found else None


def main():
    compiler = os.environ.get("CC") or shutil.which("cc")
    if not compiler:
        print("SKIPPED: no C compiler")
        sys.exit(77)
    library = path_of("no_times.so")
    subprocess.run([*compiler.split(), "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=NO_TIMES, text=True, check=True)
    code, out, err = run("demo")
    usual = speed_of_copies(out)
    check("the demo shows a speed", code == 0 and usual is not None and "host's clock" not in out, out + err)
    code, out, err = run("demo", LD_PRELOAD=library)
    speed = speed_of_copies(out)
    check("without times it shows one by the host's clock", code == 0 and "by the host's clock" in out, out + err)
    # A machine with other work to do is not that much slower; without the host's clock it were 10^6 times as fast.
    check("of the same size", speed is not None and usual / 50 < speed < usual * 50, (usual, speed))


finish(main)
