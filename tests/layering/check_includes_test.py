#!/usr/bin/env python3
"""check_includes.py itself: each arrow that runs the wrong way must make it fail, alone."""

import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check_includes.py")

SOUND = {
    "api/include/backplane/tensor.hpp": '#include "backplane/plugin/ops.hpp"',
    "api/include/backplane/plugin/ops.hpp": "#include <cstdint>",
    "api/src/tensor/tensor.cpp": '#include "backplane/tensor.hpp"\n#include "check.hpp"',
    "api/src/check.hpp": "#include <string>",
    "backends/fast/add.cpp": '#include "backend.hpp"\n#include "cpu/add.h"',
    "backends/fast/check.hpp": "#include <string>",
    "backends/fast/wide/add.cpp": '#include "check.hpp"',
    "backends/fast/backend.hpp": '#include "backplane/plugin/ops.hpp"',
    "backends/plain/loops.hpp": "#include <vector>",
    "kernels/cpu/add.h": "#include <stddef.h>",
    "models/cnn.hpp": '#include "backplane/tensor.hpp"',
    "tools/cli/main.cpp": '#include "models/cnn.hpp"\n#include "cpu/add.h"',
    "tests/conformance/main.cpp": '#include "backplane/plugin/ops.hpp"',
    "tests/unit/internals.cpp": '#include "check.hpp"\n#include "backends/fast/backend.hpp"',
}

# One line added to one file, and what the report must say.
WRONG = [
    ("api/include/backplane/tensor.hpp", '#include "check.hpp"',
     "api/include must not include api/src"),
    ("api/src/check.hpp", '#include "backends/fast/backend.hpp"',
     "api/src must not include backends/fast"),
    ("api/src/check.hpp", '#include "cpu/add.h"', "api/src must not include kernels"),
    ("backends/plain/loops.hpp", '#include "check.hpp"', "backends/plain must not include api/src"),
    ("backends/fast/add.cpp", '#include "../plain/loops.hpp"',
     "backends/fast must not include backends/plain"),
    ("backends/fast/add.cpp", "#  include <backplane/tensor.hpp>",
     "backends/fast must not include api/include"),
    ("kernels/cpu/add.h", '#include "backplane/plugin/ops.hpp"',
     "kernels must not include api/include/backplane/plugin"),
    ("models/cnn.hpp", '#include "backplane/plugin/ops.hpp"',
     "models must not include api/include/backplane/plugin"),
    ("models/cnn.hpp", '#include "tools/cli/main.cpp"', "models must not include tools"),
    ("tools/cli/main.cpp", '#include "backends/fast/backend.hpp"',
     "tools must not include backends/fast"),
    ("tests/conformance/main.cpp", '#include "check.hpp"',
     "tests/conformance must not include api/src"),
    ("api/include/backplane/plugin/ops.hpp", '#include "backplane/tensor.hpp"',
     "api/include/backplane/plugin must not include api/include"),
]


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        return subprocess.run([sys.executable, str(CHECK), folder], capture_output=True, text=True,
                              check=False)


def main():
    failures = []
    sound = check(SOUND)
    if sound.returncode != 0:
        failures.append(f"the sound tree is refused:\n{sound.stdout}{sound.stderr}")
    for name, line, expected in WRONG:
        result = check({**SOUND, name: SOUND[name] + "\n" + line})
        lines = [text for text in result.stdout.splitlines() if "must not include" in text]
        if result.returncode == 0 or len(lines) != 1 or expected not in lines[0]:
            failures.append(f"{name} with {line}: expected '{expected}', got:\n{result.stdout}")
    if check({}).returncode == 0:
        failures.append("a tree without a single include passes")
    print("\n".join(failures) or f"{len(WRONG)} wrong arrows, each found")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
