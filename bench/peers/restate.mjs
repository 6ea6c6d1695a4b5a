// Restate: a handler with three journalled steps, called through the server's ingress.
import http from "node:http";
import { drive, order, result } from "./drive.mjs";

// Its SDK uses what came with Node 22; Debian has older ones.
Promise.withResolvers ??= function () {
  const made = {};
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};
const restate = await import("@restatedev/restate-sdk");

const { INGRESS_PORT, ADMIN_PORT, SERVICE_PORT } = process.env;
const chain = restate.service({
  name: "chain",
  handlers: {
    run: async (context, input) => {
      for (const step of ["a", "b", "c"]) await context.run(step, async () => result);
      return input.number;
    },
  },
});
await restate.endpoint().bind(chain).setLogger(() => {}).listen(Number(SERVICE_PORT));

const agent = new http.Agent({ keepAlive: true });
function post(port, path, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const request = http.request({ agent, port, path, method: "POST", headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text) } }, (answer) => {
      answer.resume();
      answer.on("end", () => (answer.statusCode < 300 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))));
    });
    request.on("error", reject);
    request.end(text);
  });
}

await post(ADMIN_PORT, "/deployments", { uri: `http://127.0.0.1:${SERVICE_PORT}` });
await drive((number) => post(INGRESS_PORT, "/chain/run", { number, ...order }));
