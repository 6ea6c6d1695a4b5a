// Two clients of the protocol, each in its own revision, against a running engine: what they see, as one line of JSON.
//
//     node client.mjs URL

import { Client as Modern, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as Legacy } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(process.argv[2]);
const seen = {};
for (const [name, Client, Transport] of [["sdk", Legacy, LegacyTransport], ["client", Modern, ModernTransport]]) {
  const client = new Client({ name: "pawl-tests", version: "1" }, { capabilities: {} });
  await client.connect(new Transport(url));
  const { tools } = await client.listTools();
  const overview = await client.callTool({ name: "overview", arguments: {} });
  const refused = await client.callTool({ name: "get_run", arguments: {} });
  const { resources } = await client.listResources();
  const page = await client.readResource({ uri: "pawl://docs/mcp.md" });
  seen[name] = {
    server: client.getServerVersion()?.name,
    tools: tools.map((tool) => tool.name),
    store: overview.structuredContent.engine.store,
    refused: refused.isError,
    resources: resources.length,
    page: page.contents[0].text.slice(0, 8),
  };
  await client.close();
}
console.log(JSON.stringify(seen));
