/**
 * Loaded before a service: ends its process with SIGKILL right before or right after a write to
 * the database or an acknowledgement to the broker, so that every gap between two of them is tried
 * without a line of it in the service.
 * `FAULT_WRITE_SITE` is where the write is made, as `services/payout/src/payouts/store.ts:120` or
 * the file alone, or "" to report each write's site on standard error;
 * `FAULT_WRITE_SIDE` is `before` or `after`, and `FAULT_WRITE_NUMBER` which of the writes of the
 * site it is, from 1.
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

/** A store's line is below those of the chassis, the channel and the driver. */
Error.stackTraceLimit = 40;

let seen = 0;

/** The message, and the two functions of this file that every call goes through. */
const ownLines = 3;

/** Through these a store writes; they are a site only for what is sent later, as a batch. */
const throughs = /\/chassis\/src\/mongo\/(once|revision|grouping\/[\w-]+)\.ts/;

/**
 * The line of ours that called, by itself or through the chassis; `undefined` for a write that the
 * driver makes inside another.
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

/** Reports a call's site, or counts it where it is the wanted one; answers whether to die of it. */
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
  if (write === undefined) throw new Error(`the driver has no ${name}`);
  owner[name] = async function patched(...args) {
    if (!isTheOne(name)) return write.apply(this, args);
    if (side === "before") return die();
    // It may fail as well, for keys that are there already.
    await write.apply(this, args).catch(() => undefined);
    return die();
  };
}

/** Writes that go out in batches: where each is asked for, and where it is answered. */
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

/** An acknowledgement has no answer; by then it has gone out. */
const sentAfterMs = 2;
// The package does not export what its connections are made of.
const load = createRequire(import.meta.url);
const amqp = load(join(dirname(load.resolve("amqplib")), "lib/channel_model.js"));
const channel = amqp.Channel.prototype as Methods<void>;

for (const name of ["ack", "nack"]) {
  const send = channel[name];
  if (send === undefined) throw new Error(`a channel has no ${name}`);
  channel[name] = function patched(...args) {
    const isLast = isTheOne(name);
    if (isLast && side === "before") void die();
    send.apply(this, args);
    if (isLast) void pause(sentAfterMs).then(die);
  };
}
