#!/usr/bin/env python3
"""The Python package on a Debian without any OpenCL package and without a network: `pip install 'clwave[cpu]'` of a wheel with a
loader, three lines that sum an array, and PyOpenCL beside it, whose wheel has a loader of its own.

  bare_python_test.py --wheel WHEEL --work FOLDER [--suite bookworm] [--tests]

WHEEL is one that auditwheel repaired (python_test.py --whole), for the Python of that Debian, which debootstrap makes in FOLDER and
which stays there for the next run. --tests also runs the tests of the package in it. Needs root, and what pip and debootstrap
fetch; exits with 77 without them.
"""
import argparse
import pathlib
import platform
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGES = "python3,python3-venv"
# What a wheel may be for: Debian 12 has glibc 2.36.
PLATFORMS = [f"manylinux_2_{minor}" for minor in range(36, 16, -1)] + ["manylinux2014"]

SUM = """
import numpy as np, clwave
x = clwave.Array.from_numpy(np.arange(1_000_000, dtype=np.float64))
print(clwave.reduce(x))
"""

BESIDE_PYOPENCL = """
import re, numpy as np, clwave, pyopencl as cl, pyopencl.array
import clwave.pyopencl
# PyOpenCL's queue and arrays in calls of clwave.
(platform,) = cl.get_platforms()
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
x = cl.array.to_device(queue, np.random.default_rng(1).standard_normal(100_000).astype(np.float32))
found = clwave.sort(x)
assert type(found) is type(x) and (found.get() == np.sort(x.get())).all()
ones, sums = cl.array.to_device(queue, np.ones(1000, np.int32)), cl.array.empty(queue, 1000, np.int32)
event = clwave.inclusive_scan(ones, out=sums)
cl.wait_for_events([cl.Event.from_int_ptr(event.int_ptr)])
assert (sums.get() == np.arange(1, 1001)).all()
# clwave's in PyOpenCL.
own = clwave.default_queue()
theirs = cl.CommandQueue.from_int_ptr(own.int_ptr)
assert (cl.array.to_device(theirs, np.ones(10, np.int32)) * 3).get().sum() == 30
y = clwave.Array.from_numpy(np.arange(10, dtype=np.int32))
bytes_ = np.empty(10, np.int32)
cl.enqueue_copy(theirs, bytes_, cl.Buffer.from_int_ptr(y.int_ptr))
assert (bytes_ == np.arange(10)).all()
assert int(clwave.pyopencl.sum(cl.array.to_device(queue, np.arange(1000, dtype=np.int64))).get()) == 499500
loaders = sorted({line.split()[-1] for line in open("/proc/self/maps") if re.search(r"libOpenCL[^/]*$", line)})
assert len(loaders) == 2, loaders
print(platform.name, "by two loaders:", *(path.split("site-packages/")[-1] for path in loaders))
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-8000:]}")
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wheel", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--tests", action="store_true")
    given = parser.parse_args()
    debian, wheels = given.work / given.suite, given.work / "wheels"
    for program in ("debootstrap", "unshare", "chroot"):
        if shutil.which(program) is None:
            skip(f"there is no {program}")
    if not (debian / "made").exists():
        made = subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", given.suite, debian], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode != 0:
            skip(f"no Debian: {made.stdout.strip().splitlines()[-1]}")
        (debian / "made").touch()

    def inside(command, **options):
        mounts = "mount -t proc proc {0}/proc && mount --rbind /sys {0}/sys && mount --rbind /dev {0}/dev".format(debian)
        return run("unshare", "--mount", "--net", "--pid", "--fork", "sh", "-c", f"{mounts} && exec chroot {debian} \"$@\"", "sh",
                   "env", "-i", "HOME=/root", "PATH=/env/bin:/usr/bin:/bin", "LANG=C.UTF-8", *command, **options)

    version = inside(["python3", "-c", "import sys; print(*sys.version_info[:2], sep='.')"])
    print(f"Debian {(debian / 'etc/debian_version').read_text().strip()}, Python {version}")
    search = "find / -xdev \\( -name 'libOpenCL*' -o -path /etc/OpenCL \\) -not -path '/env/*'; dpkg -l | grep -i opencl || true"
    opencl = inside(["sh", "-c", search])
    if opencl:
        sys.exit(f"this Debian has OpenCL:\n{opencl}")
    print("no loader, no driver and no package of OpenCL")

    shutil.rmtree(wheels, ignore_errors=True)
    platforms = [f"--platform={name}_{platform.machine()}" for name in PLATFORMS]
    extras = "[cpu,pyopencl,test]" if given.tests else "[cpu,pyopencl]"
    download = [sys.executable, "-m", "pip", "download", "-q", "-d", wheels, "--only-binary=:all:", f"--python-version={version}"]
    got = subprocess.run([*download, *platforms, f"{given.wheel.resolve()}{extras}"], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    if got.returncode != 0:
        skip(f"pip does not get what the wheel needs: {got.stdout.strip().splitlines()[-1]}")
    shutil.rmtree(debian / "wheels", ignore_errors=True)
    shutil.copytree(wheels, debian / "wheels")
    shutil.rmtree(debian / "env", ignore_errors=True)
    inside(["python3", "-m", "venv", "/env"])
    install = ["pip", "install", "-q", "--no-index", "--find-links=/wheels"]
    begin = time.monotonic()
    inside([*install, f"/wheels/{given.wheel.name}[cpu]"])
    print(f"pip install 'clwave[cpu]': {time.monotonic() - begin:.0f} s without a network, "
          f"{sum(path.stat().st_size for path in (debian / 'env').rglob('*') if path.is_file()) >> 20} MiB")
    told = inside(["clwave", "info"]).splitlines()
    print(*told[:2], sep="\n")
    if not told[0].startswith("driver of the extra [cpu]: /env/"):
        sys.exit("the driver is another one")
    found = inside(["python", "-c", SUM])
    print(f"{SUM.strip()}\n{found}")
    if found != "499999500000.0":
        sys.exit("that is wrong")
    inside([*install, f"/wheels/{given.wheel.name}[cpu,pyopencl]"])
    print(inside(["python", "-W", "ignore", "-c", BESIDE_PYOPENCL]))
    if given.tests:
        inside([*install, f"/wheels/{given.wheel.name}{extras}"])
        shutil.rmtree(debian / "python", ignore_errors=True)
        shutil.copytree(ROOT / "python" / "tests", debian / "python" / "tests")
        shutil.copytree(ROOT / "examples" / "python", debian / "examples" / "python", dirs_exist_ok=True)
        print(inside(["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "/python/tests"]).splitlines()[-1])


main()
