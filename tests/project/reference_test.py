"""The API reference: Doxygen makes it of the public headers without a warning, every public name in it has a comment, those
that Doxygen itself does not look at (enumerators, concepts) included, and it does notice one that has none.

  reference_test.py DOXYFILE WORK     DOXYFILE: what the target docs was configured with; WORK: a folder for what is made
"""
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

doxyfile, work = map(pathlib.Path, sys.argv[1:])
HEADERS = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
NOT_PUBLIC = {"lifetime.hpp"}  # headers with nothing but details
doxygen = shutil.which("doxygen")
if not doxygen or not doxyfile.exists():
    print("skipped: the build was configured without Doxygen" if doxygen else "skipped: there is no doxygen")
    sys.exit(77)
shutil.rmtree(work, ignore_errors=True)


def make(name, more=""):
    """Runs Doxygen into a folder of that name; gives the folder, whether it was content, and what it said."""
    folder = work / name
    folder.mkdir(parents=True)
    settings = doxyfile.read_text() + f'\nOUTPUT_DIRECTORY = "{folder}"\nGENERATE_XML = YES\n{more}\n'
    done = subprocess.run([doxygen, "-"], input=settings, text=True, capture_output=True, timeout=300)
    return folder, done.returncode == 0 and not done.stderr, f"{done.stdout}{done.stderr}"


def has_comment(entity):
    return any("".join(part.itertext()).strip() for part in
               (entity.find("briefdescription"), entity.find("detaileddescription")) if part is not None)


folder, content, said = make("reference")
if not content:
    sys.exit(f"Doxygen is not content:\n{said}")
names, files, without = 0, set(), []
for page in (folder / "xml").glob("*.xml"):
    compound = xml.parse(page).getroot().find("compounddef")
    if compound is None:
        continue
    if compound.get("kind") == "file":
        files.add(compound.findtext("compoundname"))
    for entity in (*compound.iter("enumvalue"), *([compound] if compound.get("kind") == "concept" else ())):
        names += 1
        if not has_comment(entity):
            without.append(f"{compound.findtext('compoundname')}: {entity.findtext('name') or 'the concept'} has no comment")
if without:
    sys.exit("\n".join(sorted(without)))
missing = {header.name for header in HEADERS.rglob("*.h*")} - NOT_PUBLIC - files
if missing or names < 50:
    sys.exit(f"not in the reference: {sorted(missing)}; {names} enumerators and concepts")
if re.search(r"href=\"\w*clwave_1_1detail", "".join(page.read_text() for page in (folder / "html").glob("*.html"))):
    sys.exit("the reference has pages of namespace detail")

# A function without a comment, in a copy of the headers.
planted = work / "include"
shutil.copytree(HEADERS, planted)
with (planted / "clwave/version.hpp").open("a") as header:
    header.write("\nnamespace clwave {\nint planted(int);\n}  // namespace clwave\n")
_, content, said = make("planted", f'INPUT = "{planted}"\nUSE_MDFILE_AS_MAINPAGE =')
if content or "planted" not in said:
    sys.exit(f"a function without a comment is not noticed:\n{said}")
print(f"{len(files)} files, {names} enumerators and concepts; a function without a comment is noticed")
