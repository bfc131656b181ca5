"""clwave beside CuPy, PyTorch, PyOpenCL and NumPy, as far as they are there: checked calls on random elements, timed in turns.

  compare.py [--n 2^20 ...] [--rows sum,sort] [--peers torch,cupy] [--repeats 15] [--json FILE] [--picture FILE.svg]
  compare.py --from FILE.json --picture FILE.svg

Each row is the same work on the same elements, which lie on the peer's device (in memory for NumPy) before the time begins. Outputs
are made before too, where the peer takes one. Each result is compared with NumPy's, bit by bit, before its call is timed; a peer
whose result is wrong, or that fails, is left out of that row, with the reason. If the result of clwave is wrong, the status is 1.

  sum       of floats whose sums are exact in any order; the value is on the host in the end
  scan      inclusive, of the same floats
  sort      of floats between -0.5 and 0.5; PyTorch's gives the indices too; PyOpenCL sorts unsigned integers of the same order
  argsort   the indices that sort
  unique    the first element of each run of equal neighbours, a run has four elements on average; CuPy and NumPy compare neighbours and
            take what differs, because their own `unique` sorts
  copy_if   the elements above 0, half of them; CuPy, PyTorch and NumPy make a mask and take by it
  top_k     the 100 largest elements, by clwave and PyTorch with their indices; CuPy partitions or sorts, whichever takes less time

`one` is the time from a call until its result is there; `ten in a row` is a tenth of that of ten calls, of which only the last one is
waited for (a sum then stays on the device). In each of the repeats the peers take turns, in changing order, so that all meet the same
clocks. A turn makes a call that is not timed, which brings the device to the peer's context, then three single ones and ten in a row.
A peer whose call takes longer than 50 ms makes one timed call in a turn, and none takes turns after `--seconds` seconds a row. Printed
are the medians in microseconds, the quarters around them, and how many times the median of clwave a peer's is. FILE.json gets all
times; where the file is there, the run is added to its runs. The picture shows the ratios of all runs of a file.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import sys
import time

import numpy as np

from peers import K, PEERS, ROWS, Data, call_of, timed

IN_A_ROW = 10
SLOW_SECONDS = 0.05


def reason(failed):
    """An exception in one line."""
    return f"{type(failed).__name__}: {str(failed).strip()[:400]}".replace("\n", " | ")


def in_a_row(row):
    for _ in range(IN_A_ROW):
        last = row.enqueue()
    row.wait(last)


class Times:
    """What a peer's turns have measured, in seconds."""

    def __init__(self, row, first):
        self.row, self.call, self.first = row, call_of(row), first
        self.one, self.ten, self.spent = [], [], 0.0
        self.least = timed(self.call)

    def turn(self, counts):
        slow, begin = self.least > SLOW_SECONDS, time.perf_counter()
        if slow and not counts:
            return
        if not slow:
            self.call()
        one = [timed(self.call) for _ in range(1 if slow else 3)]
        ten = [] if slow else [timed(lambda: in_a_row(self.row)) / IN_A_ROW]
        self.least = min([self.least, *one])
        # Before any counts, the device's clocks rise.
        if counts:
            self.one += one
            self.ten += ten
            self.spent += time.perf_counter() - begin


def quarters(times):
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
    return {"median": 1e6 * middle, "low": 1e6 * low, "high": 1e6 * high, "samples": len(times)}


def measure(name, data, peers, repeats, seconds):
    """The quarters by peer. A peer that fails, or whose result is wrong, is left out, and why is printed."""
    times = {}
    for peer, calls in peers.items():
        if not hasattr(calls, name):
            continue
        try:
            row = getattr(calls, name)()
            begin = time.perf_counter()
            last = row.enqueue()
            row.wait(last)
            first = time.perf_counter() - begin
            is_right = getattr(data, "is_" + name)
            if not is_right(row.result(last)) or (row.value and not is_right(row.value())):
                raise ArithmeticError("the result is wrong")
            times[peer] = Times(row, first)
        except Exception as failed:
            print(f"{data.n:9} {name:8} {peer:9} is left out: {reason(failed)}", flush=True)
    for turn in range(-1, repeats):
        order = list(times)
        for peer in order[turn % len(order):] + order[: turn % len(order)] if order else []:
            each = times[peer]
            if each.spent > seconds and len(each.one) > 1:
                continue
            try:
                each.turn(turn >= 0)
            except Exception as failed:
                print(f"{data.n:9} {name:8} {peer:9} is left out: {reason(failed)}", flush=True)
                del times[peer]
    found = {}
    for peer, each in times.items():
        found[peer] = {"n": data.n, "row": name, "peer": peer, "first_us": 1e6 * each.first, "one": quarters(each.one)}
        if each.ten:
            found[peer]["ten_in_a_row"] = quarters(each.ten)
    return found


def ratio(found, peer, kind):
    """How many times the median of clwave a peer's is, or None."""
    both = found.get("clwave", {}).get(kind), found.get(peer, {}).get(kind)
    return both[1]["median"] / both[0]["median"] if all(both) else None


