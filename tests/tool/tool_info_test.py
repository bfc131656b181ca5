"""Tests clwave info and the tool's manners, info beside clinfo: python3 tests/tool/tool_info_test.py <path to clwave>"""

import getpass
import json
import os
import pty
import re
import shutil
import socket
import subprocess

from tool_common import PATIENCE, check, clwave, finish, has_fields, path_of, run, run_json, some, subcommands, write

# Read anew from the machine at each question, so that two questions may have two answers.
CHANGES = {"CL_DEVICE_GLOBAL_MEM_SIZE", "CL_DEVICE_MAX_MEM_ALLOC_SIZE", "CL_DEVICE_MAX_CLOCK_FREQUENCY",
           "CL_DEVICE_GLOBAL_FREE_MEMORY_AMD", "CL_DEVICE_CORE_TEMPERATURE_ALTERA"}


def one_blank(text):
    return " ".join(text.split())


def in_place(lines, place, separator):
    """[(place, name, value)] of raw lines. Platforms have no place of their own in clinfo's."""
    matches = (re.match(place + separator + r"(CL_\w+) *(.*)$", line) for line in lines)
    return [(match.group(1), match.group(2), one_blank(match.group(3))) for match in matches if match]


def test_against_clinfo():
    if shutil.which("clinfo") is None:
        print("skipped: what clinfo says, which is not installed")
        return
    code, out, err = run("info", "--raw")
    check("info --raw", code == 0 and not err, (code, err))
    lines = out.splitlines()
    check("each line is a place, a name and a value", all(re.match(r"\[[^]]+\] +CL_\w+ ", line) for line in lines), lines)
    ours = {(place, name): value for place, name, value in in_place(lines, r"\[([^]]+)\]", " +")}
    theirs = subprocess.run(["clinfo", "--raw"], capture_output=True, timeout=PATIENCE, check=True).stdout.decode().splitlines()
    # clinfo's places: [POCL/0], with * for the platform; the platforms' own lines stand before all, without one.
    suffixes = [value for _, name, value in in_place(theirs, "()", " +") if name == "CL_PLATFORM_ICD_SUFFIX_KHR"]
    if not suffixes:
        print("skipped: what clinfo says, whose loader finds no platform here")
        return
    compared = 0
    for place, name, value in in_place(theirs, r"\[([^]]+)\]", " +"):
        suffix, index = place.split("/")
        if value.startswith("<"):  # clinfo's own words for an error
            continue
        if name.startswith("CL_ICDL_"):
            mine = ours.get(("loader", name))
        elif suffix in suffixes:
            mine = ours.get((f"{suffixes.index(suffix)}:{index}", name))
        else:
            continue
        check(f"{name} is known", mine is not None, f"{place}, {value}")
        if name == "CL_DEVICE_DOUBLE_FP_CONFIG" and mine:  # clinfo leaves out a bit that is for floats alone
            mine = mine.replace(" | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT", "")
        if name == "CL_DEVICE_LUID_KHR" and ours.get((f"{suffixes.index(suffix)}:{index}", "CL_DEVICE_LUID_VALID_KHR")) == "CL_FALSE":
            continue  # whatever lies there
        if name not in CHANGES:
            check(f"{name} has clinfo's value", mine == value, (mine, value))
        compared += 1
    for _, name, value in in_place(theirs, "()", " +"):
        check(f"{name} is a platform's", value.startswith("<") or value in [v for (_, n), v in ours.items() if n == name], value)
        compared += 1
    check("much was compared", compared > 80, compared)


