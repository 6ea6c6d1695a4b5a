"""The bill of materials, the checksums and the signature of what is in dist/.

usage: bill.py [--sums]

The bill is a document of SPDX 2.3 in JSON. Versions and sources come from dpkg, those of the web application from its lock file.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid
import datetime

from release import OUT, ROOT, architecture, ask, epoch, run, triplet, version
from tarball import LOADED, closure, folder_of_libraries, package_of


def static_archives():
    """The archives that the portable binary is linked with."""
    text = (ROOT / "tools" / "dist" / "dist.mk").read_text()
    names = re.findall(r"-l(\S+)", re.search(r"^PORTABLE_LIBS := .*?-Bstatic (.*?) -Wl,-Bdynamic", text, re.M).group(1))
    return [folder_of_libraries() / f"lib{name}.a" for name in names]


def debian_package(path):
    """The package of a file, with its source."""
    number, source, source_version = ask("dpkg-query", "-W", "-f", "${Version} ${source:Package} ${source:Version}", package_of(path)).split()
    package = package_of(path).split(":")[0]
    return {
        "SPDXID": f"SPDXRef-deb-{re.sub('[^A-Za-z0-9.-]', '-', package)}", "name": package, "versionInfo": number,
        "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from Debian's source package {source} {source_version}",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{package}@{number}?arch={architecture()}&distro=debian-12"}],
    }


def web_packages():
    """What npm brings into the web application; what only builds it is left out."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    for path, entry in sorted(lock["packages"].items()):
        if path and not entry.get("dev") and not entry.get("optional"):
            name = path.rpartition("node_modules/")[2]
            yield {
                "SPDXID": f"SPDXRef-npm-{re.sub('[^A-Za-z0-9.-]', '-', name)}-{entry['version']}", "name": name, "versionInfo": entry["version"],
                "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION", "licenseDeclared": entry.get("license", "NOASSERTION"), "copyrightText": "NOASSERTION",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"}],
            }


def artefact(path):
    sums = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', path.name)}", "name": path.name, "packageFileName": path.name, "versionInfo": version(),
            "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION", "checksums": [{"algorithm": "SHA256", "checksumValue": sums}]}


def relations(artefacts, linked, beside, image_only, web):
    """Who has what inside. The Debian package has no library inside: it depends on Debian's."""
    def holds(whole, how, parts):
        return [{"spdxElementId": whole["SPDXID"], "relationshipType": how, "relatedSpdxElement": part["SPDXID"]} for part in parts]
    made = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": one["SPDXID"]} for one in artefacts]
    for one in artefacts:
        if one["name"].endswith((".deb", ".tar.xz", ".tar")) and "dbgsym" not in one["name"]:
            made += holds(one, "CONTAINS", web)
        if one["name"].endswith((".tar.xz", ".tar")):
            made += holds(one, "STATIC_LINK", linked) + holds(one, "CONTAINS", beside)
        if "-oci-" in one["name"]:
            made += holds(one, "CONTAINS", image_only)
    return made


def unique(packages):
    return list({package["SPDXID"]: package for package in packages}.values())


def bill(paths):
    linked = unique(debian_package(path) for path in static_archives())
    beside = unique(debian_package(path) for path in closure(LOADED).values())
    image_only = unique(debian_package(path) for path in (
        pathlib.Path("/lib") / triplet() / "libc.so.6", pathlib.Path("/usr/share/zoneinfo/UTC"), pathlib.Path("/usr/share/doc/ca-certificates/copyright")))
    web, artefacts = list(web_packages()), [artefact(path) for path in paths]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"pawl-{version()}-{architecture()}",
        "creationInfo": {"created": datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: make dist"]},
        "packages": artefacts + unique(linked + beside + image_only) + web,
        "relationships": relations(artefacts, linked, beside, image_only, web),
    }
    # The name of the document must be its own, and the same in each build.
    document["documentNamespace"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))}"
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def sign():
    """Signs the checksums, which name all else."""
    key = os.environ.get("MINISIGN_KEY")
    if key:
        subprocess.run(["minisign", "-S", "-s", key, "-m", OUT / "SHA256SUMS", "-t", f"pawl {version()}", "-c", "signature of pawl's checksums"], check=True)
        return
    print("  not signed: make dist MINISIGN_KEY=FILE signs, with a key that `minisign -G` makes;\n"
          "  by hand: minisign -S -s FILE -m dist/SHA256SUMS")


def sums():
    """The checksums of all that is there, and their signature."""
    for old in ("SHA256SUMS", "SHA256SUMS.minisig"):
        (OUT / old).unlink(missing_ok=True)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(OUT.iterdir())]
    (OUT / "SHA256SUMS").write_text("".join(lines))
    print("  dist/SHA256SUMS")
    sign()


def main():
    if sys.argv[1:] == ["--sums"]:
        return sums()
    if sys.argv[1:]:
        raise SystemExit("usage: bill.py [--sums]")
    name = f"pawl-{version()}-{architecture()}.spdx.json"
    for old in ("SHA256SUMS", "SHA256SUMS.minisig", name):
        (OUT / old).unlink(missing_ok=True)
    (OUT / name).write_text(bill(sorted(path for path in OUT.iterdir() if not path.name.endswith(".spdx.json"))))
    print(f"  dist/{name}")
    sums()


if __name__ == "__main__":
    main()
