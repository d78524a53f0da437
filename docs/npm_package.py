"""Files of npm packages, each in one version with one hash: fetched once, kept in ``docs/_build/cache``."""

import base64
import hashlib
import subprocess
import tarfile
from pathlib import Path

CACHE = Path(__file__).parent / "_build" / "cache"
SHA512 = {
    "minizinc@4.5.1": (
        "ExVUoX/Vqo+Ez5Tch3Wr14ktFAFDMBIiRjAmr6uZ7aXnvFO67mfgu3/cvgTZkTupGxYfVUHeRuU309QayLuhZg=="
    ),
    "mathjax@3.2.2": (
        "Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsjKPZGJvtRZM1vO+geW0OhGw=="
    ),
}


def npm_package(name: str) -> Path:
    """Return the unpacked folder of a package such as "minizinc@4.5.1"."""
    file = name.replace("@", "-")
    archive = CACHE / f"{file}.tgz"
    CACHE.mkdir(parents=True, exist_ok=True)
    if not archive.exists():
        subprocess.run(["npm", "pack", "--silent", name], cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != SHA512[name]:
        archive.unlink()
        raise SystemExit(f"{name}: its sha512 is {found}, must be {SHA512[name]}")
    folder = CACHE / file
    if not folder.exists():
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return folder / "package"
