import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { batches, collectionOf, type Databases, whole } from "../database-check.ts";
import type { CollectionName, Documents, Payout, Quote } from "../documents.ts";
import { indexDocuments, payoutSteps } from "../documents-check.ts";
import { checkPayoutMoney } from "../payout-check.ts";
import { checkQuote } from "../quote-check.ts";
import type { Flaw } from "./flaw.ts";
import { withWholeEntries } from "./verify-ledger.ts";

/** The hashed fields of each record, in order, and the rule (docs/decisions/0043). */
const rules = {
  quote: [
    "disburse quote 1",
    ...["_id", "merchant_id", "account_id", "corridor_id", "source", "destination"],
    ...["amounts", "rate", "rate_as_of", "rate_source", "return_charges"],
    ...["beneficiary", "metadata"],
    ...["fixed", "reissue_of", "operation_id", "operation_content", "actor", "created_at"],
  ],
  payout: [
    "disburse payout 1",
    ...["_id", "merchant_id", "account_id", "corridor_id", "beneficiary_id", "order"],
    ...["source", "destination"],
    ...["source_minor", "fees_minor", "receiving_minor", "receiving_fixed", "exchange_rate"],
    ...[
      "return_charges",
      "reissue_of",
      "beneficiary_name",
      "beneficiary_name_latin",
      "account_number_masked",
    ],
    ...["transfer_method", "network", "created_at"],
  ],
} as const;

/**
 * A claim and its payout are written separately. After a crash, the payout may follow seconds
 * later.
 */
const claimedForMs = 60_000;

/** Checks every payout and quote against its hash and related records. */
export async function verifyPayouts(databases: Databases, now: Date) {
  const flaws: Flaw[] = [];
  let [payouts, quotes] = [0, 0];
  for await (const batch of batches(databases, "payouts")) {
    payouts += batch.length;
    flaws.push(...(await lasting(databases, "payouts", batch, (all) => judge(databases, all))));
  }
  for await (const batch of batches(databases, "quotes")) {
    quotes += batch.length;
    const judged = (all: readonly Quote[]) => judgeQuotes(databases, all, now);
    flaws.push(...(await lasting(databases, "quotes", batch, judged)));
  }
  return { flaws, payouts, quotes };
}

/** Checks records, and returns flaws with the record's id as subject. */
type Judge<T> = (records: readonly T[]) => Promise<Flaw[]>;

/** Delay before a flawed record is read again. */
const againAfterMs = 300;

/**
 * Returns the flaws of records that didn't change during the check. A running platform changes
 * payouts, so changed records are checked again until they are stable.
 */
async function lasting<C extends CollectionName>(
  databases: Databases,
  name: C,
  batch: readonly Documents[C][number][],
  judgeAll: Judge<Documents[C][number]>,
): Promise<Flaw[]> {
  const read = readerOf(databases);
  const lasted: Flaw[] = [];
  let moved = batch;
  while (moved.length > 0) {
    const flaws = await judgeAll(moved);
    const judged = new Map(moved.map((record) => [record._id, JSON.stringify(record)]));
    const ids = new Set(flaws.map(({ subject }) => subject));
    if (ids.size > 0) await pause(againAfterMs);
    const found = await read(name, [...ids]);
    moved = found.filter((record) => judged.get(record._id) !== JSON.stringify(record));
    const isMoving = new Set(moved.map(({ _id }) => _id));
    lasted.push(...flaws.filter(({ subject }) => !isMoving.has(subject)));
  }
  return lasted;
}

async function judge(databases: Databases, payouts: readonly Payout[]): Promise<Flaw[]> {
  const read = readerOf(databases);
  const keys = payouts.flatMap(({ _id }) => payoutSteps.map((step) => `${_id}:${step}`));
  const index = indexDocuments({
    // Accounts are read before the ledger. If an account no longer carries an entry, the ledger has
    // it by then.
    accounts: (await read("accounts", payouts.flatMap(accountsOf))).map(withWholeEntries),
    ledger_entries: await read("ledger_entries", keys),
    quotes: await read(
      "quotes",
      payouts.map(({ order }) => order.quote_id),
    ),
  });
  return payouts.flatMap((payout) => {
    const entry = (step: string) => [step, index.entries.get(`${payout._id}:${step}`)] as const;
    const findings = checkPayoutMoney(payout, {
      account: index.accounts.get(payout.account_id),
      quote: index.quotes.get(payout.order.quote_id),
      entries: Object.fromEntries(payoutSteps.map(entry)),
    });
    const details = findings.map(({ detail }) => detail);
    return flawsOf("payout", payout._id, [hashFlaw("payout", payout), ...details]);
  });
}

/**
 * Returns the accounts that a payout affects: the merchant's account, and the rail account if the
 * payout is paid from one.
 */
function accountsOf({ account_id, rail, destination }: Payout): string[] {
  return [account_id, `rail:${rail}:${destination}`];
}

async function judgeQuotes(
  databases: Databases,
  quotes: readonly Quote[],
  now: Date,
): Promise<Flaw[]> {
  const read = readerOf(databases);
  const index = indexDocuments({
    payouts: await read(
      "payouts",
      quotes.map(({ claim }) => claim?.payout_id ?? ""),
    ),
  });
  return quotes.flatMap((quote) => {
    const claimedAt = quote.claim?.claimed_at.getTime() ?? 0;
    const isFresh = now.getTime() - claimedAt < claimedForMs;
    const payout = index.payouts.get(quote.claim?.payout_id ?? "");
    const found = checkQuote(quote, { account: undefined, beneficiary: undefined, payout });
    // The quote's hash covers the owner. If the claim is recent, the payout may not be written yet.
    const own = found.filter(({ invariant }) => invariant !== 12 && !(invariant === 5 && isFresh));
    const details = own.map(({ detail }) => detail);
    return flawsOf("quote", quote._id, [hashFlaw("quote", quote), ...details]);
  });
}

function flawsOf(service: string, subject: string, details: readonly (string | undefined)[]) {
  return details
    .filter((detail) => detail !== undefined)
    .map((detail): Flaw => ({ kind: "changed", service, subject, detail }));
}

function readerOf(databases: Databases) {
  return async <C extends CollectionName>(name: C, ids: readonly string[]) => {
    const found = collectionOf(databases, name).find(
      whole(name, { _id: { $in: [...new Set(ids)] } }) as never,
    );
    return (await found.toArray()) as Documents[C][number][];
  };
}

/** Returns a flaw if a record's hash doesn't match its fields. */
function hashFlaw(kind: keyof typeof rules, record: object): string | undefined {
  const [rule, ...fields] = rules[kind];
  const stored = record as Readonly<Record<string, unknown>>;
  const { content_hash } = stored;
  if (content_hash === undefined) return "has no hash";
  const values = fields.map((field) => stored[field] ?? null);
  const hash = createHash("sha256")
    .update(JSON.stringify([rule, ...values]))
    .digest("base64url");
  return hash === content_hash ? undefined : "its hash is not the hash of its fields";
}