def test_raw_and_names():
    code, out, err = run("info", "--prop", "cl_device_max_compute_units", "--prop", "Compute-Units")
    check("--prop of both names", code == 0 and len(out.splitlines()) % 2 == 0, (code, out, err))
    check("without regard to case", "CL_DEVICE_MAX_COMPUTE_UNITS" in out and "] " in out and "compute units" in out, out)
    values = {line.split()[-1] for line in out.splitlines() if line.startswith("[0:0]")}
    check("both have one value", len(values) == 1, out)
    code, out, _ = run("info", "--prop", "*VECTOR_WIDTH_?LOAT")
    check("wildcards", code == 0 and "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT" in out and "DOUBLE" not in out, out)
    code, out, _ = run("info", "--prop", "CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD")
    check("one that is not asked says so", code == 0 and "not asked" in out, out)
    code, out, _ = run("info", "--prop", "board name")
    check("an unknown fact says why", code == 0 and ("unknown:" in out or "query" not in out), out)
    for part, name in (("max_compute", "CL_DEVICE_MAX_COMPUTE_UNITS"), ("Max-Clock", "CL_DEVICE_MAX_CLOCK_FREQUENCY"), ("compute unit", "compute units")):
        code, out, err = run("info", "--prop", part)
        check(f"--prop {part} finds {name}", code == 0 and re.search(rf"\] +{name} ", out) and not err, (code, out, err))
    # Of a driver that reports no such extension nothing was asked, and what is looked for is said all the same.
    code, out, err = run("info", "--prop", "thread_trace")
    check("a part of one that is not asked says so", code == 0 and "CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD" in out and not err, (code, out, err))
    for name, right in (("CL_DEVCIE_NAME", "CL_DEVICE_NAME"), ("*nonsense*", "")):
        code, out, err = run("info", "--prop", name)
        check(f"--prop {name}: 2 with the right one", code == 2 and not out and right in err and err.count("\n") == 1, (code, err))
    for words in (["--raw", "--json"], ["--report", "--raw"], ["--raw", "-l"], ["--prop", "x", "--profiles"]):
        check(f"info {words}: 2", run("info", *words)[0] == 2)


def test_json():
    info = run_json("info")
    has_fields("info", info, "schema", "clwave", "commit", "devices", "drivers", "loader", "together")
    for device in info["devices"]:
        has_fields("a device", device, "facts", "properties", "platform_properties")
        types = {}
        for fact in device["facts"]:
            has_fields("a fact", fact, "typed", "cl_names")
            check("known together", (fact["typed"] is None) == (fact["value"] is None), fact)
            check("CL_ names of queries", all(name.startswith("CL_") for name in fact["cl_names"]), fact)
            types[fact["name"]] = fact["typed"]
        check("a number", type(types["compute units"]) is int, types["compute units"])
        check("a boolean", type(types["images"]) is bool, types["images"])
        check("a list of numbers", all(type(size) is int for size in types["work-item sizes at most"]), types)
        check("a list of strings", all(type(name) is str for name in types["extensions"]), types["extensions"])
        check("a text", type(types["driver version"]) is str)
        properties = device["properties"]
        check("properties are many", len(properties) > 60, len(properties))
        check("the same number", properties["CL_DEVICE_MAX_COMPUTE_UNITS"] == types["compute units"])
        check("a flag is a boolean", properties["CL_DEVICE_AVAILABLE"] is True)
        check("bits are a list", any(bit.startswith("CL_DEVICE_TYPE_") for bit in properties["CL_DEVICE_TYPE"]), properties["CL_DEVICE_TYPE"])
        check("extensions are a list", properties["CL_DEVICE_EXTENSIONS"] == types["extensions"])
        check("the platform's", device["platform_properties"]["CL_PLATFORM_NAME"] == device["platform"])
    one = run_json("info", "--prop", "CL_DEVICE_NAME", "--prop", "compute units")["devices"][0]
    check("--prop in JSON", list(one["properties"]) == ["CL_DEVICE_NAME"] and len(one["facts"]) == 1, one)


def on_a_terminal(*words, **variables):
    """What clwave writes to a terminal."""
    ours, its = pty.openpty()
    environment = {**os.environ, "CLWAVE_CONFIG_DIR": "off", "TERM": "xterm", **variables}
    for name in ("NO_COLOR", "COLUMNS"):
        if name not in variables:
            environment.pop(name, None)
    process = subprocess.Popen([clwave, *words], stdout=its, stderr=subprocess.DEVNULL, env=environment)
    os.close(its)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # its other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    process.wait(timeout=PATIENCE)
    return text.decode()


