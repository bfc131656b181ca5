#!/usr/bin/env python3
"""Command lines that nobody means, made at random of the tool's own words: each ends in time, with an exit code that the help
lists, one clear line on stderr where it fails, and nothing on stdout that is no answer.

  command_lines_test.py <path to clwave> [how many]
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

clwave = os.path.abspath(sys.argv[1])
quick = int(os.environ.get("CLWAVE_TEST_QUICK") or 0) > 0
count = int(sys.argv[2]) if len(sys.argv) > 2 else (100 if quick else 1000)
seed = int(os.environ.get("CLWAVE_TEST_SEED") or random.SystemRandom().getrandbits(32))
rng = random.Random(seed)
folder = tempfile.mkdtemp(prefix="clwave-lines-")
SECONDS = 600

environment = {**os.environ, "CLWAVE_CONFIG_DIR": "off", "HOME": folder}
for name in ("CLWAVE_PROFILE", "CLWAVE_DEVICE"):
    environment.pop(name, None)


def run(words, **how):
    return subprocess.run([clwave, *words], cwd=folder, env=environment, timeout=SECONDS, **{"capture_output": True, **how})


def words_of(*command):
    """The options and subcommands that the help of a command lists."""
    text = run([*command, "--help"]).stdout.decode()
    options = re.findall(r"^  (?:-\w,)?(--?[\w-]+)", text, re.M)
    part = text.partition("Subcommands:\n")[2].partition("\n\n")[0]
    return [option for option in options if option != "--help"], re.findall(r"^  (\w+) ", part, re.M)


def grammar():
    # Not those that measure for minutes.
    commands = {}
    for name in words_of()[1]:
        if name in ("bench", "tune", "demo"):
            continue
        options, parts = words_of(name)
        commands[(name,)] = options
        for part in parts:
            before = ("sm_90", "--dump", "dumped") if name == "emulate" else ()
            commands[(name, *before, part)] = options + words_of(name, *before, part)[0]
    return commands


def files():
    made = {"empty": b"", "few": bytes(range(64)), "text": b"1 2 3\n", "cut.npy": b"\x93NUMPY\1\0v\0{'descr': '<f4'",
            "good.npy": b"\x93NUMPY\1\0" + (118).to_bytes(2, "little") +
                        b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }".ljust(117) + b"\n" + bytes(64)}
    for name, content in made.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    os.mkdir(os.path.join(folder, "a folder"))
    os.mkfifo(os.path.join(folder, "fifo"))
    with open(os.path.join(folder, "sparse"), "wb") as file:
        file.truncate(5 << 30)
    return [*made, "a folder", "fifo", "no such file", "/dev/null", "/dev/full", "/dev/zero", "/proc/self/mem", "."]


COMMANDS, FILES = grammar(), files()
VALUES = ["", " ", "-", "--", "0", "1", "-1", "00", "7", "1000", "4294967296", "9223372036854775807", "18446744073709551615",
          "99999999999999999999", "1e3", "1e400", "nan", "inf", "0x10", "3.5", "8x8", "0x0", "1x", "x1", "4x4x4x4", "f32", "u8", "f64",
          "f16", "bf16", "i64", "f33", "sum", "max", "argmax", "no such", "sm_90", "gfx90a", "gfx999", "cpu", "0:0", "99:99", "-1:0",
          "name~\"", "pci=", "*", "é", "数", "\U0001f600", "a\nb", "a\tb", "%s%n", "$(id)", "a" * 5000, "../..", "x + 1", "{", "*/"]


def line():
    command = rng.choice(list(COMMANDS))
    words = list(command)
    # Half of them are right but for what is added.
    if rng.random() < 0.5:
        if command[0] in ("reduce", "scan", "sort", "rows", "columns"):
            words += ["good.npy"] + (["-o", f"out{rng.randrange(10**9)}.npy"] if command[0] != "reduce" and rng.random() < 0.7 else [])
        elif command[0] == "why":
            words[1:1] = rng.choice([["--emulate", "sm_90"], ["--emulate", "gfx1100"], []])
    options = COMMANDS[command]
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 6])):
        kind = rng.random()
        if kind < 0.55 and options:
            words.append(rng.choice(options))
            if rng.random() < 0.75:
                words.append(rng.choice(VALUES + FILES))
        elif kind < 0.65 and options:
            words.append(rng.choice(options) + "=" + rng.choice(VALUES))
        elif kind < 0.9:
            words.append(rng.choice(FILES))
        else:
            words.append(rng.choice(VALUES + ["--no-such", "-z", "--jso", "---", "-", "--help", "--version"]))
    if rng.random() < 0.1:
        del words[rng.randrange(len(words))]
    if rng.random() < 0.05:
        rng.shuffle(words)
    return words


CODES = {int(code) for code in re.findall(r"(?:codes: |; |\n)(\d) ", run(["--help"]).stdout.decode())}
DEFECTS = re.compile(r"terminate called|Assertion|Sanitizer|runtime error|std::|basic_string|bad_alloc|internal error", re.I)


def look_at(words):
    """The exit code, and what is wrong with how it ended."""
    try:
        done = run(words, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, f"takes more than {SECONDS} seconds"
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    # What drivers print stands before ours.
    own = [each for each in err.splitlines() if each.startswith("clwave")]
    if done.returncode < 0:
        return done.returncode, f"a signal: {-done.returncode}"
    if done.returncode not in CODES:
        return done.returncode, "an exit code that is not in the help"
    if DEFECTS.search(err):
        return done.returncode, "words of a defect: " + err[-500:]
    if done.returncode != 0 and len(own) != 1:
        return done.returncode, f"{len(own)} lines of its own: {err[-500:]}"
    if done.returncode == 2 and out:
        return done.returncode, "refused, and yet an answer: " + out[:300]
    # What goes to a file has no other answer than what is said of it.
    to_file = {"-o", "--output", "sort", "scan"} & {word.partition("=")[0] for word in words}
    if done.returncode == 0 and not out and not (to_file and err):
        return done.returncode, "no answer"
    return done.returncode, None


assert CODES >= {0, 1, 2, 8}, CODES
lines = [line() for _ in range(count)]
violations, ended = [], {}
with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
    for words, (code, wrong) in zip(lines, pool.map(look_at, lines)):
        ended[code] = ended.get(code, 0) + 1
        if wrong:
            violations.append(wrong)
            print("VIOLATION", [word if len(word) < 200 else word[:20] + "..." for word in words], wrong, flush=True)

# Standard output and error that cannot be written, and input that is not there.
for what, redirection in (("closed output", ">&-"), ("full output", ">/dev/full"), ("closed error", "2>&-"), ("closed input", "<&-"),
                          ("all closed", ">&- 2>&- <&-")):
    for words in ("info -l", "info --json", "why --emulate sm_90 reduce", "reduce good.npy", "scan good.npy -o scanned.npy", "--help"):
        done = subprocess.run(["sh", "-c", f'exec "$0" {words} {redirection}', clwave], cwd=folder, env=environment, timeout=SECONDS,
                              capture_output=True)
        wrong_output = "output" in what or what == "all closed"
        good = done.returncode > 0 if wrong_output and "-o" not in words else done.returncode >= 0
        count += 1
        if not good or done.returncode < 0 or done.returncode not in CODES:
            violations.append(what)
            print("VIOLATION", words, what, "ended with", done.returncode, done.stderr[-300:], flush=True)

subprocess.run(["rm", "-rf", folder], check=False)
print(f"{count} command lines, exit codes {dict(sorted(ended.items(), key=str))}: {len(violations)} violations "
      f"(CLWAVE_TEST_SEED={seed})")
sys.exit(1 if violations else 0)
