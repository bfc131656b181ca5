"""Tests clwave warm and the log of programs: python3 tests/tool/tool_warm_test.py <path to clwave>"""

import json
import pathlib

from tool_common import check, finish, has_fields, npy, packed, path_of, run, run_json, write


def fresh(name):
    """Variables with folders of their own for what is kept, and a log."""
    return {"CLWAVE_CACHE_DIR": path_of(name + "-cache"), "CLWAVE_CALL_LOG": path_of(name + ".log")}


def lines_of(variables):
    log = pathlib.Path(variables["CLWAVE_CALL_LOG"])
    return log.read_text().splitlines() if log.exists() else []


def main():
    floats = write("floats.npy", npy("<f4", [20000], packed("f", [1.0] * 20000)))
    logged = fresh("logged")
    code, out, err = run("reduce", floats, **logged)
    check("a call that is logged", code == 0, err)
    lines = lines_of(logged)
    check("the log has a line for its program", len(lines) == 1, lines)
    record = json.loads(lines[0])
    has_fields("a line of the log", record, "clwave", "device", "profile", "primitive", "types", "op", "registers", "words", "texts",
               "declarations", "user_texts")
    run("reduce", floats, **logged)
    check("the log grows", lines_of(logged) == lines * 2, lines_of(logged))

    # From the log, and in words: the same program, which the warming process logs itself.
    again = fresh("again")
    warmed = run_json("warm", "--file", logged["CLWAVE_CALL_LOG"], **again)
    has_fields("warm --json", warmed, "schema", "device", "profile", "built", "from_disk", "failed", "skipped", "seconds", "calls")
    check("one program for two equal lines", (warmed["built"], warmed["failed"], warmed["skipped"]) == (1, 0, 0), warmed)
    check("the program of the log", lines_of(again) == lines, lines_of(again))
    words = fresh("words")
    warmed = run_json("warm", "reduce --type f32 --n 20000", **words)
    check("the program of a call in words", warmed["built"] == 1 and lines_of(words) == lines, (warmed, lines_of(words)))
    code, out, err = run("warm", "--file", logged["CLWAVE_CALL_LOG"], **fresh("text"))
    check("as text", code == 0 and "ready" in out and "1 programs built" in out, (code, out, err))

    # What is of no use here is skipped, and said.
    other = json.dumps({**record, "device": "another"})
    version = json.dumps({**record, "clwave": "0.0.1"})
    row = json.dumps({**record, "profile": "another"})
    calls = write("calls.txt", "\n".join(["# a comment", "", other, version, row, "copy --type f32 --n 1000"]).encode())
    warmed = run_json("warm", "--file", calls, "--threads", "2", **fresh("skipped"))
    outcomes = [call["outcome"] for call in warmed["calls"]]
    check("lines for others are skipped", outcomes == ["skipped"] * 3 + ["ready"] and warmed["skipped"] == 3, warmed)
    check("and it says why", all(call["why"] for call in warmed["calls"][:3]) and warmed["calls"][3]["why"] is None, warmed)

    # A program that does not build is told of, and the others are built.
    broken = dict(record, texts=[[name, "is_not_there(" + text + ")"] for name, text in record["texts"]])
    broken["words"] = [[name, "no_such_type" if name == "VALUE" else word] for name, word in record["words"]]
    code, out, err = run("warm", "--json", "--file", write("broken.log", (json.dumps(broken) + "\n" + lines[0]).encode()), **fresh("broken"))
    warmed = json.loads(out)
    check("a program that does not build", code != 0 and [c["outcome"] for c in warmed["calls"]] == ["failed", "ready"], (code, out))
    check("its place is told", "broken.log:1" in err, err)

    for what, arguments in (("no calls", []), ("no call", ["reduce --type no_such_type --n 5"]), ("an unknown primitive", ["nonsense --n 5"]),
                            ("a file that is not there", ["--file", path_of("nowhere")]),
                            ("a line of nothing", ["--file", write("bad.log", b"{\"clwave\": 1}\n")]),
                            ("a word with a blank in it", ["--file", write("blank.log", json.dumps(
                                {**record, "words": [["A", "1 -DB"]]}).encode())])):
        code, out, err = run("warm", *arguments, **fresh("refused"))
        check(f"{what} is refused", code == 2 and not out and err, (code, out, err))

    # A log that cannot be written is no reason to fail.
    code, out, err = run("reduce", floats, CLWAVE_CALL_LOG=path_of("nowhere/calls.log"))
    check("a log that cannot be written", code == 0, err)


if __name__ == "__main__":
    finish(main)
