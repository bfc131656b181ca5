"""The documentation against the tree: links and anchors, files that are named, the README's length, pages nobody links, the
table of environment variables against what the code reads, the calls that moving.md names against the headers, the recipes
against the program that has them, the headers against their topics, the packages' descriptions against the primitives, the
tool's commands, what its man page refers to, and the screen of its info.

  docs_test.py [TOOL]     without TOOL, which is build/bin/clwave, commands are not compared
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
OTHERS = ("CONTRIBUTING.md", "CHANGELOG.md", "cl_kernels/README.md", "tools/clwave/README.md", "tests/README.md", "tests/offline/README.md")
PAGES = [README, *(ROOT / name for name in OTHERS), *sorted(DOCS.glob("*.md"))]
TOP_FOLDERS = "cl_kernels|docs|examples|include|lib|tests|tools"
README_WORDS = 1400
wrong = []


def complain(page, words):
    wrong.append(f"{page.relative_to(ROOT)}: {words}")


def blocks_and_text(page):
    """The lines of code blocks, and those of all else."""
    inside, blocks, text = False, [], []
    for line in page.read_text().splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        else:
            (blocks if inside else text).append(line)
    if inside:
        complain(page, "a code block does not end")
    return blocks, text


def anchors_of(page):
    """What GitHub makes of headings: lower case, no punctuation, hyphens for blanks, numbers for those that come again."""
    seen, anchors = {}, set()
    for line in blocks_and_text(page)[1]:
        heading = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        anchors.add(anchor if anchor not in seen else f"{anchor}-{seen[anchor]}")
        seen[anchor] = seen.get(anchor, 0) + 1
    return anchors


def links_of(page):
    # Code is taken out, but not where it is what a link shows.
    text = re.sub(r"`[^`\n]*`", "code", "\n".join(blocks_and_text(page)[1]))
    return re.findall(r"\]\(([^()\s]+)\)", text)


def is_gone(name):
    """Whether the pages may speak of a primitive that this tree no longer has: they name it, and not in a path alone."""
    return not (ROOT / f"lib/primitives/{name}.cpp").exists() and any(
        re.search(rf"(?<![\w/.-]){name}(?![\w/.-])", page.read_text()) for page in PAGES)


def is_of_a_gone_primitive(path):
    """For a file or a folder that is a primitive's by its place."""
    found = re.match(r"(?:include/clwave|lib/primitives|cl_kernels/primitives|tests/primitives|tools/clwave/(?:primitives|bench/rows))/"
                     r"(?:sharded_|host_array_|ranks_)?([a-z_]+)", str(path))
    return bool(found and is_gone(found.group(1)))


def recipes_are_gone():
    """An example goes with the first primitive that it calls."""
    return not (ROOT / "examples/recipes").exists() and any(is_gone(name) for name in ("scan", "search", "select", "sort", "transform"))


def check_links():
    n_links, reached = 0, set()
    for page in PAGES:
        for link in links_of(page):
            if re.match(r"[a-z]+:", link):
                if not re.fullmatch(r"https?://[\w.-]+\.[a-z]+(/\S*)?", link):  # of other sites only the form is looked at
                    complain(page, f"{link} is no address")
                continue
            n_links += 1
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if target.is_relative_to(ROOT / "examples/recipes") and recipes_are_gone():
                continue
            if target.is_relative_to(ROOT) and is_of_a_gone_primitive(target.relative_to(ROOT)):
                continue
            if not target.is_relative_to(ROOT) or not target.exists():
                complain(page, f"{link} leads nowhere")
            elif anchor and (target.suffix != ".md" or anchor not in anchors_of(target)):
                complain(page, f"{link}: there is no such heading")
            elif page in (README, DOCS / "README.md"):
                reached.add(target)
    for page in sorted(DOCS.rglob("*")):
        if page.is_file() and page not in reached:
            complain(page, "neither README.md nor docs/README.md leads here")
    return n_links


def is_of_no_primitive(line):
    """Whether a line is about primitives whose entries have a word that none of this tree's has."""
    word = re.search(r"where its entry says `([A-Z_]+)`", line)
    entries = re.findall(r"(?m)^clwave_primitive\(([^)]*)\)", (ROOT / "primitives.cmake").read_text())
    return bool(word) and not any(word.group(1) in entry.split() for entry in entries)


