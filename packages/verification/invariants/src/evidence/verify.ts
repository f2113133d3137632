import { createHash } from "node:crypto";
import type { Databases } from "../database-check.ts";
import type { Account, RecentEntry, RecordedEntry } from "../documents.ts";
import { hashOf } from "../entry-check.ts";
import { createChainCheck, type Link } from "./chain-check.ts";
import type { Flaw } from "./flaw.ts";
import { type KeptHeads, type ShippedHead, subjectOf } from "./kept-heads.ts";

/** Every service has an audit trail. */
const services = ["beneficiary", "compliance", "gateway", "notifier", "payout", "quote"] as const;

/** An entry of a trail as it is stored. */
type AuditDocument = {
  readonly _id: number;
  readonly key: string;
  readonly person: string;
  readonly action: string;
  readonly subject: string;
  readonly operation: string;
  readonly detail: string;
  readonly call?: {
    readonly caller: string;
    readonly roles: readonly string[];
    readonly rpc: string;
    readonly merchant_id: string;
    readonly content: string;
    readonly request_id: string;
    readonly outcome: string;
  };
  readonly previous_hash: string;
  readonly hash_version?: number;
  readonly hash: string;
  readonly created_at: Date;
};

/** What was looked at. */
export type Verified = {
  readonly flaws: readonly Flaw[];
  readonly auditEntries: number;
  readonly ledgerEntries: number;
  readonly accounts: number;
  /** Entries that came after the last head of their chain: nothing outside fixes them yet. */
  readonly unprotected: number;
};

/** Checks the trail of every service, and the ledger, against the heads that were shipped. */
export async function verifyEvidence(
  databases: Databases,
  heads: KeptHeads,
  now: Date,
): Promise<Verified> {
  const trails = [];
  for (const service of services) trails.push(await verifyTrail(databases, service, heads, now));
  const ledger = await verifyLedger(databases, heads, now);
  const all = [...trails, ledger];
  const sum = (of: (each: Checked) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    flaws: all.flatMap(({ flaws }) => flaws),
    auditEntries: sum(({ entries }) => entries) - ledger.entries,
    ledgerEntries: ledger.entries,
    accounts: ledger.accounts,
    unprotected: sum(({ unprotected }) => unprotected),
  };
}

type Checked = { readonly flaws: Flaw[]; readonly entries: number; readonly unprotected: number };

async function verifyTrail(
  { client, prefix }: Databases,
  service: string,
  heads: KeptHeads,
  now: Date,
) {
  const collection = client.db(`${prefix}${service}`).collection<AuditDocument>("audit_entries");
  const check = createChainCheck(service, "audit", heads.of(service, "audit"));
  const flaws: Flaw[] = [];
  let entries = 0;
  for await (const document of collection.find().sort({ _id: 1 })) {
    const shipped = heads.of(service, "audit");
    if (entries === 0) flaws.push(...neverShipped(service, "audit", shipped, document, now));
    check.add(auditLink(document));
    entries += 1;
  }
  flaws.push(...check.end());
  return { flaws, entries, unprotected: check.unprotected() } satisfies Checked;
}

/** Heads are shipped every minute; a chain that has none after this was left out. */
const shippedWithinMs = 600_000;

function neverShipped(
  service: string,
  chain: string,
  shipped: readonly ShippedHead[],
  { created_at }: { readonly created_at: Date },
  now: Date,
): Flaw[] {
  const isNew = now.getTime() - created_at.getTime() < shippedWithinMs;
  if (shipped.length > 0 || isNew) return [];
  const detail = "no head of this chain is in the sink";
  return [{ kind: "missing", service, subject: chain, detail }];
}

const auditFields = new Set([
  ...["_id", "schema_version", "key", "person", "action", "subject", "operation", "detail", "call"],
  ...["previous_hash", "hash_version", "hash", "created_at"],
]);

function auditLink(document: AuditDocument): Link {
  const strays = Object.keys(document).filter((field) => !auditFields.has(field));
  const { _id: sequence, previous_hash: previous, hash } = document;
  return { sequence, previous, hash, strays, hashAt: (at) => auditHash(document, at) };
}

/** The link of an audit trail, as decision 0043 writes it down. */
function auditHash(document: AuditDocument, sequence: number): string {
  const { previous_hash, created_at, person, action, subject, operation, detail } = document;
  const fields = [
    ...[previous_hash, sequence, created_at.toISOString(), person],
    ...[action, subject, operation, detail],
  ];
  const { call, key } = document;
  const called = call && [
    ...[call.caller, call.roles, call.rpc, call.merchant_id],
    ...[call.content, call.request_id, call.outcome],
  ];
  const sealed =
    document.hash_version === 2
      ? ["disburse audit entry 2", ...fields, key, called ?? null]
      : fields;
  return createHash("sha256").update(JSON.stringify(sealed)).digest("hex");
}

const entryFields = new Set([
  ...["_id", "key", "schema_version", "account_id", "merchant_id", "currency", "step", "amount"],
  ...["payout_id", "note", "sequence", "available", "held", "postings", "reverses", "actor"],
  ...["previous_hash", "hash_version", "hash", "created_at"],
]);

function ledgerLink(entry: RecordedEntry): Link {
  const { sequence, previous_hash: previous, hash } = entry;
  const strays = Object.keys(entry).filter((field) => !entryFields.has(field));
  const hashAt = (at: number) => hashOf({ ...entry, sequence: at }, entry._id);
  return { sequence, previous, hash, strays, hashAt };
}

async function verifyLedger({ client, prefix }: Databases, heads: KeptHeads, now: Date) {
  const db = client.db(`${prefix}payout`);
  const flaws: Flaw[] = [];
  const known = new Set<string>();
  let [entries, unprotected] = [0, 0];
  for await (const account of db.collection<Account>("accounts").find()) {
    const chain = `ledger/${account._id}`;
    known.add(chain);
    const shipped = heads.of("payout", chain);
    const check = createChainCheck("payout", chain, shipped);
    const recorded = db.collection<RecordedEntry>("ledger_entries");
    let last = 0;
    const add = (entry: RecordedEntry) => {
      check.add(ledgerLink(entry));
      if (last === 0) flaws.push(...neverShipped("payout", chain, shipped, entry, now));
      last = entry.sequence;
      entries += 1;
    };
    const inOrder = recorded.find({ account_id: account._id }).sort({ sequence: 1 });
    for await (const entry of inOrder) add(entry);
    // What the ledger does not have yet is in the account.
    const unrecorded = account.recent.filter(({ sequence }) => sequence > last);
    for (const recent of unrecorded) add(asRecorded(account, recent));
    flaws.push(...check.end(account.sequence));
    unprotected += check.unprotected();
  }
  for (const chain of heads.chainsOf("payout", "ledger/")) {
    if (known.has(chain)) continue;
    const last = heads.of("payout", chain).at(-1);
    const detail = `the account is not there; entry ${last?.sequence} was shipped at ${last?.at}`;
    flaws.push({ kind: "cut", service: "payout", subject: subjectOf(chain, 1), detail });
  }
  return { flaws, entries, accounts: known.size, unprotected };
}

function asRecorded({ _id, merchant_id, currency }: Account, recent: RecentEntry): RecordedEntry {
  const { key, ...entry } = recent;
  return { ...entry, _id: key, account_id: _id, merchant_id, currency };
}