def show(found):
    for peer, each in found.items():
        words = [f"{each['n']:9} {each['row']:8} {peer:9}"]
        for kind in "one", "ten_in_a_row":
            if kind in each:
                of, times = each[kind], ratio(found, peer, kind)
                words.append(f"{kind.replace('_', ' ')} {of['median']:10.1f} ({of['low']:.1f} to {of['high']:.1f})"
                             + (f" {times:7.2f} x" if times else ""))
        print("  ".join(words), flush=True)


def save(path, runs, run):
    with open(path + ".new", "w") as file:
        json.dump({"runs": runs + [run]}, file, indent=1)
    os.replace(path + ".new", path)


def draw(runs, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clwave"})
    import matplotlib.pyplot as plot

    ratios = {}  # by number of elements, row and peer; a later run replaces what an earlier one has
    for run in runs:
        by_row = {}
        for each in run["rows"]:
            by_row.setdefault((each["n"], each["row"]), {})[each["peer"]] = each
        for key, found in by_row.items():
            ratios.update({(*key, peer): ratio(found, peer, "one") for peer in found if peer != "clwave" and "clwave" in found})
    if not ratios:
        raise SystemExit("no run has clwave beside a peer")
    sizes = sorted({n for n, _, _ in ratios})
    names = [name for name in ROWS if any(row == name for _, row, _ in ratios)]
    peers = [peer for peer in PEERS if any(peer == of for _, _, of in ratios)]
    figure, panels = plot.subplots(1, len(sizes), figsize=(1 + 4.5 * len(sizes), 1.2 + 0.22 * len(names) * (len(peers) + 1)),
                                   sharey=True, sharex=True, squeeze=False, layout="constrained")
    height = 1 / (len(peers) + 1)
    for panel, n in zip(panels[0], sizes):
        for at, peer in enumerate(peers):
            here = [(place + at * height, ratios[n, name, peer]) for place, name in enumerate(names) if (n, name, peer) in ratios]
            if not here:
                continue
            # From 1, where both take the same time.
            panel.barh([y for y, _ in here], [times - 1 for _, times in here], height, left=1, color=f"C{at}", label=peer)
            for y, times in here:
                panel.annotate(f"{times:.3g}", (times, y), (3 if times >= 1 else -3, 0), textcoords="offset points", va="center",
                               ha="left" if times >= 1 else "right", fontsize=7)
        panel.axvline(1, color="black", linewidth=0.8)
        panel.set_xscale("log")
        panel.margins(x=0.2)
        panel.set_title(f"2^{n.bit_length() - 1} floats" if n & (n - 1) == 0 else f"{n} floats")
        panel.set_xlabel("times what clwave takes")
    panels[0][0].set_yticks([place + (len(peers) - 1) * height / 2 for place in range(len(names))], names)
    panels[0][0].invert_yaxis()
    # A panel may lack a peer.
    handles = {label: handle for panel in panels[0] for handle, label in zip(*panel.get_legend_handles_labels())}
    figure.legend(handles.values(), handles, loc="outside upper center", ncols=len(peers),
                  title=f"clwave {runs[-1]['about']['clwave']} on {runs[-1]['about']['device']}")
    figure.savefig(path, metadata={"Date": None})


def elements(text):
    n = 2 ** int(text[2:]) if text.startswith("2^") else int(text)
    if not K <= n <= 1 << 26:
        raise argparse.ArgumentTypeError(f"from {K} to 2^26 elements are measured")
    return n


def chosen(all):
    def these(text):
        unknown = [word for word in text.split(",") if word not in all]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(all)}")
        return text.split(",")

    return these


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=elements, action="append", nargs="+", help="numbers of elements, such as 1000000 or 2^20, up to 2^26")
    parser.add_argument("--rows", type=chosen(ROWS), default=ROWS)
    parser.add_argument("--peers", type=chosen(PEERS), default=list(PEERS), help="all by default; clwave is always there")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--json")
    parser.add_argument("--from", dest="saved", help="draw what a file has, and measure nothing")
    parser.add_argument("--picture")
    given = parser.parse_args()
    if given.saved:
        if not given.picture:
            parser.error("--from goes with --picture")
        with open(given.saved) as file:
            draw(json.load(file)["runs"], given.picture)
        return
    if given.repeats < 1:
        parser.error("--repeats is at least 1")

    runs = []
    if given.json and os.path.exists(given.json):
        with open(given.json) as file:
            runs = json.load(file)["runs"]
    about = {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "numpy": np.__version__}
    run, failed = {"about": about, "rows": []}, False
    for n in [n for some in given.n or [[1 << 20]] for n in some]:
        data, peers = Data(n), {}
        for name in ["clwave"] + [peer for peer in given.peers if peer != "clwave"]:
            try:
                begin = time.perf_counter()
                peers[name] = PEERS[name](data)
                about.update(peers[name].about)
                print(f"{name} is ready after {time.perf_counter() - begin:.1f} s: {peers[name].about}", flush=True)
            except Exception as why:
                if name == "clwave":
                    raise
                print(f"{name} is left out: {reason(why)}", flush=True)
        for name in given.rows:
            found = measure(name, data, peers, given.repeats, given.seconds)
            failed |= "clwave" not in found
            show(found)
            run["rows"] += found.values()
            if given.json:
                save(given.json, runs, run)
    if given.picture:
        draw(runs + [run], given.picture)
    if failed:
        sys.exit("clwave failed in a row, or its result was wrong")


if __name__ == "__main__":
    main()
