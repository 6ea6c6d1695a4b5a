// bench/peers/drive.mjs — keeps so many workflows in flight and prints what it took.
//
// Every peer's program hands in one function that runs one workflow of three durable steps to its end.

export const inFlight = Number(process.argv[2]);
export const workflows = Number(process.argv[3]);

// What a step brings; the peers store it as Pawl stores a worker's result.
export const result = { ok: true, code: 17 };
export const order = {
  customer: { name: "Ada Lovelace", email: "ada@example.com" },
  items: [{ sku: "A-1", quantity: 2, price: 9.99 }, { sku: "B-2", quantity: 1, price: 24.5 }],
  total: 44.48,
};

async function keepBusy(runOne, count) {
  const took = [];
  let started = 0;
  const hands = Array.from({ length: inFlight }, async () => {
    while (started < count) {
      const number = started++;
      const began = performance.now();
      await runOne(number);
      took.push(performance.now() - began);
    }
  });
  await Promise.all(hands);
  return took.sort((a, b) => a - b);
}

export async function drive(runOne) {
  await keepBusy(runOne, Math.min(inFlight * 4, workflows)); // Code is compiled, connections are open.
  process.stdout.write("ready\n"); // The parent reads the processors' clocks, and says go.
  await new Promise((go) => process.stdin.once("data", go));
  const began = performance.now();
  const took = await keepBusy((number) => runOne(number + inFlight * 4), workflows);
  const seconds = (performance.now() - began) / 1000;
  const at = (part) => Math.round(took[Math.floor(took.length * part)] * 1000);
  process.stdout.write(JSON.stringify({ perSecond: workflows / seconds, p50Us: at(0.5), p99Us: at(0.99) }) + "\n");
  await new Promise((end) => process.stdin.once("data", end));
  process.exit(0);
}

// For queues, whose last step knows only the workflow's number.
const waiting = new Map();
export const ended = (number) => new Promise((resolve) => waiting.set(number, resolve));
export function end(number) {
  waiting.get(number)?.();
  waiting.delete(number);
}
