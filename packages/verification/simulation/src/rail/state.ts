import type { Scheduler } from "../scheduler/scheduler.ts";

/** What a rail does with a transfer, decided by the seed at its first submission. */
export type Scenario = "settles" | "rejects" | "returns" | "returns after days";

/** A transfer in the rail's own records, which no crash of ours can touch. */
export type Transfer = {
  readonly key: string;
  readonly scenario: Scenario;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  /** When it is decided, and when it comes back. */
  readonly decidedMs: number;
  readonly returnedMs: number;
  /** The rail never reports its outcome: only operators can find it out. */
  readonly isSilent: boolean;
  /** How often the rail still says that it does not know. */
  unknownAnswers: number;
  /** How often it was submitted. */
  submissions: number;
  /** The rail has reported its outcome by itself. */
  isReported: boolean;
  /** Taken back: it is never paid. */
  isWithdrawn: boolean;
  /** It says by itself that it came back. */
  readonly tellsReturn: boolean;
  /** What its bank takes when it is paid; only the answers to polls name it. */
  readonly charge: Money | undefined;
  /** What is missing of it when it comes back, in minor units; only answers to polls name it. */
  readonly short: bigint;
};

/** Minor units of a currency. */
type Money = { readonly minor: bigint; readonly currency: string };

const dayMs = 86_400_000;
/** A transfer takes this long at most. */
const decisionMaxMs = 12_000;

/** What the rail knows, and no crash of ours loses. */
export type RailState = ReturnType<typeof createRailState>;

/** What the rail does with money beside paying it out. */
function railMoney({ random, faults }: Scheduler) {
  /** Whether payouts are paid from accounts of the house at the rail. */
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

/** The rail's own records: one key is one transfer, however often it is submitted. */
export function createRailState(scheduler: Scheduler) {
  const { random, faults } = scheduler;
  const transfers = new Map<string, Transfer>();
  /** Taken back before they came. */
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
    /** Takes a transfer, or finds the one that it has. */
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
    /** Whether a key was taken back before it came. */
    isStone: (key: string): boolean => stones.has(key),
    /** Takes a transfer back that is not decided, or that is not paid anyway. */
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
