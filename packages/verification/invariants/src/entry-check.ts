import { createHash } from "node:crypto";
import { findCurrency } from "@disburse/kernel/currency.ts";
import type { Decimal } from "@disburse/kernel/decimal.ts";
import type { Entry, Posting, RecentEntry, RecordedEntry } from "./documents.ts";
import { compare, decimalOf, major, minorOf, plus, zero } from "./exact.ts";
import { type Expect, expectationsOf, type Finding } from "./finding.ts";

/** The change of an account's two balances for each unit of a movement. */
const effects: Readonly<Record<string, { readonly available: bigint; readonly held: bigint }>> = {
  credit: { available: 1n, held: 0n },
  reversal: { available: -1n, held: 0n },
  reserve: { available: -1n, held: 1n },
  unreserve: { available: 1n, held: -1n },
  hold: { available: -1n, held: 1n },
  post: { available: 0n, held: -1n },
  release: { available: 1n, held: -1n },
  return: { available: 1n, held: 0n },
  fund: { available: 1n, held: 0n },
  sweep: { available: -1n, held: 0n },
  rail_hold: { available: -1n, held: 1n },
  rail_post: { available: 0n, held: -1n },
  rail_release: { available: 1n, held: -1n },
  rail_return: { available: 1n, held: 0n },
  rail_charge: { available: -1n, held: 0n },
};

/**
 * Steps whose amount may be zero: a return of which the merchant bears everything, and a release
 * without a hold.
 */
const mayBeOfNothing: ReadonlySet<string> = new Set(["return", "rail_release"]);

/** Canonical decimal text without plus sign, exponent or redundant zeros. */
const canonical = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

export function keyOf(entry: RecordedEntry | RecentEntry): string {
  return "_id" in entry ? entry._id : entry.key;
}

/** Returns the change of both balances, or `undefined` for an unknown step. */
export function effectOf(entry: Entry): { available: bigint; held: bigint } | undefined {
  const unit = effects[entry.step];
  if (unit === undefined) return undefined;
  const amount = minorOf(entry.amount);
  return { available: unit.available * amount, held: unit.held * amount };
}

/** Checks an entry by itself: key, hash and postings. */
export function checkEntry(entry: RecordedEntry | RecentEntry): Finding[] {
  const key = keyOf(entry);
  const { findings, expect } = expectationsOf(key);
  const effect = effectOf(entry);
  if (effect === undefined || findCurrency(entry.currency) === undefined) {
    expect(
      1,
      false,
      `has an unknown step, ${entry.step}, or an unknown currency, ${entry.currency}`,
    );
    return findings;
  }
  const least = mayBeOfNothing.has(entry.step) ? 0n : 1n;
  expect(1, minorOf(entry.amount) >= least, "moves no money");
  expect(4, hasOwnKey(entry, key), `is no key that a ${entry.step} can have`);
  expect(1, entry.hash === hashOf(entry, key), "its hash is not the hash of its fields");
  checkPostings(entry, effect, expect);
  return findings;
}

function hasOwnKey(entry: Entry, key: string): boolean {
  switch (entry.step) {
    case "credit":
      return key.startsWith(`${entry.account_id}:credit:`) && entry.payout_id === "";
    case "fund":
    case "sweep":
      return key.startsWith(`${entry.account_id}:${entry.step}:`) && entry.payout_id === "";
    case "rail_charge": {
      const own = `${entry.account_id}:charge:`;
      if (entry.payout_id === "") return key.startsWith(own);
      const named = key.startsWith(own) ? key.slice(own.length) : "";
      // A payout may have several charges, which are numbered.
      return named.replace(/:\d+$/, "") === entry.payout_id;
    }
    case "rail_return":
      return (
        key === `${entry.payout_id}:rail_return` &&
        entry.reverses === `${entry.payout_id}:rail_post`
      );
    case "reversal":
      return entry.reverses !== "" && key === `${entry.reverses}:reversal`;
    case "return":
      return isHolds(entry, key) && entry.reverses === `${holdIdOf(entry, key)}:post`;
    case "hold":
    case "post":
    case "release":
      return isHolds(entry, key);
    default:
      return key === `${entry.payout_id}:${entry.step}`;
  }
}

/** The id of an entry's hold: the payout's, or that of a later attempt (`po_x.2`). */
export function holdIdOf(entry: Entry, key: string): string {
  return key.slice(0, -`:${entry.step}`.length);
}

function isHolds(entry: Entry, key: string): boolean {
  const holdId = holdIdOf(entry, key);
  const [payoutId, attempt] = holdId.split(".");
  const isLater = attempt === undefined || Number(attempt) >= 2;
  return key === `${holdId}:${entry.step}` && payoutId === entry.payout_id && isLater;
}

/** Returns the hash that links an entry to the chain, as defined by decisions 0008 and 0043. */
export function hashOf(entry: Entry, key: string): string {
  const { actor } = entry;
  const fields = [
    ...["disburse ledger entry", entry.previous_hash, key, entry.account_id, entry.sequence],
    ...[entry.step, entry.currency, minorOf(entry.amount).toString(), entry.payout_id, entry.note],
    ...[minorOf(entry.available).toString(), minorOf(entry.held).toString()],
    entry.postings.map(({ account, currency, amount }) => [account, currency, amount]),
    ...[entry.reverses, entry.created_at.toISOString(), entry.merchant_id],
    actor === undefined ? null : [actor.kind, actor.id],
  ];
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}

function checkPostings(
  entry: Entry,
  effect: { available: bigint; held: bigint },
  expect: Expect,
): void {
  const { postings, currency } = entry;
  const broken = postings.filter(({ amount }) => !canonical.test(amount) || amount === "0");
  expect(1, broken.length === 0, "a posting's amount is not written canonically");
  if (broken.length > 0) return;
  for (const each of new Set(postings.map((posting) => posting.currency))) {
    const sum = sumOf(postings.filter((posting) => posting.currency === each));
    expect(1, sum.units === 0n, `its postings in ${each} do not sum to zero`);
  }
  for (const balance of ["available", "held"] as const) {
    const own = postings.filter(({ account }) => account === balance);
    const isOwn = own.every((posting) => posting.currency === currency);
    const isEffect = compare(sumOf(own), major(effect[balance], currency)) === 0;
    expect(1, isOwn && isEffect, `its postings change ${balance} as no ${entry.step} may`);
  }
}

function sumOf(postings: readonly Posting[]): Decimal {
  return postings.reduce((sum, { amount }) => plus(sum, decimalOf(amount)), zero);
}

/** Checks that `back` reverses exactly the platform account postings of `entry`. */
export function reversesPlatformPostings(back: Entry, entry: Entry): boolean {
  const sums = platformSums([back, entry]);
  return [...sums.values()].every(({ units }) => units === 0n);
}

/** Sums postings to platform accounts by `account/currency`. */
function platformSums(entries: readonly Entry[]): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const { postings } of entries) addPlatformPostings(sums, postings);
  return sums;
}

/** Adds an entry's postings to platform accounts to the sums. */
export function addPlatformPostings(
  sums: Map<string, Decimal>,
  postings: readonly Posting[],
): void {
  for (const { account, currency, amount } of postings) {
    if (!account.startsWith("platform:")) continue;
    const name = `${account}/${currency}`;
    sums.set(name, plus(sums.get(name) ?? zero, decimalOf(amount)));
  }
}

/** Checks the exact amount that an entry posts to a platform account. */
export function postsToPlatform(entry: Entry, name: string, amount: Decimal): boolean {
  return compare(platformSums([entry]).get(name) ?? zero, amount) === 0;
}
