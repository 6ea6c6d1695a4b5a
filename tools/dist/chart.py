"""The chart: packaging/chart with the version of the engine, as helm packs it.

usage: chart.py
"""

import re
import shutil

from release import ROOT, fresh, gz, tar_of, version, write


def main():
    folder = fresh("chart") / "pawl"
    shutil.copytree(ROOT / "packaging" / "chart", folder)
    path = folder / "Chart.yaml"
    path.write_text(re.sub(r"(?m)^(version|appVersion): .*$", rf'\1: "{version()}"', path.read_text()))
    write(f"pawl-{version()}.tgz", gz(tar_of(folder, "pawl")))


if __name__ == "__main__":
    main()
