import type { Scheduler } from "../scheduler/scheduler.ts";

/** The outcome of a transfer. The seed decides it at the first submission. */
export type Scenario = "settles" | "rejects" | "returns" | "returns after days";

/** A transfer in the rail's own records. Crashes of the platform don't affect these records. */
export type Transfer = {
  readonly key: string;
  readonly scenario: Scenario;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  /** The times of the outcome and of the return. */
  readonly decidedMs: number;
  readonly returnedMs: number;
  /** True if the rail never reports the transfer's outcome. Only operators can find it out. */
  readonly isSilent: boolean;
  /** Number of further polls that return an unknown outcome. */
  unknownAnswers: number;
  submissions: number;
  isReported: boolean;
  /** True if the transfer was withdrawn and will never be paid. */
  isWithdrawn: boolean;
  /** True if the rail reports the return itself. */
  readonly tellsReturn: boolean;
  /** The bank's charge for a payment. Only poll results contain it. */
  readonly charge: Money | undefined;
  /** The missing minor units of a return. Only poll results contain them. */
  readonly short: bigint;
};

type Money = { readonly minor: bigint; readonly currency: string };

const dayMs = 86_400_000;
const decisionMaxMs = 12_000;

export type RailState = ReturnType<typeof createRailState>;

/** Chooses the rail's charges and other money operations. */
function railMoney({ random, faults }: Scheduler) {
  /** True if payouts are paid from platform accounts at the rail. */
  const isFunded = random.chance(0.6);
  return {
    isFunded,
    chargeOf: (currency: string): Money | undefined => {
      const isCharged = isFunded && faults.happens("rail: charged", 0.2);
      const minor = BigInt(1 + random.below(400));
      return isCharged ? { minor, currency: random.pick([currency, "USD"]) } : undefined;
    },
    shortOf: (amount: bigint): bigint => {
      const isShort = faults.happens("rail: short return", 0.4);
      return isShort ? random.pick([1n, amount / 7n, amount - 1n]) : 0n;
    },
  };
}

/** Creates the rail's records. All submissions with one key are one transfer. */
export function createRailState(scheduler: Scheduler) {
  const { random, faults } = scheduler;
  const transfers = new Map<string, Transfer>();
  /** Keys that were withdrawn before they arrived. */
  const stones = new Set<string>();
  const { isFunded, chargeOf, shortOf } = railMoney(scheduler);
  const scenario = (): Scenario => {
    if (faults.happens("rail: rejected", 0.15)) return "rejects";
    if (faults.happens("rail: returned", 0.12)) return "returns";
    if (faults.happens("rail: returned after days", 0.08)) return "returns after days";
    return "settles";
  };
  return {
    isFunded,
    transfers: transfers as ReadonlyMap<string, Transfer>,
    /** Returns the transfer of a key. Creates the transfer at the first call. */
    take: (key: string, amount: bigint, currency: string) => {
      const known = transfers.get(key);
      if (known !== undefined) {
        known.submissions += 1;
        return { transfer: known, isNew: false };
      }
      const decidedMs =
        scheduler.nowMs() + random.pick([0, 50, 1_000, random.below(decisionMaxMs)]);
      const isSilent = faults.happens("rail: never tells", 0.06);
      const chosen = isSilent ? random.pick(["settles", "rejects"] as const) : scenario();
      const isSoon = chosen === "returns";
      const short = isSoon ? shortOf(amount) : 0n;
      const tellsReturn =
        chosen === "returns after days" || (isSoon && short === 0n && random.chance(0.3));
      const charge =
        isSilent || chosen === "rejects" || tellsReturn ? undefined : chargeOf(currency);
      const backMs = chosen === "returns" ? random.below(5_000) : (1 + random.below(4)) * dayMs;
      const transfer: Transfer = {
        key,
        scenario: chosen,
        isSilent,
        reference: `REF-${transfers.size + 1}`,
        amount,
        currency,
        decidedMs,
        returnedMs: decidedMs + backMs,
        unknownAnswers: faults.happens("rail: unknown", 0.15) ? 1 + random.below(3) : 0,
        submissions: 1,
        isReported: false,
        isWithdrawn: stones.has(key),
        tellsReturn,
        charge,
        short,
      };
      transfers.set(key, transfer);
      return { transfer, isNew: !transfer.isWithdrawn };
    },
    stones: stones as ReadonlySet<string>,
    /** Returns true if the key was withdrawn before it arrived. */
    isStone: (key: string): boolean => stones.has(key),
    /** Withdraws a transfer that is undecided or won't be paid. */
    withdraw: (key: string): boolean => {
      const known = transfers.get(key);
      if (known === undefined) {
        stones.add(key);
        return true;
      }
      const { scenario, isSilent, isReported, decidedMs } = known;
      const isOpen = !isSilent && !isReported && scheduler.nowMs() < decidedMs;
      known.isWithdrawn ||= isOpen || scenario === "rejects";
      return known.isWithdrawn;
    },
  };
}
