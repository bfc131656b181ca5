"""Reductions and scans over ranks that mpirun starts: random cases on 1, 2, 3, 7 and 16 ranks, errors of a rank, a rank that never
calls, and a rank that is killed, which ends the job, or where mpirun lets the others live makes them throw.

  mpi_ranks_test.py MPIEXEC NUMBER_FLAG PROGRAM
"""
import os
import pathlib
import re
import subprocess
import sys

mpiexec, number_flag, program = sys.argv[1:]
# 10^4 reductions in all and a tenth as many scans; a quarter of them where the run is quick, and a twentieth where it is the quickest.
CASES = {1: 200, 2: 4900, 3: 2900, 7: 1300, 16: 700}
HEADERS = pathlib.Path(__file__).resolve().parent.parent.parent / "include/clwave"
quick = int(os.environ.get("CLWAVE_TEST_QUICK", "0"))
quickest = quick > 1
environment = {**os.environ, "POCL_MAX_PTHREAD_COUNT": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def run(ranks, *words, options=()):
    return subprocess.run([mpiexec, *options, number_flag, str(ranks), program, *words], env=environment, text=True,
                          capture_output=True, timeout=600)


def check(ranks, says, *words):
    done = run(ranks, *words)
    if done.returncode != 0 or not re.search(says, done.stdout):
        sys.exit(f"{' '.join(words)} on {ranks} ranks ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    print(done.stdout.strip(), flush=True)


for ranks, cases in CASES.items():
    count = cases // (20 if quickest else 4 if quick else 1)
    scans = f"\n{count // 10} scans on {ranks} ranks" if (HEADERS / "ranks_scan.hpp").exists() else ""  # a tree may be without it
    check(ranks, f"{count} cases on {ranks} ranks{scans}", "cases", str(count))
for ranks in (3,) if quickest else (2, 7):
    check(ranks, f"errors of {ranks} ranks", "errors")
    check(ranks, f"a silent rank of {ranks}", "stopped")
killed = run(3, "killed")
if killed.returncode == 0:
    sys.exit(f"a job with a killed rank ended well:\n{killed.stdout}{killed.stderr}")
print(f"a job with a killed rank ended with {killed.returncode}")
# Where mpirun can be told to let the others live, they throw.
version = subprocess.run([mpiexec, "--version"], env=environment, text=True, capture_output=True).stdout
if re.search(r"\(Open(RTE| MPI)\) 4\.", version):
    survived = run(4, "survived", options=["--enable-recovery"])
    if sorted(re.findall(r"rank \d survived", survived.stdout)) != [f"rank {k} survived" for k in (0, 2, 3)]:
        sys.exit(f"not all others survive a rank that is killed:\n{survived.stdout}{survived.stderr}")
    print("the others of a killed rank throw")
else:
    print("not run: what the others of a killed rank throw, for this mpirun ends them")
