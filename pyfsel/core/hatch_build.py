"""The build hook: compiles the core when pyfsel is installed, and names the system that a wheel is for."""

from __future__ import annotations

import os
import runpy
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

ZIG_TARGETS = {
    "manylinux2014_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux2014_aarch64": "aarch64-linux-gnu.2.17",
    "musllinux_1_2_x86_64": "x86_64-linux-musl",
    "musllinux_1_2_aarch64": "aarch64-linux-musl",
    "macosx_11_0_x86_64": "x86_64-macos.11.0",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "win_amd64": "x86_64-windows-gnu",
}
"""By the platform tag of a wheel, what the environment variable PYFSEL_WHEEL_PLATFORM may ask for."""


class CoreBuildHook(BuildHookInterface[Any]):
    """Compiles into the checkout for an editable install, and otherwise into the wheel alone."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        # by its path: where wheels are built, the package cannot be imported
        self._building = runpy.run_path(str(Path(self.root) / "pyfsel" / "core" / "building.py"))
        self._platform = os.environ.get("PYFSEL_WHEEL_PLATFORM", "")
        if self._platform and self._platform not in ZIG_TARGETS:
            allowed = ", ".join(ZIG_TARGETS)
            raise ValueError(f"PYFSEL_WHEEL_PLATFORM is {self._platform!r}, allowed is one of {allowed}")
        self._folder = ""

    def dependencies(self) -> list[str]:
        """Ask for Zig only where it is needed."""
        is_enough = not self._platform and self._building["system_compiler"]() is not None
        return [] if is_enough else [self._building["ZIG"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say what the wheel holds and runs on."""
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{self._platform or _this_platform()}"
        if version == "editable":
            self._building["compile_library"](self._building["LIBRARY"])
            return
        self._folder = tempfile.mkdtemp()
        library = Path(self._folder) / _name_of_library(self._platform or _this_platform())
        target = ZIG_TARGETS.get(self._platform)
        self._building["compile_library"](library, self._building["zig_compiler"](target) if target else None)
        build_data["force_include"][str(library)] = f"pyfsel/core/{library.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what is in the wheel now."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _this_platform() -> str:
    """Return the tag of this system alone; how old a system may be is known only of Zig's libraries."""
    of_others = ("manylinux", "musllinux")
    return next(tag.platform for tag in sys_tags() if not tag.platform.startswith(of_others))


def _name_of_library(platform: str) -> str:
    if platform.startswith("win"):
        return "core.dll"
    return "libcore.dylib" if platform.startswith("macosx") else "libcore.so"
