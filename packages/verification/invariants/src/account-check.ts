import { findCurrency } from "@disburse/kernel/currency.ts";
import type { Decimal } from "@disburse/kernel/decimal.ts";
import type { Account, Payout, RecentEntry, RecordedEntry, ScheduledPayout } from "./documents.ts";
import { addPlatformPostings, checkEntry, effectOf, holdIdOf, keyOf } from "./entry-check.ts";
import { compare, decimalOf, major, minorOf, zero } from "./exact.ts";
import { expectationsOf, type Finding } from "./finding.ts";
import { checkThreshold } from "./reservation-check.ts";

/** A decision that is not executed within this time counts as lost. */
export const overdueMs = 60_000;

type Chain = {
  sequence: number;
  hash: string;
  at: number;
  available: bigint;
  held: bigint;
  /** Sum of open reservations. */
  reserved: bigint;
  /** Sum of credits, less reversals. */
  funded: bigint;
  /** Sum of posted amounts, less returned amounts. */
  settledOut: bigint;
  readonly platform: Map<string, Decimal>;
  readonly holds: Map<string, bigint>;
  readonly counts: { held: number; paid: number; released: number; returned: number };
  /** Amounts of credits, by key, that were not reversed. */
  readonly credits: Map<string, bigint>;
};

/**
 * Starts the check of one account along its chain. Call `add` with recorded entries in sequence
 * order. Memory grows only with open holds and credits. A new account has an empty chain.
 */
export function createAccountCheck(account: Account) {
  const findings: Finding[] = [];
  const chain: Chain = {
    sequence: 0,
    hash: "",
    at: 0,
    available: 0n,
    held: 0n,
    reserved: 0n,
    funded: 0n,
    settledOut: 0n,
    platform: new Map(),
    holds: new Map(),
    counts: { held: 0, paid: 0, released: 0, returned: 0 },
    credits: new Map(),
  };
  const unrecorded = new Map(account.recent.map((entry) => [entry.key, entry]));
  return {
    add: (entry: RecordedEntry): void => {
      const twin = unrecorded.get(entry._id);
      unrecorded.delete(entry._id);
      findings.push(...checkLink(account, chain, entry));
      if (twin === undefined || twin.hash === entry.hash) return;
      const detail = "the ledger has another entry than the account";
      findings.push({ invariant: 1, subject: entry._id, detail });
    },
    /** Adds the unrecorded entries. Returns the findings about the account and its entries. */
    end: (now: Date): Finding[] => {
      const isRecorded = chain.sequence >= account.recorded_sequence;
      const inOrder = [...unrecorded.values()].sort((a, b) => a.sequence - b.sequence);
      for (const entry of inOrder) findings.push(...checkLink(account, chain, entry));
      return [
        ...findings,
        ...checkHead(account, chain, isRecorded, now),
        ...checkThreshold(account),
      ];
    },
    /** Returns the ids of open holds. Call it after `end`. */
    holding: (): readonly string[] => [...chain.holds.keys()],
  };
}

function checkLink(account: Account, chain: Chain, entry: RecordedEntry | RecentEntry): Finding[] {
  const { findings, expect } = expectationsOf(keyOf(entry));
  const { sequence } = entry;
  expect(1, sequence === chain.sequence + 1, `sequence ${sequence} follows ${chain.sequence}`);
  expect(1, entry.previous_hash === chain.hash, "the chain of hashes is broken");
  expect(1, entry.created_at.getTime() >= chain.at, "is older than the previous entry");
  const isSame =
    entry.merchant_id === account.merchant_id &&
    entry.currency === account.currency &&
    entry.account_id === account._id;
  expect(12, isSame, "is of another account, merchant or currency than its account");
  findings.push(...checkEntry(entry));
  chain.sequence = sequence;
  chain.hash = entry.hash;
  chain.at = entry.created_at.getTime();
  const effect = effectOf(entry);
  if (effect === undefined) return findings;
  chain.available += effect.available;
  chain.held += effect.held;
  const [available, held] = [minorOf(entry.available), minorOf(entry.held)];
  const follows = available === chain.available && held === chain.held;
  expect(1, follows, "its balances do not follow from the entries up to it");
  const isCovered = available >= 0n || mayBeOverdrawn(account);
  expect(2, isCovered && held >= 0n, `leaves ${available} available and ${held} held`);
  const isPaidUncovered = available < 0n && spending.has(entry.step);
  expect(2, !isPaidUncovered, `a ${entry.step} of more than the balance`);
  expect(
    4,
    endsWhatIsThere(chain, entry),
    `a ${entry.step} without an open hold, so of nothing, or of another amount than the hold`,
  );
  addPlatformPostings(chain.platform, entry.postings);
  const counted = countedAs[entry.step];
  if (counted !== undefined) chain.counts[counted] += 1;
  return findings;
}

