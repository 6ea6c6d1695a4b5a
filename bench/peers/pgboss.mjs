// pg-boss: three queues, whose workers send to the next one; jobs are rows of PostgreSQL, fetched in batches.
// Its workers ask at intervals, of which half a second is the shortest: that is most of a single workflow's time.
import PgBoss from "pg-boss";
import { drive, end, ended, inFlight, order, result } from "./drive.mjs";

const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, max: 20 });
boss.on("error", (error) => console.error(error.message));
await boss.start();
const options = { batchSize: Math.max(1, inFlight), pollingIntervalSeconds: 0.5 };
const next = { a: "b", b: "c" };
for (const name of ["a", "b", "c"]) await boss.createQueue(name);
for (const name of ["a", "b", "c"]) {
  await boss.work(name, options, async (jobs) => {
    if (next[name]) await boss.insert(jobs.map((job) => ({ name: next[name], data: { ...job.data, result } })));
    else jobs.forEach((job) => end(job.data.number));
  });
}
await drive(async (number) => {
  const done = ended(number);
  await boss.send("a", { number, ...order });
  await done;
});
