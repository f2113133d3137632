import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Databases } from "../database-check.ts";
import type { Flaw, SinkContents } from "./flaw.ts";
import { createKeptHeads } from "./kept-heads.ts";
import { createStatementCheck, type PublicKeys } from "./statements.ts";
import { services, verifyEvidence } from "./verify.ts";

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

export type Tail = {
  readonly number: number;
  /** Hash of the previous statement. Empty for the first statement. */
  readonly previous: string;
  readonly pending?: { readonly number: number };
  readonly shipped_at: Date;
};

/** The last statement by service. A service that has shipped no statements is absent. */
type Tails = ReadonlyMap<string, Tail>;

type SinkStatements = {
  readonly services: () => readonly string[];
  readonly newest: (
    service: string,
  ) => { readonly number: number; readonly at: string } | undefined;
  readonly has: (service: string, hash: string) => boolean;
};

export type EvidenceOptions = {
  readonly databases: Databases;
  readonly readSink: () => Promise<SinkContents>;
  readonly keys: PublicKeys;
  /** Ignores older statements, for example after a restore. */
  readonly from?: Date;
};

/** Verifies databases against a sink. Returns a readable report and the number of flaws. */
export async function reportOn(options: EvidenceOptions) {
  const { databases, readSink, keys, from } = options;
  const before = await readTails(databases, services);
  const sink = await readSink();
  const after = await readTails(databases, services);
  const heads = createKeptHeads();
  const statements = createStatementCheck(keys, heads, from);
  for (const line of sink.lines) statements.add(line);
  const shipped = [...statements.end(), ...checkTails(statements, { before, after }, from)];
  const verified = await verifyEvidence(databases, heads, new Date());
  const flaws = [...sink.flaws, ...shipped, ...heads.end(), ...verified.flaws];
  const { auditEntries, ledgerEntries, accounts, payouts, quotes, unprotected } = verified;
  return {
    flaws: flaws.length,
    unprotected,
    lines: [
      ...flaws.map((each) => {
        return `${each.kind.toUpperCase()}  ${each.service}: ${each.subject}: ${each.detail}`;
      }),
      `${auditEntries} audit entries, ${ledgerEntries} ledger entries of ${accounts} accounts`,
      `${payouts} payouts, ${quotes} quotes`,
      ...(statements.torn() > 0 ? [`${statements.torn()} lines of the sink are incomplete`] : []),
      `${unprotected} entries are newer than the last head of their chain`,
      flaws.length === 0
        ? "verified: nothing that a signed head covers was changed or removed"
        : `${flaws.length} flaws`,
    ],
  };
}

async function readTails(
  { client, prefix }: Databases,
  services: readonly string[],
): Promise<Tails> {
  const tails = new Map<string, Tail>();
  for (const service of services) {
    const shipping = client
      .db(`${prefix}${service}`)
      .collection<Tail & { _id: string }>("audit_shipping");
    const tail = await shipping.findOne({ _id: "heads" });
    if (tail !== null) tails.set(service, tail);
  }
  return tails;
}

/**
 * Compares the last statement of each service with its database while shipping continues. `before`
 * is read before the sink, so the sink must have its statements. `after` is read after the sink, so
 * the sink can't have newer statements.
 */
export function checkTails(
  sink: SinkStatements,
  { before, after }: { readonly before: Tails; readonly after: Tails },
  from = new Date(0),
): Flaw[] {
  const flaws: Flaw[] = [];
  const cut = (service: string, number: number, detail: string) =>
    flaws.push({ kind: "cut", service, subject: `statement ${number}`, detail });
  for (const [service, { number, previous, shipped_at }] of before) {
    if (number === 0 || shipped_at < from || sink.has(service, previous)) continue;
    const at = shipped_at.toISOString();
    cut(service, number, `is not there; the database says that it was shipped at ${at}`);
  }
  for (const service of sink.services()) {
    const newest = sink.newest(service);
    const tail = after.get(service);
    const last = Math.max(tail?.number ?? 0, tail?.pending?.number ?? 0);
    if (newest === undefined || newest.number <= last) continue;
    const detail = `was shipped at ${newest.at}; the database says that ${last} was the last one`;
    cut(service, newest.number, detail);
  }
  return flaws;
}

/**
 * Reads a folder, or a bucket `s3://bucket/prefix` without objects from before `from`. Returns
 * `undefined` if the folder doesn't exist.
 */
export async function readSink(
  place: string,
  from: Date,
  endpoint?: string,
): Promise<SinkContents | undefined> {
  if (!place.startsWith("s3://")) return readFolder(place);
  // Imports the S3 code only for a bucket, because a folder doesn't need the AWS SDK.
  const { readBucket } = await import("./bucket-lines.ts");
  return readBucket(new URL(place), from, endpoint);
}

function readFolder(folder: string): SinkContents | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const texts = files.map((name) => readFileSync(join(folder, name), "utf8"));
  return { lines: texts.flatMap(linesOf), flaws: [] };
}