def check_files():
    """Files and folders of the tree that a text names: `tests/project/docs_test.py`. The changelog may name what is gone."""
    n_files = 0
    for page in PAGES:
        if page.name == "CHANGELOG.md":
            continue
        for line in filter(lambda line: not is_of_no_primitive(line), blocks_and_text(page)[1]):
            for path in re.findall(rf"`((?:{TOP_FOLDERS})/[\w./-]*)", line):
                pattern = path.replace("NAME", "*")
                n_files += 1
                if not any(ROOT.glob(pattern + "*" if pattern.endswith(("_", "-")) else pattern)) and not is_of_a_gone_primitive(path):
                    complain(page, f"`{path}` is not in the tree")
    return n_files


def variables_read():
    """CLWAVE_* that the library, the tool and the tests read from the environment."""
    by_call = r"\(\"(CLWAVE_\w+)\""
    in_code, in_script = "*.[ch]pp", r"environ(?:\.get\(|\[)[\"'](CLWAVE_\w+)[\"']"
    names = set()
    for folder, files, way in (("lib", in_code, "(?:getenv|environment|user_directory_path)" + by_call),
                               ("tools", in_code, "(?:getenv|environment)" + by_call),
                               ("tests", in_code, "getenv" + by_call),  # there, an environment sets a variable
                               ("tools", "*.py", in_script), ("tests", "*.py", in_script)):
        for file in (ROOT / folder).rglob(files):
            names.update(re.findall(way, file.read_text()))
    return names


def check_variables():
    tables = [row for page in PAGES if page == README or page.parent == DOCS for row in
              re.findall(r"^\| variable \| meaning \|\n\|[-|]+\n((?:\|.*\n)+)", page.read_text(), re.MULTILINE)]
    told = [name for table in tables for name in re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)]
    read = variables_read()
    if len(tables) != 1 or len(told) != len(set(told)):
        wrong.append("there is not one table of variables, with each of them once")
    for name in sorted(read ^ set(told)):
        wrong.append(f"{name} is read and in no table" if name in read else f"{name} is in the table and nobody reads it")
    return len(told)


def names_in_headers():
    """Every name in the code of the public headers, and those that are called or declared with parameters."""
    code = "\n".join(re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
                     for file in sorted((ROOT / "include/clwave").glob("*.hpp")))
    return set(re.findall(r"[a-z]\w*", code)), set(re.findall(r"\b([a-z]\w*)\(", code))


def check_moves():
    """In moving.md, the calls and options of its tables' middle column are in the headers, and what it says is missing is not."""
    page = DOCS / "moving.md"
    names, calls = names_in_headers()
    tables, _, missing = page.read_text().partition("## What is not here")
    # The table of calls still names those of a primitive that this tree no longer has.
    table = (DOCS / "calls.md").read_text()
    headers = [DOCS / path for path in re.findall(r"\((\.\./include/clwave/\w+\.hpp)\)", table)]
    gone = set() if all(header.exists() for header in headers) else set(re.findall(r"[a-z]\w*", table))
    n_calls = 0
    for row in re.findall(r"^\| (.*) \|$", tables, re.MULTILINE):
        cells = re.split(r" \| ", row)
        for text in re.findall(r"`([^`]+)`", cells[1]) if len(cells) == 3 else ():
            text = re.sub(r'"[^"]*"', "", text)  # what is quoted is OpenCL C
            called = re.findall(r"\b([a-z]\w*)(?:<[^()]*>)?\(", text) + re.findall(r"^([a-z]\w*)$", text)
            n_calls += len(called)
            # Options of a call that is gone are in no table.
            options = [] if gone else re.findall(r"\.([a-z]\w*)(?: =|$)", text)
            for name in called + options:
                if name not in names | gone and name != "i":
                    complain(page, f"`{name}` is in no header")
    for name in re.findall(r"`([a-z]\w*)`", missing):
        if name in calls:
            complain(page, f"`{name}` is said to be missing, and a header has it")
    if n_calls < 100:
        complain(page, f"only {n_calls} calls were found in its tables")
    return n_calls


def check_recipes():
    """The code in recipes.md is that of the program which the tests run, each piece of it once."""
    if recipes_are_gone():
        return 0
    page, program = DOCS / "recipes.md", (ROOT / "examples/recipes/recipes.cpp").read_text()
    pieces = [re.sub(r"(?m)^  ", "", piece) for piece in re.findall(r"(?ms)^  // \w+\n(.*?)^  // end\n", program)]
    pieces += re.findall(r"(?ms)^struct moments \{.*?\n(?=\n)", program)
    blocks = re.findall(r"(?ms)^```cpp\n(.*?)^```$", page.read_text())
    for piece in set(pieces) ^ set(blocks):
        complain(page, f"a recipe is not what examples/recipes has, at: {piece.splitlines()[0]}")
    if len(pieces) < 5:
        complain(page, f"only {len(pieces)} recipes were found")
    return len(blocks)


