"""The shared library exports what the public headers mark with CLWAVE_EXPORT, and nothing else.

  exports_test.py NM INCLUDE_FOLDER LIBRARY
"""
import pathlib
import re
import subprocess
import sys

nm, headers, library = sys.argv[1:]

# The names that the headers mark: of functions and constructors, and of types that are thrown.
functions, types = set(), set()
for header in pathlib.Path(headers).rglob("*.hpp"):
    if header.name == "export.hpp":
        continue
    text = re.sub(r"//[^\n]*", "", header.read_text())
    for declaration in re.findall(r"\bCLWAVE_EXPORT\b([^(;{]*)\(", text):
        functions.add(re.search(r"(operator \w+|~?\w+)\s*$", declaration).group(1))
    types |= set(re.findall(r"\bclass CLWAVE_EXPORT_TYPE (\w+)", text))

exported = set()
unmarked = []
listed = subprocess.run([nm, "-D", "--defined-only", "-C", library], capture_output=True, text=True, check=True).stdout
for line in listed.splitlines():
    symbol = line.split(" ", 2)[2]
    about_type = re.fullmatch(r"(?:typeinfo|typeinfo name|vtable) for clwave::(\w+)", symbol)
    # Its own name is what stands before its parameters, without the ABI's tag.
    function = re.fullmatch(r"clwave::(?:\w+::)*(operator \w+|~?\w+)(?:\[abi:\w+\])?\(.*\)(?: const)?", symbol)
    if about_type and about_type.group(1) in types:
        exported.add(about_type.group(1))
    elif function and function.group(1) in functions:
        exported.add(function.group(1))
    else:
        unmarked.append(symbol)

for symbol in unmarked:
    print(f"exported, and no header marks it: {symbol}")
missing = sorted((functions | types) - exported)
for name in missing:
    print(f"marked in a header, and not exported: {name}")
print(f"{len(exported)} names are exported")
sys.exit(bool(unmarked or missing or not exported))
