"""The command `clwave`: the library's tool where the package has it, else what Python can tell of devices."""

import os
import pathlib
import sys


def main():
    tool = pathlib.Path(__file__).parent / "bin" / "clwave"
    if tool.is_file():
        from clwave import _drivers

        _drivers.find()
        os.execv(tool, [str(tool), *sys.argv[1:]])
    if sys.argv[1:2] != ["info"] or len(sys.argv) > 2:
        print("usage: clwave info\nThis package was built without the tool; docs/python.md says how to build it.", file=sys.stderr)
        return 2
    import clwave
    from clwave import _drivers

    if _drivers.added:
        print(f"driver of the extra [cpu]: {_drivers.added}")
    try:
        devices = clwave.info()
    except clwave.Error as failed:
        print(failed, file=sys.stderr)
        return 1
    if not devices:
        print("there is no OpenCL device", file=sys.stderr)
        return 3
    for device in devices:
        print(f"{device['place']} {device['name']}, profile {device['profile']}")
        for name, value in device["facts"].items():
            print(f"    {name}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
