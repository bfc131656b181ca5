"""The API reference: Doxygen makes it of the public headers without a warning, every public name in it has a comment, those
that Doxygen itself does not look at (enumerators, concepts) included, and it does notice one that has none. Every link of its pages
leads to a page and a place that are there.

  reference_test.py DOXYFILE WORK     DOXYFILE: what the target docs was configured with; WORK: a folder for what is made
"""
import html
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


def dead_links(pages: pathlib.Path) -> tuple[int, list[str]]:
    """How many links the pages of a folder have, and those that lead nowhere; of other sites' only the form is looked at."""
    texts = {page.name: page.read_text() for page in pages.glob("*.html")}
    places = {name: {html.unescape(place) for place in re.findall(r'\b(?:id|name)="([^"]+)"', text)} for name, text in texts.items()}
    count, dead = 0, []
    for name, text in texts.items():
        for link in map(html.unescape, re.findall(r'<a [^>]*href="([^"]*)"', text)):
            count += 1
            path, _, place = link.partition("#")
            path = path or name
            if re.match(r"[a-z]+:", link):
                good = bool(re.fullmatch(r"https?://[\w.-]+\.[a-z]+(/[^\s<>\"]*)?", link))
            else:
                good = (pages / path).exists() and (not place or place in places.get(path, {place}))
            if not good:
                dead.append(f"{name}: {link} leads nowhere")
    return count, dead


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

links, dead = dead_links(folder / "html")
if dead or links < 1000:
    sys.exit("\n".join(sorted(dead)) or f"only {links} links were found")
broken = ("nowhere.html", "#nowhere", "https://no where")
(work / "broken.html").write_text("".join(f'<a href="{link}">' for link in broken))
if len(dead_links(work)[1]) != len(broken):
    sys.exit(f"links that lead nowhere are not noticed: {dead_links(work)}")

# A function without a comment, in a copy of the headers.
planted = work / "include"
shutil.copytree(HEADERS, planted)
with (planted / "clwave/version.hpp").open("a") as header:
    header.write("\nnamespace clwave {\nint planted(int);\n}  // namespace clwave\n")
_, content, said = make("planted", f'INPUT = "{planted}"\nUSE_MDFILE_AS_MAINPAGE =')
if content or "planted" not in said:
    sys.exit(f"a function without a comment is not noticed:\n{said}")
print(f"{len(files)} files, {names} enumerators and concepts, {links} links; "
      "a link that leads nowhere and a function without a comment are noticed")
