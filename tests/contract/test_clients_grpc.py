"""The SDKs of the engine this contract comes from, in gRPC mode: Node with the packages that its own SDK uses, and Python."""

import json
import pathlib
import re
import shutil
import subprocess
import unittest

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

from contract import definition, end, main, service
from engine import BINARY, Engine

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "contract" / "proto"
PACKAGES = ["@grpc/grpc-js@1.14.7", "@grpc/proto-loader@0.8.1"]


def modules():
    """The folder with the packages of npm, which are fetched once for each folder of a build."""
    place = pathlib.Path(BINARY).resolve().parent / "node"
    if not shutil.which("node") or not shutil.which("npm"):
        raise unittest.SkipTest("node and npm are not here")
    if not (place / "done").exists():
        place.mkdir(exist_ok=True)
        (place / "package.json").write_text("{}")
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", *PACKAGES],
                                  cwd=place, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            raise unittest.SkipTest("npm took too long to fetch " + " ".join(PACKAGES)) from None
        if done.returncode:
            raise unittest.SkipTest("npm cannot fetch " + " ".join(PACKAGES))
        (place / "done").touch()
    return place


class Clients(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.engine = Engine("--grpc", "127.0.0.1:0")
        cls.addClassCleanup(cls.engine.stop)
        cls.target = "127.0.0.1:" + re.search(r"gRPC on [^,]*:(\d+)", cls.engine.banner)[1]


class NodeRunner(Clients):
    def test_it_works_through_its_jobs(self):
        done = subprocess.run(["node", HERE / "grpc_worker.js", modules(), PROTO, self.target, "job", "3"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(said["deployed"], {"version": 1, "branches": ["doubled > 4", "true", "doubled > 100"]})
        self.assertEqual([one["variables"] for one in said["seen"]], [{"n": 1}, {"n": 3}, {"fail": True}, {"fail": True}])
        self.assertEqual([one["retriesRemaining"] for one in said["seen"]], [1, 1, 1, 0])
        rest = [None, "x", {"y": True}]
        self.assertEqual(said["ended"], [
            {"status": "INSTANCE_STATUS_COMPLETED", "failureReason": "", "variables": {"n": 1, "doubled": 2, "list": rest}, "last": "little"},
            {"status": "INSTANCE_STATUS_COMPLETED", "failureReason": "", "variables": {"n": 3, "doubled": 6, "list": rest}, "last": "much"},
            {"status": "INSTANCE_STATUS_FAILED", "failureReason": "no luck with 0", "variables": {"fail": True}, "last": "work"}])
        self.assertEqual((said["listed"], said["total"]), (2, 3))
        self.assertEqual(said["code"], '5 instance "nobody" not found')


class PythonSdk(Clients):
    """Its client has the three methods of a worker. Results that are empty are not sent."""

    def test_it_works_through_its_jobs(self):
        for n in range(3):
            flow = definition([service("a", "end", "py"), end()], name="py-flow")
            self.engine.post("/v1/definitions", flow)
            self.engine.post("/v1/instances", {"definitionId": "py-flow", "variables": {"n": n}})
        files = descriptor_pb2.FileDescriptorSet.FromString((pathlib.Path(BINARY).resolve().parent / "gen/proto/descriptors.pb").read_bytes())
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
        message = lambda name: message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("workflow.v1." + name))
        with grpc.insecure_channel(self.target) as channel:
            def call(method, **fields):
                stub = channel.unary_unary("/workflow.v1.WorkflowEngine/" + method, request_serializer=message(method + "Request").SerializeToString,
                                           response_deserializer=message(method + "Response").FromString)
                return stub(message(method + "Request")(**fields), timeout=30)
            seen = []
            while True:
                jobs = call("PollJobs", worker_id="py-1", job_types=["py"], max_jobs=1).jobs
                if not jobs:
                    break
                variables = json_format.MessageToDict(jobs[0].variables)
                seen.append(variables["n"])
                if variables["n"] == 0:
                    call("CompleteJob", job_id=jobs[0].id, worker_id="py-1")
                elif variables["n"] == 1:
                    result = message("CompleteJobRequest")().variables_to_set
                    result.update({"text": "x", "list": [1, None]})
                    call("CompleteJob", job_id=jobs[0].id, worker_id="py-1", variables_to_set=result)
                else:
                    call("FailJob", job_id=jobs[0].id, worker_id="py-1", error_message="broken", retryable=True)
        self.assertEqual(seen, [0, 1, 2])
        ended = self.engine.get("/v1/instances?definitionId=py-flow").json["items"]
        self.assertEqual([(one["status"], one["variables"]) for one in ended],
                         [("FAILED", {"n": 2}), ("COMPLETED", {"n": 1, "text": "x", "list": [1, None]}), ("COMPLETED", {"n": 0})])


if __name__ == "__main__":
    main()
