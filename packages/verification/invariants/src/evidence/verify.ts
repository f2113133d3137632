import { createHash } from "node:crypto";
import type { Databases } from "../database-check.ts";
import { createChainCheck, type Link } from "./chain-check.ts";
import type { Flaw } from "./flaw.ts";
import type { KeptHeads } from "./kept-heads.ts";
import { neverShipped } from "./never-shipped.ts";
import { verifyLedger } from "./verify-ledger.ts";
import { verifyPayouts } from "./verify-payouts.ts";

export const services = [
  "beneficiary",
  "compliance",
  "gateway",
  "notifier",
  "payout",
  "quote",
] as const;

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
  readonly hash: string;
  readonly created_at: Date;
};

export type Verified = {
  readonly flaws: readonly Flaw[];
  readonly auditEntries: number;
  readonly ledgerEntries: number;
  readonly accounts: number;
  readonly payouts: number;
  readonly quotes: number;
  /** Entries after the last head of their chain. Nothing outside the database protects them yet. */
  readonly unprotected: number;
};

/**
 * Checks audit trails and ledger against shipped heads. Then checks accounts, payouts and quotes
 * against the ledger, their hashes and each other.
 */
export async function verifyEvidence(
  databases: Databases,
  heads: KeptHeads,
  now: Date,
): Promise<Verified> {
  const trails = [];
  for (const service of services) trails.push(await verifyTrail(databases, service, heads, now));
  const ledger = await verifyLedger(databases, heads, now);
  const { payouts, quotes, flaws } = await verifyPayouts(databases, now);
  const all = [...trails, ledger];
  const sum = (of: (each: Checked) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    flaws: [...all.flatMap((each) => each.flaws), ...flaws],
    auditEntries: sum(({ entries }) => entries) - ledger.entries,
    ledgerEntries: ledger.entries,
    accounts: ledger.accounts,
    payouts,
    quotes,
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

const auditFields = new Set([
  ...["_id", "schema_version", "key", "person", "action", "subject", "operation", "detail", "call"],
  ...["previous_hash", "hash", "created_at"],
]);

function auditLink(document: AuditDocument): Link {
  const strays = Object.keys(document).filter((field) => !auditFields.has(field));
  const { _id: sequence, previous_hash: previous, hash } = document;
  return { sequence, previous, hash, strays, hashAt: (at) => auditHash(document, at) };
}

/** Returns the hash that links an audit entry to the trail (decision 0043). */
function auditHash(document: AuditDocument, sequence: number): string {
  const { previous_hash, created_at, person, action, subject, operation, detail } = document;
  const { call, key } = document;
  const called = call && [
    ...[call.caller, call.roles, call.rpc, call.merchant_id],
    ...[call.content, call.request_id, call.outcome],
  ];
  const fields = [
    ...["disburse audit entry", previous_hash, sequence, created_at.toISOString(), person],
    ...[action, subject, operation, detail, key],
    called ?? null,
  ];
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}
