"""The shared library exports what the public headers mark with CLWAVE_EXPORT, and nothing else; its functions in C, with
their versions, are those that a file lists. In the objects that it is made of, namespace clwave has what these headers
declare there; all else is in clwave::detail.

  exports_test.py NM INCLUDE_FOLDER SHARED_LIBRARY STATIC_LIBRARY C_SYMBOLS
"""
import pathlib
import re
import subprocess
import sys

nm, headers, shared, static, c_symbols = sys.argv[1:]


def inside_braces(text, start):
    """The text between the brace at `start` and the one that closes it."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1:at]
    raise ValueError("a brace is not closed")


def declared_in(text):
    """The names that a header declares in namespace clwave, outside of clwave::detail."""
    names = set()
    text = re.sub(r'^\s*#(?:[^\n]*\\\n)*[^\n]*|"(?:\\.|[^"\\\n])*"', "", text, flags=re.M)
    for block in re.finditer(r"^namespace clwave \{", text, flags=re.M):
        inside = inside_braces(text, block.end() - 1)
        for nested in re.findall(r"^namespace detail \{", inside, flags=re.M):
            start = inside.index(nested)
            inside = inside.replace(nested + inside_braces(inside, start + len(nested) - 1) + "}", "", 1)
        # What is left in no bracket are the declarations themselves.
        for brackets in (r"\([^()]*\)", r"\{[^{}]*\}"):
            replaced, n = inside, 1
            while n:
                replaced, n = re.subn(brackets, "@", replaced)
            inside = replaced
        names |= set(re.findall(r"(\w+)\s*(?:[@=;]|:(?!:))", inside))
    return names


# The names that the headers mark, of functions and constructors, and of types that are thrown; and all that they
# declare for users.
functions, types, declared = set(), set(), set()
for header in pathlib.Path(headers).rglob("*.hpp"):
    if header.name == "export.hpp":
        continue
    text = re.sub(r"//[^\n]*", "", header.read_text())
    for declaration in re.findall(r"\bCLWAVE_EXPORT\b([^(;{]*)\(", text):
        functions.add(re.search(r"(operator \w+|~?\w+)\s*$", declaration).group(1))
    types |= set(re.findall(r"\bclass CLWAVE_EXPORT_TYPE (\w+)", text))
    declared |= declared_in(text)


# What the headers for C declare: its functions, without a namespace.
c_functions = set()
for header in (pathlib.Path(headers) / "clwave/c").glob("*.h"):
    text = re.sub(r"//[^\n]*", "", header.read_text())
    c_functions |= set(re.findall(r"\bCLWAVE_EXPORT\b[^(;{]*?\b(clwave_\w+)\(", text))


def symbols_of(library, *options):
    """The kind and the name of each symbol that a library defines for others, with its version; not the versions alone."""
    listed = subprocess.run([nm, "--defined-only", *options, library], capture_output=True, text=True, check=True)
    return [line.split(" ", 2)[1:] for line in listed.stdout.splitlines() if re.match(r"[0-9a-f]+ [B-Zb-z] ", line)]


def without_version(symbol):
    return re.sub(r"@@?[\w.]+$", "", symbol)


exported, faults, exported_to_c = set(), [], set()
for _, versioned in symbols_of(shared, "-D", "-C"):
    symbol = without_version(versioned)
    if symbol in c_functions:
        exported_to_c.add(versioned)
        continue
    about_type = re.fullmatch(r"(?:typeinfo|typeinfo name|vtable) for clwave::(\w+)", symbol)
    # Its own name is what stands before its parameters, without the ABI's tag.
    function = re.fullmatch(r"clwave::(?:\w+::)*(operator \w+|~?\w+)(?:\[abi:\w+\])?\(.*\)(?: const)?", symbol)
    if about_type and about_type.group(1) in types:
        exported.add(about_type.group(1))
    elif function and function.group(1) in functions:
        exported.add(function.group(1))
    else:
        faults.append(f"exported, and no header marks it: {symbol}")
exported |= {without_version(symbol) for symbol in exported_to_c}
faults += [f"marked in a header, and not exported: {name}" for name in sorted((functions | types | c_functions) - exported)]
# A function of C keeps its version as long as the soname stays; a new one gets the version that it comes with.
listed = {line for line in pathlib.Path(c_symbols).read_text().splitlines() if line and not line.startswith("#")}
faults += [f"exported, and not in {c_symbols}: {symbol}" for symbol in sorted(exported_to_c - listed)]
faults += [f"in {c_symbols}, and not exported: {symbol}" for symbol in sorted(listed - exported_to_c)]

# Mangled names: _Z, qualifiers, N6clwave, and the next name after its length. An operator has no length; what it is an
# operator of comes behind. A function that is no member (its name ends with E) and not inline is exported: so an
# internal overload of a public name is found, too.
exported_symbols = {without_version(symbol) for _, symbol in symbols_of(shared, "-D")}
n_public = 0
for kind, symbol in symbols_of(static, "-g"):
    found = re.match(r"_Z(?:T[VIST]|GV|Z)*N[rVKRO]*6clwave([a-z]\w*?NS_)?(\d+)(.*)", symbol)
    if not found:
        if kind in "TDBR" and symbol not in c_functions:
            faults.append(f"defined outside of namespace clwave: {symbol}")
        continue
    operator, length, rest = found.groups()
    name, rest = rest[:int(length)], rest[int(length):]
    if name == "detail" and not operator:
        continue
    n_public += 1
    is_member = not re.match(r"(B\d+\w+?)?E", rest)
    if name not in declared:
        faults.append(f"in namespace clwave, and no header declares {name} there: {symbol}")
    elif kind == "T" and not is_member and symbol not in exported_symbols:
        faults.append(f"in namespace clwave, and no header declares this {name} there: {symbol}")

for fault in faults:
    print(fault)
print(f"{len(exported)} names are exported, {n_public} symbols are in namespace clwave")
sys.exit(bool(faults or not exported or not n_public))
