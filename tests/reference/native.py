"""Where the checkout is, and how its native examples and its command line are run."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"


class CannotRun(Exception):
    """Something that a test needs is missing or broke."""


def example_path(name, target=None):
    """The release build of an example."""
    target = target or Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    path = Path(target) / "release" / "examples" / (name + (".exe" if os.name == "nt" else ""))
    if not path.exists():
        raise CannotRun(f"{path} is missing: cargo build --release --example {name}")
    return path


def run_batch(batch, cases):
    """One run of the batch harness: an output object for every case."""
    lines = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
    done = subprocess.run([batch], input=lines.encode(), capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"{batch} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    outputs = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if len(outputs) != len(cases):
        raise CannotRun(f"{len(cases)} cases went in, {len(outputs)} came out")
    return outputs


def run_cli(*arguments):
    """The standard output of `node bin/clinscore.js …` as JSON."""
    return json.loads(cli_text(*arguments))


def cli_text(*arguments):
    """The standard output of `node bin/clinscore.js …`."""
    command = ["node", str(ROOT / "bin" / "clinscore.js"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotRun(
            f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-2000:]}"
        )
    return done.stdout.decode()


API = """
import {score} from "./lib/index.js";
const {outputs} = await score(JSON.parse(process.argv[1]));
process.stdout.write(JSON.stringify(outputs));
"""


def run_api(**call):
    """The outputs of one call of the npm API's score(), as texts by name."""
    command = ["node", "--input-type=module", "--eval", API, json.dumps(call, default=str)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        raise CannotRun(f"score() ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    return json.loads(done.stdout)


def shared_folder():
    """The folder with the real corpora, beside the checkout or at $CLINSCORE_SHARED; or None."""
    folder = Path(os.environ.get("CLINSCORE_SHARED", ROOT.parent / "shared"))
    return folder if (folder / "data").is_dir() else None


def skip(what, how):
    """Says what is skipped and how to get it; where nothing may be skipped, fails."""
    print(f"  skipped: {what}. {how}")
    if os.environ.get("CI", "").lower() in ("1", "true"):
        raise CannotRun(f"CI is set and this was skipped: {what}")
