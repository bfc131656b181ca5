"""Makes a driver that came by pip known to the OpenCL loader, before it looks for drivers."""

import os
import pathlib
import sys

#: The driver that find() added, or None.
added = None

# What says to a loader which drivers there are. A user who set one of them has chosen.
CHOSEN_BY = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH")
# Where a loader looks for drivers by itself.
SYSTEM_FOLDER = pathlib.Path("/etc/OpenCL/vendors")


def find():
    """Adds the driver of the extra [cpu] by OCL_ICD_FILENAMES, which adds to the system's own drivers."""
    global added
    if any(os.environ.get(name) for name in CHOSEN_BY):
        return
    for folder in (pathlib.Path(sys.prefix) / "lib", pathlib.Path(sys.prefix) / "lib64"):
        for library in sorted(folder.glob("libintelocl.so*")):
            # Intel's driver is one of the system's already where it was installed there.
            if any(SYSTEM_FOLDER.glob("intel*.icd")):
                return
            os.environ["OCL_ICD_FILENAMES"] = str(library)
            added = str(library)
            return