def test_text():
    def longest(text):
        """Of lines that could have been broken."""
        return max(len(line) for line in text.splitlines() if " " in line[33:].strip())

    summary = run("info", COLUMNS="80")[1]
    for device in re.split(r"(?m)^(?=device )", summary)[1:]:
        check("a device on a screen of 80 columns", device.count("\n") <= 24 and all(len(line) <= 80 for line in device.splitlines()), device)
        check("it says what a person asks for", all(re.search(rf"(?m)^  {word} ", device) for word in ("device", "driver", "size", "memory", "has", "clwave")),
              device)
    check("without sources", "[query" not in summary and "info -v" in summary, summary)
    check("a list has no facts", run("info", "-l", "-v")[0] == 2)
    text = run("info", "-v", COLUMNS=None)[1]
    check("100 columns where there is no terminal", 60 < longest(text) <= 100, longest(text))
    check("COLUMNS is respected", longest(run("info", "-v", COLUMNS="70")[1]) <= 70)
    check("no colours where there is no terminal", "\033" not in text)
    check("sizes in GiB or MiB too", re.search(r"bytes \([\d.]+ [GM]iB\)", text), text)
    check("unknown facts in one place", text.count("unknown (") == text.count("\ndevice "), text)
    check("colours on a terminal", "\033[1m" in on_a_terminal("info"))
    check("none with NO_COLOR", "\033" not in on_a_terminal("info", NO_COLOR="1"))
    check("the table fits too", all(len(line) <= 130 for line in run("info", "--profiles", COLUMNS="100")[1].splitlines()))


def test_report():
    folder = path_of("a-folder-of-mine")
    os.mkdir(folder)
    write("a-folder-of-mine/bad.icd", (path_of("a-folder-of-mine/libbad.so") + "\n").encode())
    names = {"USER": "a_user_of_mine", "LOGNAME": "a_user_of_mine", "HOSTNAME": "a-host-of-mine", "CLWAVE_DUMP_DIR": folder}
    code, out, err = run("info", "--report", **names)
    check("info --report", code == 0, err)
    for word in ("version ", "commit ", "build ", "facts", "properties of the device", "evidence", "[query: CL_DEVICE_NAME", "why ",
                 "CL_PLATFORM_VERSION", "CL_DEVICE_EXTENSIONS_WITH_VERSION" if "OpenCL 3" in out else "CL_DEVICE_EXTENSIONS", "CLWAVE_DUMP_DIR"):
        check(f"the report has {word}", word in out, out[:500])
    bad = run("info", "--report", OCL_ICD_VENDORS=folder + "/", OCL_ICD_FILENAMES=None, OPENCL_VENDOR_PATH=None, **names)[1]
    for text in (out, bad):
        for word in ("a_user_of_mine", "a-host-of-mine", "a-folder-of-mine", os.path.dirname(folder), "/etc/", "/usr/", os.path.expanduser("~") + "/"):
            check(f"the report has no {word}", word not in text, [line for line in text.splitlines() if word in line])
        for word in {getpass.getuser(), socket.gethostname()}:
            check(f"nor the word {word}", not re.search(rf"\b{re.escape(word)}\b", text), [line for line in text.splitlines() if word in line])


def is_speed(speed):
    """Of clwave-topology/1: a number and how many samples it is of, or none and why."""
    if set(speed) != {"gb_per_s", "best_gb_per_s", "samples", "why"}:
        return False
    if speed["gb_per_s"] is None:
        return speed["best_gb_per_s"] is None and speed["samples"] == 0 and type(speed["why"]) is str and speed["why"] != ""
    return type(speed["gb_per_s"]) is float and 0 < speed["gb_per_s"] <= speed["best_gb_per_s"] and speed["samples"] > 0 and speed["why"] is None


