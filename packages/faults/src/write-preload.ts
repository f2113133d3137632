/**
 * Loaded before a service: ends its process with SIGKILL right before or right after a write to
 * the database, so that every gap between two writes is tried without a line of it in the service.
 * `FAULT_WRITE_SITE` is where the write is made, as `services/payout/src/payout-store.ts:120` or
 * the file alone, or "" to report on standard error, once each, the sites that write;
 * `FAULT_WRITE_SIDE` is `before` or `after`, and `FAULT_WRITE_NUMBER` which of the writes of the
 * site it is, from 1.
 */
import { Collection } from "mongodb";

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

const reported = new Set<string>();
let seen = 0;

/** The line of ours that called; `undefined` for a write that the driver makes inside another. */
function siteOf(stack: string): string | undefined {
  for (const line of stack.split("\n").slice(2)) {
    if (line.includes("at async ")) return undefined;
    const [, site] = /((?:services|packages)\/[\w/-]+\.ts:\d+)/.exec(line) ?? [];
    if (site !== undefined) return site;
  }
  return undefined;
}

function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

type Write = (this: unknown, ...args: unknown[]) => Promise<unknown>;
const methods = Collection.prototype as unknown as Record<string, Write>;

for (const name of writes) {
  const write = methods[name];
  if (write === undefined) throw new Error(`the driver has no ${name}`);
  methods[name] = async function patched(...args) {
    const site = siteOf(new Error(name).stack ?? "");
    if (wanted === "" && site !== undefined && !reported.has(site)) {
      reported.add(site);
      process.stderr.write(`fault-write-site ${site}\n`);
    }
    const isWanted = site === wanted || site?.split(":")[0] === wanted;
    if (site === undefined || !isWanted) return write.apply(this, args);
    seen += 1;
    if (seen !== number) return write.apply(this, args);
    if (side === "before") return die();
    await write.apply(this, args);
    return die();
  };
}
