/**
 * Preloaded in a service. Kills the process (SIGKILL) immediately before or after a database write
 * or a broker acknowledgement. This tests every gap between two writes without test code in the
 * service. `FAULT_WRITE_SITE` is the write's location, such as
 * `services/payout/src/payouts/store.ts:120`, or only the file. If it is empty, the service reports
 * each write's site on standard error. `FAULT_WRITE_SIDE` is `before` or `after`.
 * `FAULT_WRITE_NUMBER` selects one of the site's writes, from 1.
 */
import { tracingChannel } from "node:diagnostics_channel";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Collection, MongoClient } from "mongodb";

const { FAULT_WRITE_SITE: wanted = "", FAULT_WRITE_SIDE: side, FAULT_WRITE_NUMBER } = process.env;
const number = Number(FAULT_WRITE_NUMBER ?? "1");

const writes = [
  "bulkWrite",
  "deleteMany",
  "deleteOne",
  "findOneAndUpdate",
  "insertMany",
  "insertOne",
  "replaceOne",
  "updateMany",
  "updateOne",
] as const;

/**
 * In a stack, the store's line comes after those of the chassis, the tracing channel and the
 * driver.
 */
Error.stackTraceLimit = 40;

let seen = 0;

/** Lines at the top of every stack: the message and two functions of this file. */
const ownLines = 3;

/**
 * Stores write through these files. They count as a site only for writes that are made later, such
 * as batches.
 */
const throughs =
  /\/(chassis\/src\/mongo\/(once|revision|grouping\/[\w-]+)|chain-rail\/src\/wallet\/store)\.ts/;

/**
 * Returns the line of our code that made the call, also if the call went through the chassis.
 * Returns `undefined` for a write that the driver makes during another write.
 */
function siteOf(stack: string): string | undefined {
  let through: string | undefined;
  for (const line of stack.split("\n").slice(ownLines)) {
    if (line.includes("at async ") || line.includes(import.meta.filename)) break;
    const [, site] = /((?:services|packages)\/[\w/-]+\.ts:\d+)/.exec(line) ?? [];
    if (site === undefined) continue;
    if (!throughs.test(line)) return site;
    through ??= site;
  }
  return through;
}

function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

/** Reports or counts a call's site. Returns whether to crash here. */
function isTheOne(method: string): boolean {
  const site = siteOf(new Error(method).stack ?? "");
  if (site === undefined) return false;
  if (wanted === "") process.stderr.write(`fault-write-site ${site}\n`);
  if (site !== wanted && site.split(":")[0] !== wanted) return false;
  seen += 1;
  return seen === number;
}

type Methods<T> = Record<string, (this: unknown, ...args: unknown[]) => T>;
const collection = Collection.prototype as unknown as Methods<Promise<unknown>>;
const client = MongoClient.prototype as unknown as Methods<Promise<unknown>>;
const patches = [
  ...writes.map((name) => [collection, name] as const),
  [client, "bulkWrite"] as const,
];

for (const [owner, name] of patches) {
  const write = owner[name];
  if (write === undefined) throw new Error(`the MongoDB driver has no method ${name}`);
  owner[name] = async function patched(...args) {
    if (!isTheOne(name)) return write.apply(this, args);
    if (side === "before") return die();
    // The write may also fail, for example because of a duplicate key.
    await write.apply(this, args).catch(() => undefined);
    return die();
  };
}

/** Batched writes: records where each was requested. */
const mine = new WeakSet<object>();
tracingChannel<{ method: string }>("disburse:write").subscribe({
  start: (write) => {
    if (!isTheOne(write.method)) return;
    mine.add(write);
    if (side === "before") void die();
  },
  end: () => undefined,
  asyncStart: () => undefined,
  asyncEnd: (write) => {
    if (mine.has(write)) void die();
  },
  error: () => undefined,
});

/** The broker doesn't answer an acknowledgement. After this time it has been sent. */
const sentAfterMs = 2;
// The package doesn't export its connection's classes.
const load = createRequire(import.meta.url);
const amqp = load(join(dirname(load.resolve("amqplib")), "lib/channel_model.js"));
const channel = amqp.Channel.prototype as Methods<void>;

for (const name of ["ack", "nack"]) {
  const send = channel[name];
  if (send === undefined) throw new Error(`the channel of amqplib has no method ${name}`);
  channel[name] = function patched(...args) {
    const isLast = isTheOne(name);
    if (isLast && side === "before") void die();
    send.apply(this, args);
    if (isLast) void pause(sentAfterMs).then(die);
  };
}
