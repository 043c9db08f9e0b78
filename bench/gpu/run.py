"""Times compiled programs on the first Vulkan device, with torch beside them, as a table.

usage: run.py build BUILD FOLDER [--small] [--features=cooperative-matrix,fragments,shuffle,preserve] [--only=REGEX]
       run.py measure FOLDER [--only=REGEX] [--seconds=0.5] [--no-torch] [--small] [--device=cuda]
              [--patience=120]
       run.py check BUILD [--only=REGEX]

`build` compiles the programs of programs.py ahead of time and puts them into a folder together with
the runtime and this script; the folder alone, or a copy of it on a machine with a GPU, is then what
`measure` takes. `check` compares small programs with the reference interpreter, on the device.
A program that fails has its message in the table, and the others go on.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import programs  # noqa: E402

arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
options = dict((a[2:] + "=").split("=")[:2] for a in sys.argv[1:] if a.startswith("--"))

patience = float(options.get("patience", 120))  # seconds for a program


def chosen(small):
    return [c for c in programs.cases(small) if re.search(options.get("only", ""), c.name)]


def run(command, timeout, **environment):
    """(standard output, message of a failure)"""
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True,
                              text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "", f"took more than {timeout} s"
    if done.returncode == 0:
        return done.stdout, ""
    last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
    return done.stdout, last[0] if last else f"exit status {done.returncode}"


#===------------------------------------------------------------------------===#
# On the machine that compiles
#===------------------------------------------------------------------------===#

def build(binaries, folder):
    os.makedirs(folder, exist_ok=True)
    features = options.get("features", "cooperative-matrix,fragments,shuffle,preserve")
    for name in ("run.py", "programs.py", "peers.py"):
        shutil.copy(os.path.join(here, name), folder)
    for name in ("time-programs", "first-result"):
        shutil.copy(f"{binaries}/bin/{name}", folder)
    shutil.copy(f"{binaries}/lib/libtenon_runtime.so.0", folder)
    failed = 0
    for case in chosen("small" in options):
        source = os.path.join(folder, case.name + ".mlir")
        with open(source, "w") as file:
            file.write(case.text)
        _, failure = run([f"{binaries}/bin/tenon-compile", source, "--target=vulkan", "--emit=shared",
                          f"--gpu-features={features}", "-o", f"{folder}/lib{case.name}.so"], 5 * patience)
        if failure:
            print(f"{case.name}: {failure}", file=sys.stderr)
            failed = 1
    return failed


def check(binaries):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in chosen(small=True):
            path = os.path.join(folder, case.name + ".mlir")
            with open(path, "w") as file:
                file.write(case.text)
            _, failure = run([f"{binaries}/bin/tenon-run", path, "--backend=vulkan", "--quiet",
                              "--compare=reference", "--low=0", f"--high={case.scale}",
                              f"--int-limit={case.limit}"], 5 * patience)
            print(f"{case.name}: {failure or 'ok'}", flush=True)
            failed |= bool(failure)
    return failed


#===------------------------------------------------------------------------===#
# On the machine that runs
#===------------------------------------------------------------------------===#

def measured_by_torch(cases, small):
    if "no-torch" in options:
        return {}
    command = [sys.executable, f"{here}/peers.py", f"--seconds={options.get('seconds', 0.5)}",
               f"--device={options.get('device', 'cuda')}"] + ["--small"] * small
    done = subprocess.run(command + [c.name for c in cases], stdout=subprocess.PIPE, text=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {line[0]: float(line[1]) for line in lines if len(line) == 2}


def measured(folder, case, cache):
    output, failure = run([f"{folder}/time-programs", f"--cache={cache}", f"--scale={case.scale}",
                           f"--limit={case.limit}", f"--steps={case.steps}",
                           f"--seconds={options.get('seconds', 0.5)}",
                           f"{folder}/lib{case.name}.so", "run"], patience, LD_LIBRARY_PATH=folder)
    words = output.split()[1:]
    if failure or len(words) < 2:
        return None, failure or "no figures"
    return {words[i]: float(words[i + 1]) for i in range(0, len(words) - 1, 2)}, ""


def verdict(case, ratio, share, ms):
    """Whether each target is met, and what it is."""
    texts = []
    for wanted, got, text in ((case.ratio, ratio, f"{case.ratio:.2f} of torch"),
                              (case.copy, share, f"{case.copy:.2f} of a copy")):
        if wanted:
            texts.append(text + ("" if got is None else " yes" if got >= wanted else " NO"))
    if case.most:
        texts.append(f"{case.most * 1e3:.0f} us" + (" yes" if ms <= case.most else " NO"))
    return ", ".join(texts)


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def show(case, times, failure, torch, copied):
    if times is None:
        return row(case.name, "-", "-", "-", "-", "-", failure.replace("|", "/"))
    ms = times["median"]
    peer = torch.get(case.name)
    ratio = peer / ms if peer else None
    rate = (f"{case.flops / ms / 1e9:.1f} TFLOP/s" if case.flops else
            f"{case.bytes / ms / 1e6:.0f} GB/s" if case.bytes else "")
    share = case.bytes / ms / copied if case.bytes and copied else None
    row(case.name, f"{ms:.4f}", f"{peer:.4f}" if peer else "-",
        f"{ratio:.2f}" if ratio else "-", rate, f"{share:.2f}" if share else "-",
        verdict(case, ratio, share, ms))


def first_results(folder):
    """From opening the device to a first result: without what drivers keep on disk, and with."""
    if not os.path.exists(f"{folder}/libmlp_step.so"):
        return
    with tempfile.TemporaryDirectory() as kept:
        kept = os.path.join(kept, "pipelines")
        for what, most in (("cold", 5000), ("warm", 50)):
            output, failure = run([f"{folder}/first-result", f"{folder}/libmlp_step.so", "run",
                                   kept], patience, LD_LIBRARY_PATH=folder, __GL_SHADER_DISK_CACHE="0")
            found = re.search(r"([\d.]+) ms", output)
            verdict = f"{most} ms" + (" yes" if found and float(found[1]) <= most else " NO")
            print(f"first result, {what}: {failure or output.strip()}; target {verdict}", flush=True)


def measure(folder):
    folder = os.path.abspath(folder)
    small = "small" in options
    cases = [c for c in chosen(small) if os.path.exists(f"{folder}/lib{c.name}.so")]
    torch = measured_by_torch(cases, small)
    failed = 0
    cache = os.path.join(folder, "pipelines")
    row("program", "Tenon ms", "torch ms", "torch / Tenon", "rate", "of torch's copy", "target")
    row(*["---"] * 7)
    copied = None  # bytes a millisecond of a copy: torch's, else ours
    for case in sorted(cases, key=lambda c: c.name != "copy_f32_1g"):
        times, failure = measured(folder, case, cache)
        failed |= times is None
        if case.name == "copy_f32_1g" and times:
            copied = case.bytes / torch.get(case.name, times["median"])
        show(case, times, failure, torch, copied)
    for name, ms in torch.items():
        if " " in name:
            print(f"torch {name}: {ms:.4f} ms")
    first_results(folder)
    return failed


if arguments[:1] == ["build"] and len(arguments) == 3:
    sys.exit(build(*arguments[1:]))
elif arguments[:1] == ["measure"] and len(arguments) == 2:
    sys.exit(measure(arguments[1]))
elif arguments[:1] == ["check"] and len(arguments) == 2:
    sys.exit(check(arguments[1]))
sys.exit(__doc__)
