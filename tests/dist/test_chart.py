"""The chart in both shapes, rendered by Go's own template engine, as helm does it. No cluster has seen it in this test."""

import json
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import yaml

from bare import DIST, HERE

SQLITE = {}
POSTGRES = {"replicas": 3, "store": {"kind": "postgres", "postgres": {"existingSecret": "database", "key": "uri"}},
            "secretsKey": {"existingSecret": "keys", "key": "secrets.key"}, "settings": {"PAWL_RETENTION": "90d"}}


def merged(values, others):
    """Helm's way: objects are merged, all else is replaced."""
    return {**values, **{name: merged(values.get(name, {}), value) if isinstance(value, dict) else value for name, value in others.items()}}


class Chart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        with tarfile.open(next(DIST.glob("pawl-*.tgz"))) as tar:
            tar.extractall(folder.name)
        cls.chart = pathlib.Path(folder.name) / "pawl"

    def render(self, others):
        about = yaml.safe_load((self.chart / "Chart.yaml").read_text())
        values = merged(yaml.safe_load((self.chart / "values.yaml").read_text()), others)
        context = {"Values": values, "Release": {"Name": "it"}, "Chart": {"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]}}
        path = self.chart.parent / "values.json"
        path.write_text(json.dumps(context))
        done = subprocess.run(["go", "run", HERE / "render.go", path, *sorted((self.chart / "templates").glob("*.yaml"))], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {document["kind"]: document for document in yaml.safe_load_all(done.stdout) if document}

    def check_restricted(self, pod):
        """The rules of the pod security standard "restricted"."""
        self.assertNotIn("hostNetwork", pod)
        self.assertIs(pod["securityContext"]["runAsNonRoot"], True)
        self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        for container in pod["containers"]:
            self.assertIs(container["securityContext"]["allowPrivilegeEscalation"], False)
            self.assertEqual(container["securityContext"]["capabilities"], {"drop": ["ALL"]})
        for volume in pod["volumes"]:
            self.assertTrue(set(volume) - {"name"} <= {"emptyDir", "secret", "persistentVolumeClaim"}, volume)

    def check_mounts(self, workload, volumes):
        """Each volume is mounted, and each mount has a volume."""
        self.assertEqual({mount["name"] for mount in workload["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]}, volumes)
        self.assertEqual(workload["spec"]["selector"]["matchLabels"], workload["spec"]["template"]["metadata"]["labels"])

    def test_sqlite(self):
        made = self.render(SQLITE)
        self.assertEqual(set(made), {"StatefulSet", "Service"})
        workload = made["StatefulSet"]
        pod = workload["spec"]["template"]["spec"]
        self.check_restricted(pod)
        self.check_mounts(workload, {volume["name"] for volume in pod["volumes"]} | {claim["metadata"]["name"] for claim in workload["spec"]["volumeClaimTemplates"]})
        self.assertEqual(workload["spec"]["replicas"], 1)
        self.assertEqual(made["Service"]["spec"]["selector"], workload["spec"]["selector"]["matchLabels"])

    def test_postgres(self):
        made = self.render(POSTGRES)
        self.assertEqual(set(made), {"Deployment", "Service", "PodDisruptionBudget"})
        workload = made["Deployment"]
        pod = workload["spec"]["template"]["spec"]
        self.check_restricted(pod)
        self.check_mounts(workload, {volume["name"] for volume in pod["volumes"]})
        self.assertEqual(workload["spec"]["replicas"], 3)
        self.assertEqual(made["PodDisruptionBudget"]["spec"]["selector"], workload["spec"]["selector"])
        names = {setting["name"]: setting for setting in pod["containers"][0]["env"]}
        self.assertEqual(names["PAWL_STORE"]["valueFrom"]["secretKeyRef"], {"name": "database", "key": "uri"})
        self.assertEqual(names["PAWL_RETENTION"]["value"], "90d")

    def test_the_image_is_that_of_the_release(self):
        version = yaml.safe_load((self.chart / "Chart.yaml").read_text())["version"]
        self.assertTrue(next(DIST.glob(f"pawl-{version}-oci-*.tar"), None))
        pod = self.render(SQLITE)["StatefulSet"]["spec"]["template"]["spec"]
        self.assertEqual(pod["containers"][0]["image"], f"pawl:{version}")


if __name__ == "__main__":
    unittest.main()