def check_topology(topology, places):
    has_fields("topology", topology, "schema", "clwave", "commit", "devices", "platforms", "pairs", "drivers")
    check("its schema", topology["schema"] == "clwave-topology/1", topology["schema"])
    check("each device, in the order of info", [device["place"] for device in topology["devices"]] == places, topology["devices"])
    for device in topology["devices"]:
        has_fields("a device of the topology", device, "name", "platform", "pci", "pci_source", "transfer_bytes", "within_bytes")
        check("a place on the bus, or none and why", re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]", device["pci"] or "")
              or (device["pci"] is None and device["pci_source"]), device)
        speeds = [device[way][memory] for way in ("host_to_device", "device_to_host") for memory in ("page_locked", "pageable")]
        check("its speeds", all(is_speed(speed) for speed in [*speeds, device["within"]]), device)
        check("they were timed", all(speed["gb_per_s"] for speed in [*speeds, device["within"]]), device)
    check("each device is of one platform", sorted(place for platform in topology["platforms"] for place in platform["devices"]) == sorted(places),
          topology["platforms"])
    pairs = [(pair["from"], pair["to"]) for pair in topology["pairs"]]
    check("each pair once", len(set(pairs)) == len(pairs), pairs)
    for platform in topology["platforms"]:
        has_fields("a platform of the topology", platform, "platform", "name", "devices", "common_context", "why")
        alone = len(platform["devices"]) == 1
        check("one device alone has no common context", (platform["common_context"] is None) == alone, platform)
        its_pairs = [pair for pair in pairs if pair[0] in platform["devices"]]
        check("devices of a common context have pairs", bool(its_pairs) == (platform["common_context"] is True), (platform, pairs))
    for pair in topology["pairs"]:
        has_fields("a pair", pair, "bytes", "copy", "migrate", "migrate_asked_share", "unasked", "read_there", "by_hand", "advice")
        check("its speeds are", all(is_speed(speed) for speed in (*pair["copy"].values(), pair["migrate"], pair["unasked"], pair["read_there"],
                                                                  pair["by_hand"])), pair)
        check("a pair of one platform", pair["from"].split(":")[0] == pair["to"].split(":")[0] and pair["from"] != pair["to"], pair)
        check("a share", pair["migrate_asked_share"] is None or 0 <= pair["migrate_asked_share"] <= 1, pair)
        check("it says what the driver does when asked to migrate", pair["advice"].startswith("asked to migrate, the driver "), pair)
    for driver in topology["drivers"]:
        has_fields("a driver of the topology", driver, "library", "named_by", "outcome", "what")


def test_topology():
    places = [device["place"] for device in run_json("info")["devices"]]
    check_topology(run_json("info", "--topology"), places)
    code, out, err = run("info", "--topology", "-d", places[-1])
    check("info --topology -d", code == 0 and not err, (code, err))
    check("only that device", re.findall(r"(?m)^device (\S+)", out) == [places[-1]], out)
    for word in ("PCI place", "host to device", "device to host", "page-locked", "pageable", "within the device", "GB/s", "context"):
        check(f"its text has {word}", word in out, out)
    check("it fits 100 columns", all(len(line) <= 100 for line in out.splitlines()), out)
    # PoCL makes as many devices as it is told to.
    pocl = {"POCL_DEVICES": "pthread pthread"}
    two = [device["place"] for device in run_json("info", **pocl)["devices"]]
    if len(two) > len(places):
        topology = run_json("info", "--topology", **pocl)
        check_topology(topology, two)
        check("there are pairs", len(topology["pairs"]) >= 2, topology["pairs"])
        out = run("info", "--topology", **pocl)[1]
        check("the text has them too", len(re.findall(r"(?m)^\d+:\d+ to \d+:\d+$", out)) == len(topology["pairs"]), out)
        check("and what follows", out.count("asked to migrate") == len(topology["pairs"]), out)
    else:
        print("skipped: the topology of several devices, which no driver here makes")
    for words in (["--raw"], ["-l"], ["--prop", "x"], ["--report"], ["--profiles"]):
        check(f"info --topology {words}: 2", run("info", "--topology", *words)[0] == 2)
    code, out, err = run("info", "--topology", CLWAVE_DRIVER_DEADLINE="0.001")
    check("drivers without time: 5", code == 5 and "hung" in out, (code, out, err))


# --- Manners -------------------------------------------------------------------------------------------
def has_bench():
    return "was not built" not in run("bench", "--benchmark_list_tests")[2]


def test_what_is_listed():
    listed = set(subcommands())
    manual, completion = run("manual")[1], run("completion", "bash")[1]
    for name in ("bench", "tune"):
        check(f"{name} is listed where it was built, and nowhere else", (name in listed) == has_bench() == (f"clwave {name}\n" in manual) ==
              (f'"clwave {name}")' in completion), (listed, has_bench()))
    code, _, err = run("tune", "copy", "--nonsense") if not has_bench() else (2, "", "was not built")
    check("one that was not built says so", code == 2 and "was not built" in err, err)