const countedAs: Readonly<Record<string, keyof Chain["counts"]>> = {
  hold: "held",
  post: "paid",
  release: "released",
  return: "returned",
};

/** Rail accounts belong to the platform (docs/decisions/0050). */
const isRails = ({ merchant_id }: Account): boolean => merchant_id === "platform";

/**
 * A bank takes its charges even if the balance doesn't cover them. Other payments require cover.
 */
const mayBeOverdrawn = isRails;
const spending: ReadonlySet<string> = new Set([
  ...["hold", "reserve", "reversal", "sweep", "rail_hold"],
]);

/**
 * Applies an entry that ends or reverses an open entry. Returns false if there is no such open
 * entry, or if the amount differs.
 */
function endsWhatIsThere(chain: Chain, entry: RecordedEntry | RecentEntry): boolean {
  const amount = minorOf(entry.amount);
  const { holds, credits } = chain;
  const holdId = holdIdOf(entry, keyOf(entry));
  switch (entry.step) {
    case "credit":
      chain.funded += amount;
      credits.set(keyOf(entry), amount);
      return true;
    case "reversal":
      chain.funded -= amount;
      return take(credits, entry.reverses) === amount;
    case "fund":
      chain.funded += amount;
      return true;
    case "sweep":
      chain.funded -= amount;
      return true;
    case "rail_charge":
      chain.settledOut += amount;
      return true;
    case "reserve":
      chain.reserved += amount;
      return isFirst(holds, entry.payout_id, amount);
    case "unreserve":
      chain.reserved -= amount;
      return take(holds, entry.payout_id) === amount;
    case "rail_hold":
    case "hold":
      return isFirst(holds, holdId, amount);
    case "rail_post":
    case "post":
      chain.settledOut += amount;
      return take(holds, holdId) === amount;
    case "rail_release":
      // A release of zero is valid: it prevents a later hold.
      return (take(holds, holdId) ?? 0n) === amount;
    case "release":
      return take(holds, holdId) === amount;
    default:
      // The check of the payout compares a return with its post, so this check doesn't.
      chain.settledOut -= amount;
      return true;
  }
}

function isFirst(holds: Map<string, bigint>, id: string, amount: bigint): boolean {
  const isNew = !holds.has(id);
  holds.set(id, amount);
  return isNew;
}

function take(amounts: Map<string, bigint>, key: string): bigint | undefined {
  const amount = amounts.get(key);
  amounts.delete(key);
  return amount;
}

