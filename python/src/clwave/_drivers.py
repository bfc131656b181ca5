"""Makes a driver that came by pip known to the OpenCL loader, before it looks for drivers."""

import os
import pathlib
import sys
import tempfile

#: The driver that find() added, or None.
added = None

# What says to a loader which drivers there are. A user who set one of them has chosen.
CHOSEN_BY = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH")
# Where a loader looks for drivers by itself.
SYSTEM_FOLDER = pathlib.Path("/etc/OpenCL/vendors")


def find():
    """Adds the driver of the extra [cpu], by a folder that names it beside the system's drivers.

    Each loader reads OCL_ICD_VENDORS; OCL_ICD_FILENAMES, which would add to the system's own, not all of them do.
    """
    global added
    if any(os.environ.get(name) for name in CHOSEN_BY):
        return
    library = pathlib.Path(sys.prefix) / "lib" / "libintelocl.so"
    # Intel's driver is one of the system's already where it was installed there.
    if not library.is_file() or any(SYSTEM_FOLDER.glob("intel*.icd")):
        return
    try:
        folder = _folder_of_drivers(library)
    except OSError:
        return  # the system's drivers are still there
    os.environ["OCL_ICD_VENDORS"] = str(folder)
    added = str(library)


def _folder_of_drivers(library):
    """A folder with the system's drivers and this one. It stays, because child processes have its name."""
    files = {path.name: path.read_text() for path in sorted(SYSTEM_FOLDER.glob("*.icd"))}
    files["clwave_cpu.icd"] = f"{library}\n"
    for parent in (pathlib.Path(sys.prefix) / "share" / "clwave", pathlib.Path(tempfile.gettempdir()) / f"clwave-{os.getuid()}"):
        folder = parent / "vendors"
        try:
            parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(exist_ok=True, mode=0o700)
            if any(each.lstat().st_uid != os.getuid() or each.is_symlink() or each.stat().st_mode & 0o022 for each in (parent, folder)):
                continue  # others could name any library there
            for old in folder.glob("*.icd"):
                if old.name not in files:
                    old.unlink()
            for name, text in files.items():
                path = folder / name
                if not path.is_file() or path.read_text() != text:
                    part = folder / f"{name}.{os.getpid()}"
                    part.write_text(text)
                    part.replace(path)
            return folder
        except OSError:
            continue
    raise OSError("no folder for the drivers' names")