def test_mistyped():
    of_bench = (
        (["tune", "coppy"], "copy"),
        (["bench", "--gaols"], "--goals"),
        (["bench", "--benchmark_fliter=x"], "--benchmark_filter"),
    )
    for words, right in (of_bench if has_bench() else ()) + (
        (["inof"], "info"),
        (["info", "--lst"], "--list"),
        (["why", "reduc"], "reduce"),
        (["why", "reduce", "--tpye", "f32"], "--type"),
        (["why", "reduce", "--devcie", "0"], "--device"),
        (["emulate", "sm90", "--dump", path_of("none"), "reduce"], "sm_90"),
    ):
        code, out, err = run(*words)
        check(f"{words}: 2 with {right}", code == 2 and right in err and err.count("\n") == 1 and not out, (code, err))
    code, out, err = run()
    check("alone it lists its commands", code == 0 and not err and all(f"\n  {word} " in out for word in ("info", "why", "reduce", "warm")), (code, out))
    check("nothing is near this", "did you mean" not in run("zzzzzzzz")[2])
    code, out, err = run("emulate", "gfx999", "--dump", path_of("gfx999"), "reduce")
    check("an architecture of no table: says which row", code == 0 and "in no table" in out and "gfx950" in out, (code, out, err))


def test_words():
    version = run("--version")[1].splitlines()
    check("--version has three lines", len(version) == 3 and version[1].startswith("commit ") and version[2].startswith("build "), version)
    check("no paths in it", "/" not in "".join(version), version)
    here = os.path.dirname(os.path.abspath(__file__))
    page = open(os.path.join(here, "..", "..", "docs", "environment.md")).read()
    documented = set(re.findall(r"^\| `(CLWAVE_\w+)` \|", page, re.M))
    helped = set(re.findall(r"^  (CLWAVE_\w+) ", run("--help")[1], re.M))
    check("--help has the variables of docs/environment.md", helped == documented and len(helped) > 5, helped ^ documented)
    usage = run("why", "--help")[1]
    primitives = re.findall(r"^  ([a-z_]+) {2,}", usage[usage.index("Subcommands:") : usage.index("Exit codes")], re.M)
    check("primitives are many", len(primitives) > 10, primitives)
    for primitive in primitives:
        for row in some("sm_90", "cpu"):
            code, out, err = run("why", primitive, "--emulate", row)
            said = re.findall(r"^not +(.+): (.+)$", out, re.M)
            check(f"why {primitive} on {row} says what it is not", code == 0 and said and all(name and reason for name, reason in said), (code, out, err))


def test_what_help_lists():
    """What --help lists is taken, and nothing else is."""
    operators = re.search(r"--op TEXT=sum(?: Excludes: \S+)?\s+([^\s,]+(?:, [^\s,]+)*)", run("why", "reduce", "--help")[1]).group(1).split(", ")
    check("operators are many", {"sum", "xor", "argmin", "sumsq"} <= set(operators), operators)
    small = write("help.bin", bytes(16))
    for command in (["why", name] for name in subcommands("why")):
        listed = re.search(r"--op TEXT=sum(?: Excludes: \S+)?\s+([^\s,]+(?:, [^\s,]+)*)", run(*command, "--help")[1])
        for op in some(*operators) if listed else ():
            code, out, err = run(*command, "--emulate", "sm_90", "--type", "u32", "--op", op)
            check(f"{command} --op {op}, which --help {'lists' if op in listed.group(1).split(', ') else 'does not list'}",
                  (code == 0) == (op in listed.group(1).split(", ")) and code in (0, 2), (code, err))
    for command in filter(lambda each: each in subcommands(), ("reduce", "scan", "rows", "columns")):
        listed = re.search(r"--op TEXT=sum(?: Excludes: \S+)?\s+([^\s,]+(?:, [^\s,]+)*)", run(command, "--help")[1]).group(1).split(", ")
        for op in operators:
            if op not in listed:
                code, out, err = run(command, small, "--type", "f32", "--op", op)
                check(f"{command} --op {op} is refused, with those there are", code == 2 and ", ".join(listed) in err, (code, err))
        check(f"{command} lists the usual ones", {"sum", "max", "xor", "sumsq"} <= set(listed), listed)
    check("a scan has no argmin", "argmin" not in run("scan", "--help")[1])

    types = run("reduce", small, "--type", "nonsense")[2].partition("use one of ")[2].split()
    check("types are many", {"i8", "bf16", "f64", "cf32", "bool", "byte"} <= set(types), types)
    empty = write("help-empty.bin", b"")
    for command in filter(lambda each: each in subcommands(), ("reduce", "scan", "sort", "histogram")):
        text = re.search(r"--type TEXT +Element type of a raw file, which must be given: ((?:.|\n {10,})*)", run(command, "--help")[1]).group(1)
        listed = set(re.sub(r"([iu])8 to [iu]64", r"\g<1>8, \g<1>16, \g<1>32, \g<1>64", " ".join(text.split())).split(", "))
        check(f"{command} lists types that there are", listed <= set(types), listed)
        for each in some(*types):
            bits = ["--op", "xor"] if each == "byte" and command in ("reduce", "scan") else []
            code, out, err = run(command, empty, "--type", each, *bits)
            no_doubles = each in ("f64", "cf64") and "doubles" in err
            check(f"{command} --type {each}, which --help {'lists' if each in listed else 'does not list'}",
                  no_doubles or ((code == 0) == (each in listed) and code in (0, 2)), (code, err))


