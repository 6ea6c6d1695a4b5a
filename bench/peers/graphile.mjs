// graphile-worker: three tasks, each of which adds the next one's job; jobs are rows of PostgreSQL.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { drive, end, ended, inFlight, order, result } from "./drive.mjs";

const connectionString = process.env.DATABASE_URL;
const logger = new Logger(() => () => {});
const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
const following = (next) => async (payload, helpers) => helpers.addJob(next, { ...payload, result });
await run({
  connectionString, logger, concurrency: Math.max(4, inFlight), maxPoolSize: 20, noHandleSignals: true,
  taskList: { a: following("b"), b: following("c"), c: async (payload) => end(payload.number) },
});
await drive(async (number) => {
  const done = ended(number);
  await utils.addJob("a", { number, ...order });
  await done;
});
