"""Tests clwave bench: python3 tests/tool/tool_bench_test.py <path to clwave>"""

import json
import re

from tool_common import check, finish, has_fields, path_of, run


def test_bench_of_shards(names, call):
    cut = [name for name in names if re.fullmatch(rf"sharded/{call}-\d+-(devices|sub-devices|queues)/f32/\d+/clwave/host", name)]
    check(f"{call} over parts has rows", cut, names)
    if not cut:
        return
    base, saved = cut[0].removesuffix("/clwave/host"), path_of("bench-parts.json")
    code, out, err = run("bench", "--samples", "2", f"--benchmark_filter={base}/", f"--benchmark_out={saved}")
    check("bench of parts", code == 0, (code, out, err))
    rows = {entry["name"].removeprefix(base + "/"): entry for entry in json.load(open(saved))["benchmarks"]}
    check("beside one device", set(rows) == {f"{one}/host" for one in ("clwave", "clwave-one-device", "clwave-one-share")}, list(rows))
    parts = rows.get("clwave/host", {})
    check("the call on parts was checked", parts.get("check") == 1, parts)
    whole = rows.get("clwave-one-device/host", {})
    has_fields("a row of parts", parts, "speedup_of_shares", *([] if whole.get("error_occurred") else ["speedup"]))
    if "speedup" in parts:
        check("the speedup is that of the times", abs(parts["speedup"] / (whole["real_time"] / parts["real_time"]) - 1) < 1e-3, rows)
    code, out, err = run("bench", "--samples", "2", f"--benchmark_filter={base}/clwave/")
    check("parts alone have no speedup", code == 0 and base in out and "speedup" not in out, (code, out, err))


def test_bench():
    code, out, err = run("bench", "--benchmark_list_tests")
    if "bench was not built" in err:
        check("a tool without bench says how to get one", code == 2 and "CLWAVE_BUILD_BENCH" in err, (code, err))
        return
    names = out.split()
    check("bench lists its rows", code == 0 and len(names) > 50, (code, err))
    check("rows have five parts, and /host", all(len(name.removesuffix("/host").split("/")) == 5 for name in names), names)
    check("rows are unique", len(set(names)) == len(names))
    saved = path_of("bench.json")
    # A row with a ratio for its goal: no noise meets the absurd one, nor misses the lax one.
    row = next(name for name in names if re.fullmatch("copy/same/f32/(1000000|4194304)/clwave", name)).removesuffix("/clwave")
    words = ["bench", "--samples", "2", f"--benchmark_filter={row}/(clwave|opencl)", f"--benchmark_out={saved}"]
    code, out, err = run(*words, "--min", "0.01%")
    check("bench of one pair of rows", code == 0 and "goals" in out, (code, out, err))
    rows = {entry["name"]: entry for entry in json.load(open(saved))["benchmarks"]}
    check("the file has the rows", set(rows) == {f"{row}/clwave", f"{row}/opencl"}, list(rows))
    ours = rows.get(f"{row}/clwave", {})
    has_fields("a bench row", ours, "real_time", "time_unit", "samples", "spread", "batch", "check", "label")
    check("its result was checked", ours.get("check") == 1 and ours.get("real_time", 0) > 0, ours)
    code, out, err = run(*words[:4], "--min", "100000%", "--compare", saved)
    check("an absurd goal: 7", code == 7 and "MISSED" in out and "change since" in out, (code, out, err))
    for call in ("reduce", "inclusive_scan"):
        test_bench_of_shards(names, call)
    for wrong in (["--min", "much"], ["--benchmark_filter=no-such-row"], ["--nonsense"], ["--benchmark_format=x"]):
        check(f"bench {wrong}: 2", run("bench", *wrong)[0] == 2)


finish(test_bench)
