import { startChild } from "../load/child.ts";
import { runLoop } from "../load/loops.ts";
import { type LoadResult, resultOf } from "../load/run.ts";
import { newSeen, senderOf } from "../load/sender.ts";
import { costOf } from "../measures/cost.ts";
import { lessUsage, readUsage } from "../measures/counters.ts";
import { accountFindings, untilSettled } from "../measures/money.ts";
import type { Backends } from "../platforms/backends.ts";

const [clients, accounts] = [32, 100];
/** Duration of the warm-up as a share of the measured time. */
const warmUpShare = 0.3;

/**
 * Measures only the ledger. Each request holds and settles one transfer in one of 100 accounts. The
 * movement's key is its idempotency reference. No account is overdrawn.
 */
export async function measureLedger(backends: Backends, seconds: number) {
  const { mongo, pids } = backends;
  await using ends = new AsyncDisposableStack();
  const databases = { client: mongo, prefix: "bench_ledger_" };
  const database = `${databases.prefix}payout`;
  const job = { uri: backends.mongodbUri(database), database, accounts };
  const child = await startChild("ledger/ledger-process.ts", job);
  ends.defer(child.stop);
  let sent = 0;
  const run = (runSeconds: number): Promise<LoadResult> => {
    const seen = newSeen();
    const send = senderOf(child.url, "", seen);
    const pace = { concurrency: clients, end: { seconds: runSeconds } };
    return runLoop(pace, async () => {
      await send({ path: `/${sent++}`, body: "", check: (text) => text });
      return true;
    }).then((times) => resultOf(times, seen));
  };
  await run(seconds * warmUpShare);
  await untilSettled(databases);
  const processes = { ledger: child.pid, engine: pids.engine };
  const before = await readUsage(mongo, processes);
  const { figures } = await run(seconds);
  await untilSettled(databases);
  const usage = lessUsage(await readUsage(mongo, processes), before);
  const cost = costOf(usage, undefined, figures.requests);
  const ledger = { ...figures, ...cost, clients, accounts };
  const found = await accountFindings(databases, new Date());
  return { ledger, faults: found.map(({ invariant, detail }) => `ledger: ${invariant} ${detail}`) };
}
