"""What grpcurl asks: it knows no message, so it reads the descriptors over reflection and then sends JSON as messages.

Debian has no package of grpcurl. Curl does the requests that it makes: `list`, `describe` and a call, each on a stream of reflection
of its own; a file that another one imports is asked for by its name.
"""

import json

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

import harness
from steps import end, service
from test_grpc import REFLECTION, field, grpc_port, of

FILE_BY_NAME, FILE_OF_SYMBOL, EXTENSIONS_OF, LIST = 3, 4, 6, 7
ENGINE, EVENTS = "workflow.v1.WorkflowEngine", "org.cyoda.cloud.api.grpc.CloudEventsService"


class Curl:
    """One run of the program: what it has learned by reflection."""

    def __init__(self, channel, version="v1"):
        self.channel, self.method = channel, REFLECTION.replace("v1", version)
        self.files = {}

    def ask(self, number, text):
        answer, = self.channel.stream_stream(self.method)(iter([field(number, text.encode())]), timeout=harness.PATIENCE)
        problem = of(answer, 7)
        if problem:
            raise KeyError(text, of(problem[0], 2)[0].decode())
        return answer

    def list(self):
        return sorted(of(one, 1)[0].decode() for one in of(of(self.ask(LIST, "*"), 6)[0], 1))

    def keep(self, answer):
        """The files of an answer, and one after the other those that they import."""
        for text in of(of(answer, 4)[0], 1):
            file = descriptor_pb2.FileDescriptorProto.FromString(text)
            self.files[file.name] = file
        for missing in [name for file in list(self.files.values()) for name in file.dependency if name not in self.files]:
            if missing not in self.files:
                self.keep(self.ask(FILE_BY_NAME, missing))

    def pool(self, symbol):
        self.keep(self.ask(FILE_OF_SYMBOL, symbol))
        pool, left = descriptor_pool.DescriptorPool(), dict(self.files)
        while left:  # Files come in any order; what they import must be there first.
            ready = [name for name, file in left.items() if not set(file.dependency) & set(left)]
            assert ready, f"imports in a circle: {sorted(left)}"
            for name in ready:
                pool.Add(left.pop(name))
        return pool

    def call(self, service, method, *requests):
        """Sends JSON texts; the answers as JSON values."""
        described = self.pool(service).FindServiceByName(service).methods_by_name[method]
        factory = message_factory.MessageFactory()
        question, answer = factory.GetPrototype(described.input_type), factory.GetPrototype(described.output_type)
        messages = iter([json_format.Parse(request, question()).SerializeToString() for request in requests])
        call = self.channel.stream_stream(f"/{service}/{method}", response_deserializer=answer.FromString)
        return [json.loads(json_format.MessageToJson(one, preserving_proto_field_name=True)) for one in call(messages, timeout=harness.PATIENCE)]


class Grpcurl(harness.Case):
    arguments = ("--grpc", "127.0.0.1:0")

    def setUp(self):
        super().setUp()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{grpc_port(self.server)}")
        self.addCleanup(self.channel.close)

    def curl(self, **options):
        return Curl(self.channel, **options)

    def test_list_and_describe_know_every_service(self):
        for version in ("v1", "v1alpha"):
            names = self.curl(version=version).list()
            self.assertLessEqual({ENGINE, EVENTS, "grpc.health.v1.Health", f"grpc.reflection.{version}.ServerReflection"}, set(names))
            for name in names:
                described = self.curl(version=version).pool(name).FindServiceByName(name)
                self.assertTrue(described.methods, name)
                for method in described.methods:  # `describe` of the method, and of its messages.
                    self.assertEqual(method.full_name, self.curl().pool(method.full_name).FindMethodByName(method.full_name).full_name)
                    for message in (method.input_type, method.output_type):
                        self.assertEqual(message.full_name, self.curl().pool(message.full_name).FindMessageTypeByName(message.full_name).full_name)

    def test_files_come_by_their_names(self):
        curl = self.curl()
        curl.pool(ENGINE)
        for name, file in curl.files.items():
            other = self.curl()
            other.keep(other.ask(FILE_BY_NAME, name))
            self.assertEqual(file, other.files[name])

    def test_what_is_not_there_is_said_and_the_next_question_is_answered(self):
        curl = self.curl()
        for number in (FILE_BY_NAME, FILE_OF_SYMBOL, EXTENSIONS_OF):
            with self.assertRaises(KeyError):
                curl.ask(number, "no.Such")
        self.assertTrue(curl.list())

    def test_a_workflow_by_hand(self):
        definition = self.fresh("curl")
        self.post("/v1/definitions", {"id": definition, "name": "by hand", "steps": [service("work", "end", jobType=definition), end()]})
        made, = self.curl().call(ENGINE, "StartInstance", json.dumps({"definition_id": definition, "variables": {"amount": 5000, "deep": {"list": [1, None, "x"]}}}))
        answer, = self.curl().call(ENGINE, "PollJobs", json.dumps({"worker_id": "me", "job_types": [definition], "max_jobs": 10, "wait_seconds": 5}))
        job, = answer["jobs"]
        self.assertEqual({"amount": 5000, "deep": {"list": [1, None, "x"]}}, job["variables"])
        self.assertEqual([{}], self.curl().call(ENGINE, "CompleteJob", json.dumps({"job_id": job["id"], "worker_id": "me", "variables_to_set": {"ok": True}})))
        shown, = self.curl().call(ENGINE, "GetInstance", json.dumps({"id": made["instance"]["id"]}))
        self.assertEqual("INSTANCE_STATUS_COMPLETED", shown["instance"]["status"])
        self.assertIs(True, self.instance(made["instance"]["id"])["variables"]["ok"])

    def test_an_entity_by_hand(self):
        name = self.fresh("curled")
        self.post(f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", {"n": 1})
        self.client.request("PUT", f"/api/model/{name}/1/lock")
        create = {"id": "1", "dataFormat": "JSON", "payload": {"model": {"name": name, "version": 1}, "data": {"n": 7}}}
        event = {"id": "1", "source": "curl", "spec_version": "1.0", "type": "EntityCreateRequest", "text_data": json.dumps(create)}
        answer, = self.curl().call(EVENTS, "entityManage", json.dumps(event))
        told = json.loads(answer["text_data"])
        self.assertTrue(told["success"], told)
        entity, = told["transactionInfo"]["entityIds"]
        self.assertEqual({"n": 7}, self.get(f"/api/entity/{entity}").json["data"])

    def test_a_mistake_has_a_status(self):
        with self.assertRaises(grpc.RpcError) as caught:
            self.curl().call(ENGINE, "StartInstance", '{"definition_id": "no-such"}')
        self.assertEqual(grpc.StatusCode.NOT_FOUND, caught.exception.code())


if __name__ == "__main__":
    harness.main()
