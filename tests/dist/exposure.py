"""How much of the machine a unit can reach, as systemd counts it: 0 is nothing, 10 is everything.

The count reads the unit alone, so no systemd has to run and the program of the unit need not be there.
"""

import re
import shutil
import subprocess
import unittest

EXPOSURE_MAX = 1.5

needs_systemd_analyze = unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not on this machine (Debian: apt install systemd)")


def exposure(path):
    """The count, and the lines that raise it."""
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert done.returncode == 0 and found, f"{path}: systemd-analyze ended with {done.returncode}:\n{done.stdout}"
    return float(found.group(1)), [line for line in done.stdout.splitlines() if line.startswith("✗")]
