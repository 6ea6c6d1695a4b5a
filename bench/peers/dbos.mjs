// DBOS: a workflow function with three checkpointed steps, in the same process, on PostgreSQL.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { drive, order, result } from "./drive.mjs";

DBOS.setConfig({ name: "bench", systemDatabaseUrl: process.env.DATABASE_URL, logLevel: "error", runAdminServer: false });
const chain = DBOS.registerWorkflow(async () => {
  for (const name of ["a", "b", "c"]) await DBOS.runStep(async () => result, { name });
}, { name: "chain" });
await DBOS.launch();
await drive((number) => chain({ number, ...order }));
