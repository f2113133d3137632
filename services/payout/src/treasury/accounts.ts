import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import {
  findRailAccount,
  type Ledger,
  openRailAccount,
  platformMerchantId,
} from "@disburse/ledger/accounts.ts";
import type { RailMovement } from "@disburse/ledger/rules/account.ts";
import type { Applied } from "@disburse/ledger/writer.ts";
import type { ClosingStep } from "../payouts/rules/movement.ts";
import type { Payout } from "../payouts/rules/payout.ts";
import { type Charge, shortMinorOf } from "../payouts/rules/rail-report.ts";

/** The name of the platform's account for payouts over one rail in one currency. */
export type RailAccountName = { readonly rail: string; readonly currency: string };

/** Derives the account's id. There is one account per rail and currency. */
export function railAccountId({ rail, currency }: RailAccountName): string {
  return `rail:${rail}:${currency}`;
}

/** The actor of a rail account, which its first movement opens. */
const ownActor: StoredActor = { kind: "service", id: "payout" };

/** Applies a movement to a rail account, once per key. The first movement opens the account. */
export async function moveRail(
  ledger: Ledger,
  name: RailAccountName,
  movement: RailMovement & { readonly note: string },
  actor?: StoredActor,
): Promise<Applied> {
  const accountId = railAccountId(name);
  const target = { merchantId: platformMerchantId, accountId, ...(actor && { actor }) };
  const applied = await ledger.apply(target, movement);
  if (applied.outcome !== "no_account") return applied;
  const opening = { id: accountId, ...name, operationId: accountId, actor: ownActor };
  await openRailAccount(ledger, opening, new Date());
  return ledger.apply(target, movement);
}

/** The result of a hold. `missing` is the amount that the account lacks. */
export type FundsHeld =
  | { readonly outcome: "held" }
  | { readonly outcome: "short"; readonly missing: string }
  /** The payout has ended in the meantime and must not be sent. */
  | { readonly outcome: "ended" };

/** Holds the payout's amount in its rail's account, under the payout's key. */
export async function holdFunds(ledger: Ledger, payout: Payout): Promise<FundsHeld> {
  const name = fundedFrom(payout);
  const { receivingMinor: amount } = payout.quote;
  const hold = { step: "rail_hold", payoutId: payout.id, amount, note: "" } as const;
  const { outcome } = await moveRail(ledger, name, hold);
  if (outcome === "applied") return { outcome: "held" };
  if (outcome === "ended_otherwise") return { outcome: "ended" };
  if (outcome !== "insufficient")
    throw new Error(`the movement rail_hold was not applied: ${outcome}`);
  const account = await findRailAccount(ledger, railAccountId(name));
  const lacks = amount - (account?.available ?? 0n);
  return { outcome: "short", missing: `${formatAmount(lacks, name.currency)} ${name.currency}` };
}

const endings = { post: "rail_post", release: "rail_release", return: "rail_return" } as const;

/**
 * Books the decided outcome of a payout in its rail's account, once. A release is booked even
 * without a hold, so that a late worker can't hold money afterwards.
 */
export async function endFunds(ledger: Ledger, payout: Payout, step: ClosingStep): Promise<void> {
  const { id: payoutId } = payout;
  const ending = endings[step];
  const movement =
    ending === "rail_return"
      ? ({ step: ending, payoutId, shortMinor: shortMinorOf(payout), note: "" } as const)
      : ({ step: ending, payoutId, note: "" } as const);
  const { outcome } = await moveRail(ledger, fundedFrom(payout), movement);
  if (outcome !== "applied") throw new Error(`the movement ${ending} was not applied: ${outcome}`);
}

/**
 * Books a bank's charge for a payout in the charge's currency. Each charge has a number from 1 and
 * is booked once.
 */
export async function chargeFunds(
  ledger: Ledger,
  payout: Payout,
  charge: Charge,
  number: number,
): Promise<void> {
  const { currency, minor: amount } = charge;
  const of = { payoutId: payout.id, number };
  const movement = { step: "rail_charge", amount, of, note: "" } as const;
  const { outcome } = await moveRail(ledger, { rail: payout.rail, currency }, movement);
  if (outcome !== "applied")
    throw new Error(`the movement rail_charge was not applied: ${outcome}`);
}

function fundedFrom({ rail, isFunded, quote }: Payout): RailAccountName {
  if (!isFunded) throw new Error("the payout is not funded from a rail account");
  return { rail, currency: quote.destination };
}
