import { checkHolding, createAccountCheck } from "../account-check.ts";
import { batches, collectionOf, type Databases, readAll } from "../database-check.ts";
import type { Account, RecentEntry, RecordedEntry } from "../documents.ts";
import { checkLedgerEntry, indexDocuments } from "../documents-check.ts";
import { hashOf } from "../entry-check.ts";
import type { Finding } from "../finding.ts";
import { createChainCheck, type Link } from "./chain-check.ts";
import type { Flaw } from "./flaw.ts";
import { type KeptHeads, subjectOf } from "./kept-heads.ts";
import { neverShipped } from "./never-shipped.ts";

/** Number of holds that are compared with their payouts at a time. */
const holdsMax = 500;

export type VerifiedLedger = {
  readonly flaws: Flaw[];
  readonly entries: number;
  readonly accounts: number;
  readonly unprotected: number;
};

/**
 * Checks each account's chain against its shipped heads. Then compares the account with its chain:
 * the balances, the sums of postings, and the holds with their payouts.
 */
export async function verifyLedger(
  databases: Databases,
  heads: KeptHeads,
  now: Date,
): Promise<VerifiedLedger> {
  const flaws: Flaw[] = [];
  const known = new Map<string, Account>();
  let [entries, unprotected] = [0, 0];
  for await (const account of collectionOf(databases, "accounts").find()) {
    known.set(account._id, account);
    const verified = await verifyAccount(databases, account, heads, now);
    flaws.push(...verified.flaws);
    entries += verified.entries;
    unprotected += verified.unprotected;
  }
  for (const chain of heads.chainsOf("payout", "ledger/")) {
    if (known.has(chain.slice("ledger/".length))) continue;
    const last = heads.of("payout", chain).at(-1);
    const detail = `the account is not there; entry ${last?.sequence} was shipped at ${last?.at}`;
    flaws.push({ kind: "cut", service: "payout", subject: subjectOf(chain, 1), detail });
  }
  flaws.push(...(await verifyOwners(databases, known)));
  return { flaws, entries, accounts: known.size, unprotected };
}

async function verifyAccount(
  databases: Databases,
  account: Account,
  heads: KeptHeads,
  now: Date,
): Promise<Omit<VerifiedLedger, "accounts">> {
  const chain = `ledger/${account._id}`;
  const shipped = heads.of("payout", chain);
  const links = createChainCheck("payout", chain, shipped);
  const money = createAccountCheck(withWholeEntries(account));
  const flaws: Flaw[] = [];
  let [entries, last] = [0, 0];
  const add = (entry: RecordedEntry) => {
    links.add(ledgerLink(entry));
    if (last === 0) flaws.push(...neverShipped("payout", chain, shipped, entry, now));
    last = entry.sequence;
    entries += 1;
  };
  const recorded = collectionOf(databases, "ledger_entries");
  for await (const entry of recorded.find({ account_id: account._id }).sort({ sequence: 1 })) {
    add(entry);
    // Later entries were recorded after the account was read.
    if (entry.sequence <= account.sequence) money.add(entry);
  }
  // Entries that are not in the ledger yet are in the account document.
  const unrecorded = account.recent.filter(({ sequence }) => sequence > last);
  for (const recent of unrecorded) add(asRecorded(account, recent));
  flaws.push(...links.end(account.sequence));
  flaws.push(...(await endsTooEarly(databases, account, last)));
  // If the chain is broken, the sums along it are wrong too. Reporting them would repeat the flaw.
  if (flaws.length === 0) {
    const found = [...money.end(now), ...(await holdsWithoutPayouts(databases, account, money))];
    flaws.push(...found.filter(isOfMoney).map(changed));
  }
  return { flaws, entries, unprotected: links.unprotected() };
}

/** Overdue work is not a changed record. */
const isOfMoney = ({ invariant }: Finding): boolean => invariant !== 5;

function changed({ subject, detail }: Finding): Flaw {
  return { kind: "changed", service: "payout", subject, detail };
}

/** Reports an account whose ledger, read again, has more entries than the account claims. */
async function endsTooEarly(databases: Databases, { _id }: Account, last: number) {
  const account = await collectionOf(databases, "accounts").findOne({ _id });
  if (account === null || account.sequence >= last) return [];
  const detail = `says that it ends with entry ${account.sequence}; its ledger has ${last}`;
  return [{ kind: "changed", service: "payout", subject: _id, detail } as const];
}

async function holdsWithoutPayouts(
  databases: Databases,
  account: Account,
  money: ReturnType<typeof createAccountCheck>,
): Promise<Finding[]> {
  const found: Finding[] = [];
  const holding = money.holding();
  for (let at = 0; at < holding.length; at += holdsMax) {
    const ids = holding.slice(at, at + holdsMax);
    const payouts = await readAll(databases, "payouts", { _id: { $in: ids } });
    const orders = await readAll(databases, "scheduled_payouts", { _id: { $in: ids } });
    const known = indexDocuments({ payouts, scheduled_payouts: orders });
    found.push(...checkHolding(account, ids, known.payouts, known.scheduled));
  }
  return found;
}

/** Finds entries whose payout is missing or belongs to another account. */
async function verifyOwners(databases: Databases, accounts: ReadonlyMap<string, Account>) {
  const flaws: Flaw[] = [];
  for await (const entries of batches(databases, "ledger_entries")) {
    const ids = entries.map(({ payout_id }) => payout_id).filter((id) => id !== "");
    const payouts = await readAll(databases, "payouts", { _id: { $in: ids } });
    const index = Object.assign(indexDocuments({ payouts }), { accounts });
    const own = entries.filter(({ account_id }) => accounts.has(account_id));
    flaws.push(...own.flatMap((entry) => checkLedgerEntry(entry, index)).map(changed));
  }
  return flaws;
}

const entryFields = new Set([
  ...["_id", "key", "schema_version", "account_id", "merchant_id", "currency", "step", "amount"],
  ...["payout_id", "note", "sequence", "available", "held", "postings", "reverses", "actor"],
  ...["previous_hash", "hash", "created_at"],
]);

function ledgerLink(entry: RecordedEntry): Link {
  const { sequence, previous_hash: previous, hash } = entry;
  const strays = Object.keys(entry).filter((field) => !entryFields.has(field));
  const hashAt = (at: number) => hashOf({ ...entry, sequence: at }, entry._id);
  return { sequence, previous, hash, strays, hashAt };
}

/** Adds the account id to recent entries, as the ledger does. */
export function withWholeEntries(account: Account): Account {
  const { _id: account_id, merchant_id, currency } = account;
  const recent = account.recent.map((entry) => {
    return { ...entry, account_id, merchant_id, currency };
  });
  return { ...account, recent };
}

function asRecorded({ _id, merchant_id, currency }: Account, recent: RecentEntry): RecordedEntry {
  const { key, ...entry } = recent;
  return { ...entry, _id: key, account_id: _id, merchant_id, currency };
}
