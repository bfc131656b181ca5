"""The tables of README.md and docs/performance.md that tools/tables writes are what the saved runs say; an edited number, in a page or
in a run, is noticed; and what is written anew is what was there: python3 tests/project/tables_test.py"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def tables(root, *words):
    done = subprocess.run([sys.executable, ROOT / "tools/tables", "--root", root, *words], text=True, capture_output=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def main():
    code, said = tables(ROOT, "--check")
    if code != 0:
        sys.exit(said)
    print(said, end="")
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        pages = [ROOT / "README.md", ROOT / "docs/performance.md"]
        (tree / "docs").mkdir()
        for page in pages:
            shutil.copy(page, tree / page.relative_to(ROOT))
        shutil.copytree(ROOT / "tools/results", tree / "tools/results")
        copies = [tree / page.relative_to(ROOT) for page in pages]
        runs = [tree / "tools/results" / name for name in ("h200-bench.json", "h100-gemm.txt", "pocl-past-caches.txt")]
        # A number of each table, and one of each kind of run.
        changes = []
        for page in copies:
            for found in re.finditer(r"<!-- tools/tables: (\S+) -->\n(?:.*\n){2}(.*\n)", page.read_text()):
                row = found.group(2)
                changes.append((page, row, re.sub(r"(\d)(?!.*\d)", lambda digit: str((int(digit[1]) + 1) % 10), row)))
        for path, what in zip(runs, (r'"real_time": ', r"bf16 8192 +[\d.]+ us +", r"now: +\S+/clwave +(?=\d)")):
            text = path.read_text()
            changes.append((path, text, re.sub(what, lambda found: found[0] + "9", text)))
        for path, old, new in changes:
            before = path.read_text()
            if old not in before or old == new:
                sys.exit(f"{path.name} has nothing to change: {old}")
            path.write_text(before.replace(old, new))
            code, said = tables(tree, "--check")
            if code != 1 or "not what the runs say" not in said:
                sys.exit(f"{path.name}: {old[:200]!r} made {new[:200]!r} is not noticed: {code}, {said}")
            if path in copies:
                tables(tree)
                if path.read_text() != before:
                    sys.exit(f"{path.name} is not as it was once its tables are written anew")
            path.write_text(before)
        # A fresh run of all rows counts before all others.
        fresh = tree / "tools/results/h200-bench.json"
        rows = [{"name": f"scan/inclusive/f32/1024/{who}", "real_time": us, "time_unit": "us"} for who, us in (("clwave", 1), ("cub", 7.77))]
        fresh.write_text(json.dumps({"context": {"date": "2999-01-01"}, "benchmarks": rows + json.loads(fresh.read_text())["benchmarks"]}))
        tables(tree)
        if "| inclusive f32 | H200 | 7.77 |" not in copies[1].read_text():
            sys.exit("a fresh run does not count before older ones")
        # Words around a table are nobody's but the page's, and a table that is not there is missed.
        text = copies[0].read_text()
        copies[0].write_text(text.replace("<!-- tools/tables: speed -->", ""))
        code, said = tables(tree, "--check")
        if code == 0 or "speed" not in said:
            sys.exit(f"a table that is gone is not missed: {said}")
    print(f"{len(changes)} numbers were changed, and all were noticed")


main()