# What the packages' description calls each primitive.
DESCRIBED = {"reduce": "reductions", "reduce_by_key": "runs", "reduce_rows": "rows", "reduce_columns": "columns", "scan": "scans",
             "scan_by_key": "runs", "segmented_reduce": "segments", "segmented_scan": "segments", "segmented_sort": "segments",
             "select": "selections", "sort": "sorts", "merge_sort": "sorts", "key_sort": "sorts", "top_k": "largest elements",
             "merge": "merges", "bounds": "bounds", "set_operations": "set operations", "histogram": "histograms", "gather": "gathers",
             "search": "searches", "random": "random numbers",
             "copy": "copies", "transform": "maps", "transpose": "transposes", "layout": "layouts", "gemm": "matrix products"}


def check_descriptions():
    """Debian's descriptions name every primitive, in lines that Debian takes."""
    page = ROOT / "tools/packaging/debian.cmake"
    about = re.search(r'(?s)set\(clwave_about "(.*?)"\)', page.read_text()).group(1)
    names = re.findall(r"(?m)^clwave_primitive\((\w+)", (ROOT / "primitives.cmake").read_text())
    for name in names:
        if DESCRIBED.get(name, name) not in " ".join(about.split()):
            complain(page, f"the description does not name {DESCRIBED.get(name, name)}")
    descriptions = re.findall(r'(?s)(?:_DESCRIPTION|_about\w*) "(.*?)"\)', page.read_text())
    for line in "\n".join(descriptions).splitlines():
        if len(line) > 79 and "$" not in line:
            complain(page, f"a line of a description has {len(line)} letters, more than 79: {line}")
    return len(names)


def check_topics():
    """Each public header, and no other, has its topic in the reference, once."""
    page = DOCS / "reference.md"
    rows = re.findall(r"(?m)^\| .* \| (.*) \|$", page.read_text().partition("## Calls by topic")[2])
    listed = sorted(re.findall(r"\w+\.hp?p?", " ".join(rows)))
    there = {path.name for path in (ROOT / "include/clwave").glob("*.h*")} - {"lifetime.hpp"}  # which has nothing but details
    for name in sorted(there ^ set(listed)):
        if not is_of_a_gone_primitive(f"include/clwave/{name}"):
            complain(page, f"{name} has no topic" if name in there else f"{name} is no header")
    if len(listed) != len(set(listed)):
        complain(page, "a header has two topics")
    return len(listed)


def commands_of(tool):
    """Those that --help lists, and two that it lists only where they were built."""
    text = subprocess.run([tool, "--help"], text=True, capture_output=True, check=True, timeout=60).stdout
    return {"bench", "tune"} | set(re.findall(r"^  ([a-z]\w*) {2,}", text.partition("Subcommands:")[2].partition("\n\n")[0], re.MULTILINE))


def check_commands(tool):
    there = commands_of(tool)
    if "info" not in there:
        wrong.append(f"{tool} --help lists no commands")
    named = set()
    for page in PAGES:
        blocks, text = blocks_and_text(page)
        said = [re.match(r"\s*(?:\$ )?(?:[\w./]*/)?clwave ([a-z]\w*)", line) for line in blocks]
        said += re.finditer(r"`clwave ([a-z]\w*)", "\n".join(text))
        for command in {match.group(1) for match in said if match}:
            named.add(command)
            if command not in there | {"visit"} and not is_gone(command):  # which the tool runs itself by, and does not list
                complain(page, f"`clwave {command}` is no command")
    for command in sorted(there - named):
        wrong.append(f"no page names `clwave {command}`")
    return len(there)


def check_info(tool: str) -> int:
    """The screen of `clwave info` in devices.md has the lines that the tool prints, of at most 80 columns."""
    page = DOCS / "devices.md"
    shown = re.search(r"(?s)`clwave info` shows each device on a screen.*?```\n(.*?)```", page.read_text()).group(1)
    printed = subprocess.run([tool, "info"], text=True, capture_output=True, timeout=60, env={**os.environ, "COLUMNS": "80"}).stdout
    words = r"(?m)^  ([a-z ]{11,12})\S"
    known = {word.strip() for word in re.findall(words, printed)}
    told = [word.strip() for word in re.findall(words, shown)]
    if known and ("clwave" not in told or not set(told) <= known):
        complain(page, f"the screen of clwave info has the lines {told}, the tool {sorted(known)}")
    if max(map(len, shown.splitlines())) > 80:
        complain(page, "the screen of clwave info is wider than 80 columns")
    return len(told)


