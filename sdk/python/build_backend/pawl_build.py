"""Builds the package with nothing but Python's own library, so that `pip install` asks no registry.

PEP 517 names these functions, PEP 660 the editable ones. The metadata comes from pyproject.toml, which is
kept to what read_project() understands: texts and lists of texts.
"""

import ast
import base64
import hashlib
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = "pawl"
TIME = (1980, 1, 1, 0, 0, 0)  # The same files make the same wheel.


def read_project():
    """The table [project] of pyproject.toml. Python before 3.11 has no reader for TOML."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        table = re.search(r"^\[project\]\n(.*?)(?=^\[|\Z)", file.read(), re.S | re.M).group(1)
    values = re.findall(r'^([\w-]+) *= *("[^"\n]*"|\[[^\]]*\])', table, re.M)
    return {name: ast.literal_eval(value) for name, value in values}


def read_file(name):
    with open(os.path.join(HERE, name), "rb") as file:
        return file.read()


def metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}", *(f"Classifier: {one}" for one in project["classifiers"]),
             *(f"Requires-Dist: {one}" for one in project["dependencies"]), "Description-Content-Type: text/markdown", ""]
    return "\n".join(lines).encode() + b"\n" + read_file(project["readme"])


def sources():
    """The files of the package, by their paths in it."""
    found = []
    for folder, _, names in os.walk(os.path.join(HERE, PACKAGE)):
        found += [os.path.join(folder, name) for name in names if name.endswith((".py", ".typed"))]
    return sorted(os.path.relpath(path, HERE).replace(os.sep, "/") for path in found)


def base_name(project):
    return f"{project['name']}-{project['version']}"


def info_files(project):
    info = f"{base_name(project)}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: pawl_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return {f"{info}/METADATA": metadata(project), f"{info}/WHEEL": wheel.encode()}


def write_wheel(directory, files, project):
    """A wheel of these files, with the list of their hashes; its name."""
    name = f"{base_name(project)}-py3-none-any.whl"
    record = f"{base_name(project)}.dist-info/RECORD"
    rows = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}\n")
    files = {**files, record: "".join([*rows, f"{record},,\n"]).encode()}
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = read_project()
    return write_wheel(wheel_directory, {**{path: read_file(path) for path in sources()}, **info_files(project)}, project)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    project = read_project()
    return write_wheel(wheel_directory, {f"{PACKAGE}_editable.pth": HERE.encode() + b"\n", **info_files(project)}, project)


def build_sdist(sdist_directory, config_settings=None):
    project = read_project()
    base = base_name(project)
    name = f"{base}.tar.gz"
    own = ["pyproject.toml", project["readme"], "build_backend/pawl_build.py"]
    info = os.path.join(sdist_directory, "PKG-INFO")
    with open(info, "wb") as file:
        file.write(metadata(project))
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.add(info, f"{base}/PKG-INFO")
        for path in [*own, *sources()]:
            archive.add(os.path.join(HERE, path), f"{base}/{path}")
    os.unlink(info)
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel
