// Pawl with a client and workers of the peers' kind: JavaScript, one job at a time, polls that wait.
import http from "node:http";
import { drive, end, ended, inFlight, order, result } from "./drive.mjs";

const agent = new http.Agent({ keepAlive: true });
function post(path, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const request = http.request({ agent, port: process.env.PAWL_PORT, path, method: "POST", headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text) } }, (answer) => {
      let read = "";
      answer.setEncoding("utf8").on("data", (part) => (read += part));
      answer.on("end", () => (answer.statusCode < 300 ? resolve(read ? JSON.parse(read) : null) : reject(new Error(`${path}: ${answer.statusCode} ${read}`))));
    });
    request.on("error", reject);
    request.end(text);
  });
}

async function work() {
  for (;;) {
    const { jobs } = await post("/v1/jobs/poll", { workerId: "bench", jobTypes: ["b1", "b2", "b3"], maxJobs: 1, waitSeconds: 30 });
    for (const job of jobs) {
      await post(`/v1/jobs/${job.id}/complete`, { workerId: "bench", variables: { result } });
      if (job.jobType === "b3") end(job.variables.number);
    }
  }
}

for (let i = 0; i < inFlight; i++) work();
await drive(async (number) => {
  const done = ended(number);
  await post("/v1/instances", { definitionId: "chain", variables: { number, ...order } });
  await done;
});
