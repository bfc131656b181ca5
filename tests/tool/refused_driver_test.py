"""Tests the tool on a driver that ends long loops early, Mesa's llvmpipe by way of rusticl, alone and beside others:
python3 tests/tool/refused_driver_test.py <path to clwave>, with OCL_ICD_VENDORS naming its .icd file.

Where the version that is here runs loops to their end, it must be right instead."""

import os
import shutil

from tool_common import check, finish, path_of, run, run_json

RUSTICL = os.environ["OCL_ICD_VENDORS"]
SYSTEM = "/etc/OpenCL/vendors"
# What probes found is asked anew by this test.
ALONE = {"CLWAVE_CACHE_DIR": path_of("cache")}


def refused_devices(found):
    return [device for device in found.get("devices", []) if device["refused"] is not None]


def fact(device, name):
    return next(each for each in device["facts"] if each["name"] == name)


def alone():
    """The driver by itself. Whether it is refused."""
    found = run_json("info", **ALONE)
    check("rusticl has a device", len(found.get("devices", [])) == 1, found)
    device = found["devices"][0]
    loops = fact(device, "loops run to their end")
    check("loops were tried in a kernel", loops["provenance"] == "run probe", loops)
    refused = device["refused"] is not None
    check("what cuts loops short is refused", refused == (loops["value"] == "no"), device["refused"])
    code, out, err = run("demo", **ALONE)
    if not refused:
        check("what is not refused is right", code == 0 and "WRONG" not in out, out + err)
        return False
    check("the reason names the driver and the device", "rusticl" in device["refused"] and device["name"] in device["refused"], device["refused"])
    check("the demo is refused", code != 0 and "WRONG" not in out, (code, out))
    check("by name, and with what to do", "rusticl" in err and "loops" in err and "another device" in err and "PoCL" in err, err)
    code, out, err = run("info", **ALONE)
    check("info shows why", code == 0 and "calls are refused" in out and "llvmpipe" in out, out)
    code, out, err = run("info", "-l", **ALONE)
    check("so does its list", code == 0 and "calls are refused" in out, out)
    return True


def beside_others():
    """First of several drivers, as the order of the files' names has it."""
    place = path_of("vendors")
    os.mkdir(place)
    shutil.copy(RUSTICL, os.path.join(place, "00-rusticl.icd"))
    for name in os.listdir(SYSTEM):
        if "rusticl" not in name and "mesa" not in name:
            shutil.copy(os.path.join(SYSTEM, name), place)
    both = {**ALONE, "OCL_ICD_VENDORS": place + "/"}
    found = run_json("info", **both)
    devices = found.get("devices", [])
    others = [device for device in devices if device["platform"] != "rusticl"]
    if not others:
        print("no other driver is here: the choice among several was not tried")
        return
    check("one device is refused", len(refused_devices(found)) == 1, refused_devices(found))
    for words, variables in ((), {}), (("-d", "cpu"), {}), ((), {"CLWAVE_DEVICE": "cpu"}):
        code, out, err = run("demo", *words, **both, **variables)
        check(f"{words} {variables}: another device is chosen", code == 0 and f"device {others[0]['place']} " in out, out + err)
    place_of_refused = refused_devices(found)[0]["place"]
    code, out, err = run("demo", "-d", place_of_refused, **both)
    check("a device that is named is taken, and refused", code != 0 and "rusticl" in err, out + err)


def main():
    if alone():
        beside_others()


finish(main)
