"""Prints the table of figures: work, ours, peer, ratio, target.

usage: run.py BUILD [--quick]

Every row is measured beside its peer in this run: processes alternate A B A B and
medians are compared. A peer that is not installed is shown as '-'
(scripts/setup --bench installs them). Native programs under BUILD/bin/bench-* and
R scripts print finished rows, tab-separated.
"""
import os
import statistics
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
build = os.path.abspath(sys.argv[1])
quick = "--quick" in sys.argv
rounds, seconds = (2, 0.7) if quick else (3, 1.5)

peers = os.path.join(os.path.dirname(here), "build", "rlib-peers")  # as scripts/setup has it
environment = dict(os.environ, TENON_HOME=build + "/home", R_LIBS=build + "/rlib:" + peers)
# These slow OpenBLAS, a peer, to half its speed.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    environment.pop(name, None)


def run(command, timeout=300):
    """Standard output of a command, or None where it is absent or fails."""
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              timeout=timeout)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"# {' '.join(command)}: {error}", file=sys.stderr)
        return None
    if done.returncode:
        print(f"# {' '.join(command)}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return done.stdout


def number(text):
    return float(text.split()[-1]) if text and text.strip() else None


def ours(case, threads):
    return ["Rscript", here + "/r/steps.R", case, str(threads), str(seconds)]


def torch(case, threads):
    return ["/usr/bin/python3", here + "/peers/torch_steps.py", case, str(threads), str(seconds)]


def torch_best(case):
    """One thread and an allocator that keeps its pages: faster here than two threads with
    what glibc does by default, which is what a user gets."""
    return ["env", "MALLOC_TRIM_THRESHOLD_=1000000000",
            "MALLOC_MMAP_THRESHOLD_=1000000000"] + torch(case, 1)


def ggmlr(case, threads):
    return ["Rscript", here + "/peers/ggmlr_steps.R", case, str(threads), str(seconds)]


# work, unit, factor to seconds, ours, peer (or None), target as text, ours/peer is a time ratio
PAIRS = [
    ("MLP 10-10-10-10-10-1 step, jit, us", 1e6, ours("mlp-small", 1), torch("mlp-small", 1), "<= 40 us"),
    ("the same, ag_* and tape, us", 1e6, ours("mlp-small-ag", 1), torch("mlp-small", 1), "<= 60 us"),
    ("the same, compile_loop, us", 1e6, ours("mlp-small-loop", 1), torch("mlp-small", 1), "<= 8 us"),
    ("MLP 784-512-256-10 step, f32, 2 threads, ms", 1e3, ours("mlp-large", 2), torch("mlp-large", 2), ">= 2"),
    ("the same, PyTorch at its best setting, ms", 1e3, ours("mlp-large", 2), torch_best("mlp-large"), "-"),
    ("MLP 784-512-256-10 step, f64 ag_*, 2 threads, ms", 1e3, ours("mlp-large-ag", 2), ggmlr("mlp-large", 2), ">= 2"),
    ("attention 8 x 1024 x 64 forward + backward, 2 threads, ms", 1e3, ours("attention", 2), torch("attention", 2), ">= 5"),
    ("the same, PyTorch at its best setting, ms", 1e3, ours("attention", 2), torch_best("attention"), "-"),
    ("character transformer step, 2 threads, ms", 1e3, ours("transformer", 2), torch("transformer", 2), ">= 2.5"),
    ("the same, PyTorch at its best setting, ms", 1e3, ours("transformer", 2), torch_best("transformer"), "-"),
]


def text(value):
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


rows = []


def show(row):
    rows.append(row)
    print("{:<62} {:>10} {:>10} {:>8}   {}".format(*row), flush=True)


print("Speed; ratio = how many times the peer's speed, or the share of it.")
show(("work", "ours", "peer", "ratio", "target"))
if os.path.isdir(build + "/rlib/tenon"):
    for work, scale, a, b, target in PAIRS:
        mine, theirs = [], []
        for _ in range(rounds):
            mine.append(number(run(a)))
            theirs.append(number(run(b)) if theirs == [] or theirs[0] is not None else None)
        mine = [x for x in mine if x is not None]
        theirs = [x for x in theirs if x is not None]
        x = statistics.median(mine) * scale if mine else None
        y = statistics.median(theirs) * scale if theirs else None
        show((work, text(x), text(y), text(y / x if x and y else None), target))
    out = run(["Rscript", here + "/r/frontend.R"])
    for line in (out or "").splitlines():
        show(tuple(line.split("\t")))
for name in sorted(os.listdir(build + "/bin")):
    if not name.startswith("bench-"):
        continue
    out = run([build + "/bin/" + name] + (["--quick"] if quick else []), timeout=600)
    for line in (out or "").splitlines():
        fields = line.split("\t")
        if len(fields) == 5:
            show(tuple(fields))