def test_export():
    config = path_of("config")
    os.mkdir(config, 0o700)
    device = run_json("info")["devices"][0]
    facts = {fact["name"]: fact["value"] for fact in device["facts"]}
    rows = [f"[{name}]\ndevice = {facts['name']}\ndriver = {driver}\nprofile = {device['profile']['name']}\ndate = 2026-11-21\n"
            "measured = f32, n 16777216\ngroup_size = 1\nitems = 2\ngroups_per_unit = 4\nvector_bytes = 64\nregisters = 0\n"
            "gb_per_s = 12.5\nrow_gb_per_s = 10\n" for name, driver in (("copy", facts["driver version"]), ("fill", "another"))]
    rows.append(f"[merge]\ndevice = {facts['name']}\ndriver = {facts['driver version']}\nprofile = cpu\ndate = 2026-11-21\n"
                "measured = i32, n 4194304\nshares = 2\ngb_per_s = 2.5\nrow_gb_per_s = 2\n")
    with open(os.open(os.path.join(config, "tuning.txt"), os.O_WRONLY | os.O_CREAT, 0o600), "w") as out:
        out.write("clwave-tuning/1\n\n" + "\n".join(rows))
    code, out, err = run("tune", "--export", "-d", device["place"], CLWAVE_CONFIG_DIR=config)
    check("tune --export", code == 0, (code, err))
    if device["profile"]["name"] == "cpu":  # for whose row the numbers are
        check("the row's line", ".copy = {.group_size = 1, .items = 2, .groups_per_unit = 4, .vector_bytes = 64}," in out, out)
        check("a row's line with a name of its own", ".merge = {.shares = 2}," in out, out)
        check("its evidence", "12.5" in out and "2026-11-21" in out and "row cpu" in out, out)
    check("not of another driver", ".fill" not in out, out)
    code, out, _ = run("tune", "--export", CLWAVE_CONFIG_DIR="off")
    check("nothing to export", code == 0 and "nothing is tuned" in out, out)


def test_goals():
    words = ["bench", "--samples", "2", "--benchmark_filter=copy/same/f32/1000000/(clwave|opencl)$"]
    code, out, err = run(*words)
    if code == 2:
        print("skipped: goals, whose row is for a CPU")
        return
    check("bench without --goals names none", code == 0 and "goals" not in out, (code, out, err))
    check("its table fits", all(len(line) <= 100 for line in out.splitlines()), out)
    code, out, err = run(*words, "--goals")
    check("with --goals it does", code in (0, 7) and "goals at 100 %" in out and (code == 7) == ("MISSED" in out), (code, out, err))
    check("which fit, too", all(len(line) <= 100 for line in out.splitlines()), out)


def main():
    test_what_is_listed()
    test_mistyped()
    test_words()
    test_what_help_lists()
    test_against_clinfo()
    test_raw_and_names()
    test_json()
    test_text()
    test_report()
    test_topology()
    if has_bench():
        test_export()
        test_goals()
    else:
        print("skipped: bench and tune, which were not built")


finish(main)
