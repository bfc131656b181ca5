"""Reductions over ranks that mpirun starts: random cases on 1, 2, 3, 7 and 16 ranks, errors of a rank, a rank that never
calls, and a rank that is killed, which must end the job.

  mpi_ranks_test.py MPIEXEC NUMBER_FLAG PROGRAM
"""
import os
import re
import subprocess
import sys

mpiexec, number_flag, program = sys.argv[1:]
quick = int(os.environ.get("CLWAVE_TEST_QUICK", "0"))
# In all 10^4 cases and more; where the run is quick, a tenth.
CASES = {1: 200, 2: 4000, 3: 3000, 7: 2000, 16: 1000}
environment = {**os.environ, "POCL_MAX_PTHREAD_COUNT": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def run(ranks, *words):
    return subprocess.run([mpiexec, number_flag, str(ranks), program, *words], env=environment, text=True,
                          capture_output=True, timeout=600)


def check(ranks, says, *words):
    done = run(ranks, *words)
    if done.returncode != 0 or not re.search(says, done.stdout):
        sys.exit(f"{' '.join(words)} on {ranks} ranks ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    print(done.stdout.strip(), flush=True)


for ranks, cases in CASES.items():
    count = cases // 10 if quick else cases
    check(ranks, f"{count} cases on {ranks} ranks", "cases", str(count))
for ranks in (2, 7):
    check(ranks, f"errors of {ranks} ranks", "errors")
    check(ranks, f"a silent rank of {ranks}", "stopped")
killed = run(3, "killed")
if killed.returncode == 0:
    sys.exit(f"a job with a killed rank ended well:\n{killed.stdout}{killed.stderr}")
print(f"a job with a killed rank ended with {killed.returncode}")