def check_manual(tool: str) -> int:
    """What the tool's man page refers to: commands, options and variables that there are."""
    page = subprocess.run([tool, "manual"], text=True, capture_output=True, check=True, timeout=60).stdout.replace("\\-", "-")
    told = set(re.findall(r"(?m)^\| `(\w+)` \|", (DOCS / "environment.md").read_text()))
    options = set(re.findall(r"(?m)^\.B .*?(--[\w-]+)", page))
    refers = [("command", word, f".SS clwave {word}\n" in page) for word in re.findall(r"(?:see|of|by|as) clwave ([a-z]+)", page)]
    refers += [("variable", word, word in told) for word in re.findall(r"\bCLWAVE_[A-Z_]+", page)]
    refers += [("option", word, word in options or word.startswith("--benchmark_")) for word in re.findall(r"(?<![\w-])(--[a-z][\w-]+)", page)]
    for kind, word, there in refers:
        if not there:
            wrong.append(f"the man page names the {kind} {word}, which is not there")
    return len(refers)


done = [f"{check_links()} links", f"{check_files()} files", f"{check_variables()} variables"]
KERNELS = ROOT / "cl_kernels"
order = [name for name in re.findall(r'^#include "(.+)"', (KERNELS / "clwave.cl").read_text(), re.M) if name.endswith(".cl")]
mapped = []
for row in (KERNELS / "README.md").read_text().split("| part | knows |")[1].split("\n\n")[0].splitlines()[2:]:
    names = re.findall(r"`([\w/]+\.cl)`", row.split("|")[1])
    names = [name if "/" in name else names[0].rsplit("/", 1)[0] + "/" + name for name in names]
    mapped += names
    # What a row says that its files offer stands there.
    texts = "".join((KERNELS / name).read_text() for name in names if (KERNELS / name).exists())
    for word in re.findall(r"`(\w+)", row.split("|")[3]) if texts else []:
        if word not in texts:
            wrong.append(f"cl_kernels/README.md: {names[0]} offers no {word}")
mapped = [name for name in mapped if (KERNELS / name).exists()]  # a primitive that is removed leaves its row
if mapped != order:
    wrong.append("cl_kernels/README.md: the map of parts has not the files of clwave.cl in their order: "
                 f"{sorted(set(mapped) ^ set(order)) or 'all are there'}")
unlisted = {str(path.relative_to(KERNELS)) for path in KERNELS.rglob("*.cl")} - {*order, "clwave.cl"}
if unlisted:
    wrong.append(f"clwave.cl does not include {sorted(unlisted)}")
# What a program is made of is listed where its words are added: no part stands in a condition as a whole.
for name in order:
    code = [line for line in (KERNELS / name).read_text().splitlines() if line.strip() and not line.startswith("//")]
    depth = [line.startswith("#if") - line.startswith("#endif") for line in code]
    whole = code[0].startswith("#if") and all(sum(depth[:k]) > 0 for k in range(1, len(code)))
    between = any(line.startswith("#el") and sum(depth[:k]) == 1 for k, line in enumerate(code))
    if whole and not between and not name.startswith("device/"):
        wrong.append(f"cl_kernels/{name} stands in one condition: the host is to list it where it is wanted")
done.append(f"{len(order)} kernel files")

words = len(README.read_text().split())
if words > README_WORDS:
    complain(README, f"{words} words are more than {README_WORDS}")
done.append(f"{words} words of README")
done.append(f"{check_recipes()} recipes")
done.append(f"{check_topics()} headers by topic")
done.append(f"{check_descriptions()} primitives described")
done.append(f"{check_moves()} calls in moving.md")
tool = sys.argv[1] if len(sys.argv) > 1 else ""
if tool:
    done.append(f"{check_info(tool)} lines of info")
    done.append(f"{check_manual(tool)} references of the man page")
done.append(f"{check_commands(tool)} commands" if tool else "no commands, for there is no tool")
if wrong:
    sys.exit("\n".join(wrong))
print(", ".join(done))
