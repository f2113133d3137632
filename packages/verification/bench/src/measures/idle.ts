import type { MongoClient } from "mongodb";
import type { IdleFigures } from "../figures.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { commandTotal, readUsage, usageBetween } from "./counters.ts";
import { untilSettled } from "./money.ts";
import { rounded } from "./percentile.ts";

const minuteMs = 60_000;
/** What the engine does of itself after so much was written: checkpoints, eviction. */
const restMs = 20_000;

/** What a platform costs that has nothing to do, by the minute. */
export async function measureIdle(
  platform: BenchPlatform,
  mongo: MongoClient,
  enginePid: number | undefined,
  seconds: number,
): Promise<IdleFigures> {
  const pids = { payout: platform.pid("payout"), engine: enginePid };
  await untilSettled(platform);
  await wait(Math.min(restMs, seconds * 1_000));
  const before = await readUsage(mongo, pids);
  const examinedBefore = await readExamined(mongo);
  await wait(seconds * 1_000);
  const { cpu, commands, elapsedMs } = usageBetween(before, await readUsage(mongo, pids));
  const examined = await readExamined(mongo);
  const perMinute = (amount: number) => rounded((amount * minuteMs) / elapsedMs, 1);
  const cpuMs = (used: number | undefined) => (used === undefined ? null : perMinute(used / 1_000));
  return {
    payout_cpu_ms: cpuMs(cpu.payout),
    engine_cpu_ms: cpuMs(cpu.engine),
    mongo_ops: perMinute(commandTotal(commands)),
    keys_examined: perMinute(examined.keys - examinedBefore.keys),
    documents_examined: perMinute(examined.documents - examinedBefore.documents),
  };
}

/** The engine counts what it reads to answer: load beside the bench does not show in it. */
async function readExamined(mongo: MongoClient) {
  const { metrics } = await mongo.db("admin").command({ serverStatus: 1 });
  const { scanned, scannedObjects } = metrics.queryExecutor;
  return { keys: Number(scanned), documents: Number(scannedObjects) };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
