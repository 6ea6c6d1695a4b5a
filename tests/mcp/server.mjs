// A server of the protocol's own library, in the revision with a handshake and with sessions. It prints its port, and each request as a line.
//
//     node server.mjs

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const transports = new Map();

async function begin() {
  const server = new McpServer({ name: "pawl-tests", version: "1" });
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
    structuredContent: { sum: a + b },
  }));
  server.registerTool("say", { inputSchema: { word: z.string() } }, async ({ word }) => ({ content: [{ type: "text", text: word }] }));
  server.registerTool("fail", {}, async () => ({ isError: true, content: [{ type: "text", text: "out of paper" }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => transports.set(id, transport) });
  await server.connect(transport);
  return transport;
}

const http = createServer(async (request, response) => {
  const session = request.headers["mcp-session-id"];
  response.on("finish", () => console.log(`${request.method} ${session ? "session" : "none"} ${response.statusCode}`));
  await (transports.get(session) ?? (await begin())).handleRequest(request, response);
});
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
