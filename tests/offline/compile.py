#!/usr/bin/env python3
"""Compiles clwave's programs for devices that are not here, and checks what the compilers made of them.

Each program of cases.py goes through each target of targets.py; its code must be as expect.txt says, and EXPECT of the
primitives' offline.py. What
the machine lacks is skipped and counted; a run that compiled nothing fails.
"""
import argparse
import fnmatch
import re
import shutil
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases
import figures
import lanes_on
import parts
import release
import targets

HERE = Path(__file__).resolve().parent


def read_rules(place, text):
    """[(place:line, ...), ...]"""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        aim = line.startswith("aim ")
        columns = re.split(r"\s{2,}", line.removeprefix("aim ").strip(), maxsplit=3)
        if line.strip() and not line.startswith("#"):
            if len(columns) != 4:
                sys.exit(f"{place}:{number}: not four columns: {line}")
            rules.append((f"{place}:{number}", aim, *columns))
    return rules


def is_of(case, programs):
    """Whether a rule's column of programs, PATTERN or PATTERN but PATTERN, names the case."""
    named, _, left_out = programs.partition(" but ")
    return fnmatch.fnmatch(case, named) and not fnmatch.fnmatch(case, left_out)


def miss(rule, kernel, target, case, words):
    """What is wrong with a kernel; "" if the rule holds, None if the compiler does not say, or nothing was asked for."""
    verb, _, rest = rule.partition(" ")
    if verb in ("has", "lacks"):
        found = next((text for text in kernel.text if re.search(rest, text)), None)
        return "" if (found is not None) == (verb == "has") else f"found {found!r}"
    if verb == "around":
        at, before, after = rest.split(" : ")
        places = [i for i, text in enumerate(kernel.text) if re.search(at, text)]
        for i in places:
            if not any(re.search(before, text) for text in kernel.text[max(0, i - 24):i]):
                return f"no {before} before {kernel.text[i]!r}"
            if not any(re.search(after, text) for text in kernel.text[i + 1:i + 25]):
                return f"no {after} after {kernel.text[i]!r}"
        return "" if places else f"no {at}"
    if verb == "times":
        pattern, _, least = rest.rpartition(" ")
        found = sum(re.search(pattern, text) is not None for text in kernel.text)
        return "" if found >= int(least) else f"is there {found} times"
    if verb == "releases":
        return release.unreleased(kernel, target, rest, int(words["GROUP_SIZE"]))
    if verb == "all_lanes_on":
        wrong, seen = lanes_on.astray(kernel, target.kind)
        return f"not for {wrong[0]!r}, and so {len(wrong)} times" if wrong else "" if seen else None
    relation, limit = rest.split()
    value = figures.value_of(verb, kernel, target, case, words)
    if value is None or (limit.isupper() and limit not in words):
        return None
    limit = float(words.get(limit, limit))
    holds = {"<=": value <= limit, "=": value == limit, ">=": value >= limit}[relation]
    return "" if holds else f"is {value:g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=Path, required=True, help="the clwave tool")
    parser.add_argument("--plans", type=Path, required=True, help="the program offline_plans")
    parser.add_argument("--work", type=Path, required=True, help="a folder for what is written; emptied first")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--target", default="*", help="only targets that match, e.g. 'gfx9*'")
    parser.add_argument("--case", default="*", help="only programs that match one of these, e.g. 'reduce sum*,copy f32'")
    parser.add_argument("--share", type=targets.share, default=(1, 1), metavar="I/N",
                        help="of each target one program in N, and of each program one target in N; with I other ones")
    parser.add_argument("--expect", type=Path, default=HERE / "expect.txt")
    asked = parser.parse_args()

    programs = cases.Programs(asked.tool, asked.plans)
    rules = read_rules(asked.expect.name, asked.expect.read_text())
    for name, module in parts.modules().items():
        rules += read_rules(f"EXPECT of {name}/offline.py", module.EXPECT)
    shutil.rmtree(asked.work, ignore_errors=True)
    shared = asked.work / "libraries"

    def is_asked_for(case):
        return any(fnmatch.fnmatch(case.name, pattern) for pattern in asked.case.split(","))

    pairs, skipped = [], {}
    own, shares = asked.share
    for number, target in enumerate(targets.TARGETS):
        wanted = [c for c in cases.CASES if c.core or not target.core]
        wanted = [c for k, c in enumerate(wanted) if (number + k) % shares == own - 1 and is_asked_for(c)]
        if fnmatch.fnmatch(target.name, asked.target):
            if why := targets.missing(target):
                skipped[target.name] = why
            else:
                pairs += [(target, case) for case in wanted]

    def build(pair):
        target, case = pair
        folder = asked.work / target.name / case.name.replace(" ", "-")
        try:
            programs.write(case, target, folder)
            return targets.compile_source(target, folder, shared), cases.words_of(folder)
        except targets.CompileError as error:
            return str(error), {}

    compiled, failures, aims, used = Counter(), [], Counter(), Counter()
    with ThreadPoolExecutor(asked.jobs) as pool:
        for (target, case), (kernels, words) in zip(pairs, pool.map(build, pairs)):
            if not isinstance(kernels, dict) or not kernels:
                failures.append(f"{target.name}, {case.name}: does not compile\n{kernels}")
                continue
            compiled[target.name] += 1
            for place, aim, at_target, at_case, at_kernel, rule in rules:
                if not fnmatch.fnmatch(target.name, at_target) or not is_of(case.name, at_case):
                    continue
                for kernel in (k for name, k in kernels.items() if fnmatch.fnmatch(name, at_kernel)):
                    wrong = miss(rule, kernel, target, case, words)
                    if wrong is None:
                        continue
                    used[place] += 1
                    if wrong and aim:
                        aims[f"{rule}: {target.name}, {case.name}, {kernel.name} {wrong}"] += 1
                    elif wrong:
                        failures.append(f"{target.name}, {case.name}, {kernel.name}: {rule}: {wrong} "
                                        f"({place})")

    whole = asked.target == "*" and asked.case == "*" and shares == 1
    if whole and not skipped:
        failures += [f"{rule[0]}: this row names no kernel that was compiled"
                     for rule in rules if not used[rule[0]]]
    for name, why in skipped.items():
        print(f"SKIPPED {name}: {why}")
    for text in aims:
        print("NOT YET", text)
    for text in failures:
        print("FAILED", text)
    if shares > 1:
        print(f"share {own} of {shares}:", end=" ")
    print(f"{sum(compiled.values())} programs compiled for {len(compiled)} targets, {sum(used.values())} checks, "
          f"{len(failures)} failures, {len(aims)} aims not reached, {len(skipped)} targets skipped")
    if not compiled and skipped and not failures:
        print("no compiler for any target: nothing was compiled")
        return 77  # ctest shows it as skipped
    if not compiled:
        print("nothing was compiled")
    return 1 if failures or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
