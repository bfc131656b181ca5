"""A copy of the system's PoCL that compiles the same programs in half of the time, for the shorter runs of the tests.

  slim_driver.py FOLDER

Most of what PoCL does for a program is to read the 18,000 lines in which Clang declares OpenCL C's functions. In the copy that header
has those alone whose names stand somewhere in this tree, and all loads, stores, atomics and conversions. What is declared is as it was,
and so is what is compiled of it; a call of another function does not compile, and the log says which one.

Prints the folder of ICD files for the loader (OCL_ICD_VENDORS): the copy's, and those of the system's other drivers. Prints nothing where
there is no PoCL that lies as Debian's does, or where the environment names drivers already.
"""
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
READ = ("cl_kernels", "lib", "include", "tests", "tools", "examples", "python", "docs")
VENDORS = pathlib.Path("/etc/OpenCL/vendors")

# In one line each, but for the few that stay: __ovld is Clang's word for "overloadable".
declaration = re.compile(r"\w[\w ]*\b__ovld\b[^(]*?(\w+)\s*\(.*\);\s*")
# Names that are put together of pieces.
of_pieces = re.compile(r"convert_[a-z]+\d*(_sat)?|convert_[a-z]+(16)?(_sat)?_rt[enpz]|vload\d+|vstore\d+|vstore_half(16)?(_rt[enpz])?|"
                       r"vload_half(16)?|atom.*")
# What PyOpenCL's own header of complex numbers calls; PyOpenCL's arrays include it (python/tests).
of_pyopencl = re.compile(r"atan2|sincos|sinh|cosh")
# Names of C++ or of other things, too, that no kernel calls: copies by a group, vectors' lanes in another order.
of_others = re.compile(r"shuffle2?|intel_.*|async_.*|prefetch")


def words_of_the_tree():
    words = set()
    for top in READ:
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = [name for name in folders if not name.startswith((".", "build", "__pycache__"))]
            for name in files:
                words.update(re.findall(r"[A-Za-z_]\w*", pathlib.Path(folder, name).read_text(errors="ignore")))
    return words


def slim(header):
    words = words_of_the_tree()

    def stays(line):
        found = declaration.fullmatch(line)
        if not found:
            return True
        name = found.group(1)
        return not of_others.fullmatch(name) and (name in words or any(of.fullmatch(name) for of in (of_pieces, of_pyopencl)))

    return "\n".join(line for line in header.split("\n") if stays(line))


def library_named(name):
    """Where the loader finds it: PoCL looks for its headers from there."""
    places = [name] if os.path.isabs(name) else [f"{place}/{name}" for place in (f"/usr/lib/{os.uname().machine}-linux-gnu", "/usr/lib")]
    return next((pathlib.Path(place) for place in places if os.path.exists(place)), None)


def link_all(of, to):
    to.mkdir(parents=True)
    for each in of.iterdir():
        (to / each.name).symlink_to(each)


def main():
    if os.environ.get("OCL_ICD_VENDORS") or os.environ.get("OCL_ICD_FILENAMES") or not VENDORS.is_dir():
        return
    folder = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "vendors").mkdir(parents=True)
    found = False
    for icd in VENDORS.glob("*.icd"):
        library = library_named(icd.read_text().strip())
        headers = pathlib.Path("/usr/share/pocl/include")
        if not found and library and "libpocl" in library.name and (headers / "opencl-c.h").exists() and (library.parent / "pocl").is_dir():
            found = True
            # It has to lie as deep as the system's: ../../share/pocl from its folder.
            at = folder / "usr/lib/here"
            at.mkdir(parents=True)
            shutil.copy(library, at / library.name)
            (at / "pocl").symlink_to(library.parent / "pocl")
            link_all(headers.parent, folder / "usr/share/pocl")
            (folder / "usr/share/pocl/include").unlink()
            link_all(headers, folder / "usr/share/pocl/include")
            own = folder / "usr/share/pocl/include/opencl-c.h"
            own.unlink()
            own.write_text(slim((headers / "opencl-c.h").read_text()))
            (folder / "vendors" / icd.name).write_text(f"{at / library.name}\n")
        else:
            shutil.copy(icd, folder / "vendors" / icd.name)
    if found:
        print(f"{folder / 'vendors'}/")


if __name__ == "__main__":
    main()