function checkHead(account: Account, chain: Chain, isRecorded: boolean, now: Date): Finding[] {
  const { findings, expect } = expectationsOf(account._id);
  expect(1, findCurrency(account.currency) !== undefined, "has an unknown currency");
  const [available, held] = [minorOf(account.available), minorOf(account.held)];
  const { funded, settledOut } = chain;
  expect(1, funded - settledOut === available + held, "funded − settled out ≠ available + held");
  const isHead = available === chain.available && held === chain.held;
  expect(1, isHead, "its balances differ from those of its last entry");
  const isReserved = minorOf(account.reserved ?? "0") === chain.reserved;
  expect(1, isReserved, "its reserved amount is not the sum of its open reservations");
  const isCovered = available >= 0n || mayBeOverdrawn(account);
  expect(2, isCovered && held >= 0n, `has ${available} available and ${held} held`);
  expect(
    1,
    account.sequence === chain.sequence,
    "its sequence differs from that of its last entry",
  );
  expect(1, account.head_hash === chain.hash, "its head is not the hash of its last entry");
  expect(1, isRecorded, "the ledger lacks entries that the account counts as recorded");
  const { held: created, paid, released, returned } = chain.counts;
  const { initiated, succeeded, failed } = account.counts;
  expect(1, initiated === created - paid - released, `counts ${initiated} payouts initiated`);
  expect(1, succeeded === paid - returned, `counts ${succeeded} payouts succeeded`);
  // A release may belong to an order whose quote expired.
  const isFailed = failed >= returned && failed <= returned + released;
  expect(1, isFailed, `counts ${failed} payouts failed`);
  const names = new Set([...chain.platform.keys(), ...Object.keys(account.platform)]);
  for (const name of names) {
    const kept = decimalOf(account.platform[name] ?? "0");
    const isSum = compare(kept, chain.platform.get(name) ?? zero) === 0;
    expect(1, isSum, `its ${name} is not the sum of its entries' postings`);
  }
  const nostro = chain.platform.get(`platform:nostro/${account.currency}`) ?? zero;
  const mirrored = isRails(account) ? -(available + held) : 0n;
  const isMirrored = compare(nostro, major(mirrored, account.currency)) === 0;
  expect(1, isMirrored, "platform:nostro does not mirror its balance");
  const isAtRest = account.recent.length === 0 && account.open_holds.length === 0;
  expect(5, isAtRest || account.dirty === true, "has unfinished work that no sweep would find");
  const overdue = now.getTime() - overdueMs;
  const isLate = account.open_holds.some(({ since }) => since.getTime() < overdue);
  expect(5, !isLate, "has overdue open holds that no sweep finished");
  const isUnrecorded = account.recent.some(({ created_at }) => created_at.getTime() < overdue);
  expect(5, !isUnrecorded, "has entries that no process copied to the ledger in time");
  return findings;
}

/**
 * Finds money that would be held forever, because its payout doesn't exist and won't be created, or
 * because no order with this reservation exists.
 */
export function checkHolding(
  account: Account,
  holding: readonly string[],
  payouts: Pick<ReadonlyMap<string, Payout>, "get">,
  orders: Pick<ReadonlyMap<string, ScheduledPayout>, "has">,
): Finding[] {
  const awaited = new Set(account.open_holds.map(({ payout_id }) => payout_id));
  const isPayouts = (holdId: string) => {
    const payout = payouts.get(holdId.split(".")[0] ?? "");
    // A rail's account holds money under the payout's own id.
    return payout !== undefined && (isRails(account) || holdOf(payout) === holdId);
  };
  return holding
    .filter((id) => !awaited.has(id) && !isPayouts(id) && !orders.has(id))
    .map((id) => ({
      invariant: 4,
      subject: `${id}:hold`,
      detail: "money is held, but its payout does not exist",
    }));
}

/** Returns the id of the hold that pays a payout. */
export function holdOf({ _id, order }: Pick<Payout, "_id" | "order">): string {
  return order.waited === undefined ? _id : `${_id}.${order.waited.attempt}`;
}

const paying: ReadonlySet<string> = new Set([
  ...["post", "return", "rail_post", "rail_return", "rail_charge"],
]);

/** Checks that an entry belongs to the payout that it names. */
export function checkOwner(
  entry: RecordedEntry | RecentEntry,
  payout: Payout | undefined,
): Finding[] {
  const { findings, expect } = expectationsOf(keyOf(entry));
  if (payout === undefined) {
    const needsNone = !paying.has(entry.step);
    expect(4, needsNone, `a ${entry.step} without a payout`);
    return findings;
  }
  const isOwn =
    entry.merchant_id === "platform"
      ? payout.funded === true && entry.account_id === `rail:${payout.rail}:${entry.currency}`
      : entry.merchant_id === payout.merchant_id && entry.account_id === payout.account_id;
  expect(12, isOwn, "is of another merchant or account than its payout");
  return findings;
}
