import type { Random } from "@disburse/harness/random.ts";

/** A platform's faults. Each must occur in a long run. */
export const faultKinds = [
  ...["crash before a write", "crash after a write", "crash anywhere", "process frozen"],
  ...["clock jumped"],
  ...["database: request lost", "database: answer lost", "database: bulk torn", "database: slow"],
  ...["database: stepped down", "database: primary lost", "database: two primaries"],
  ...["database: rolled back", "database: no majority", "database: repeated by its driver"],
  "database: read of a former primary",
  ...["call: request lost", "call: answer lost", "call: repeated", "call: slow"],
  ...["call: server gone"],
  ...["bus: away", "bus: confirm lost", "bus: publication torn", "bus: delivered twice"],
  ...["bus: out of order"],
  ...["rail: down", "rail: slow", "rail: request lost", "rail: answer lost", "rail: unknown"],
  ...["rail: never tells", "rail: rejected", "rail: returned", "rail: returned after days"],
  ...["rail: callback", "rail: callback twice", "rail: callback before the answer"],
  ...["rail: contradiction", "rail: another amount", "rail: message forged"],
  ...["webhook: refused", "webhook: answer lost"],
  ...["beneficiary service away", "screening changed", "payout waited for clearance"],
  ...["quote expired", "money short", "operation repeated", "operation of two quotes"],
  ...["credit repeated", "reversal refused", "resolved by operators", "kept back by operators"],
  ...["cancelled by its merchant", "cancelled too late"],
  ...["rail: charged", "rail: short return", "payout waited for funds", "rail account funded"],
  ...["rail account swept", "rail account overdrawn"],
  ...["paid twice by a merchant", "paid twice by another record"],
  ...["possible duplicate refused", "reissued"],
  ...["approval refused", "payout waited for approval", "payout approved", "approval given before"],
  ...["payout rejected by an approver", "approval expired", "order cancelled"],
  ...["reservation refused", "reservation taken", "reservation given back"],
  ...["order cancelled too late", "order failed", "batch finished", "batch rejected"],
  ...["payout waited for balance", "waiting payout paid", "waiting payout failed"],
  ...["waiting payout cancelled", "price above a maximum", "rate changed"],
  "batch waited for balance",
] as const;

/** Faults for payouts from one wallet of a chain. */
export const chainFaultKinds = [
  ...["chain: no answer", "chain: slow", "chain: bytes lost", "chain: no block"],
  ...["chain: reorganised", "chain: fees rose", "chain: nonce used outside", "chain: taken back"],
  ...["chain: fees bumped", "chain: nonce lost", "chain: old bytes back"],
] as const;

export const bankFaultKinds = [
  ...["bank: request lost", "bank: answer lost", "bank: slow", "bank: duplicate refused"],
  ...["bank: returned", "bank: answered twice", "bank: change proposed", "bank: written slowly"],
  ...["bank: return of another's", "bank: file not readable", "bank: decided by operators"],
  "bank: findings handled by operators",
  ...["bank: rail paused", "bank: taken back", "bank: writer threw", "bank: payment unwritten"],
] as const;

export type FaultKind =
  | (typeof faultKinds)[number]
  | (typeof chainFaultKinds)[number]
  | (typeof bankFaultKinds)[number];

export const allFaultKinds: readonly FaultKind[] = [
  ...faultKinds,
  ...chainFaultKinds,
  ...bankFaultKinds,
];

export type FaultCounts = Partial<Record<FaultKind, number>>;

export type Faults = ReturnType<typeof createFaults>;

/**
 * Chooses the fault rates for a seed. Some seeds have many faults, others few, and each seed omits
 * some kinds of fault.
 */
export function createFaults(random: Random) {
  const counts: FaultCounts = {};
  const roughness = random.pick([0.3, 1, 1, 2]);
  const factors = new Map(
    allFaultKinds.map((kind) => [kind, roughness * random.pick([0, 0.5, 1, 1, 2])]),
  );
  let isCalm = true;
  const count = (kind: FaultKind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  return {
    /** Decides whether a fault happens now, and counts it. Always false while faults are off. */
    happens: (kind: FaultKind, probability: number): boolean => {
      if (isCalm || !random.chance(probability * (factors.get(kind) ?? 1))) return false;
      count(kind);
      return true;
    },
    count,
    begin: () => {
      isCalm = false;
    },
    heal: () => {
      isCalm = true;
    },
    isCalm: () => isCalm,
    counts,
  };
}

export function addCounts(total: FaultCounts, more: FaultCounts): void {
  for (const kind of allFaultKinds) {
    const sum = (total[kind] ?? 0) + (more[kind] ?? 0);
    if (sum > 0) total[kind] = sum;
  }
}
