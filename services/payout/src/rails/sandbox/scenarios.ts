import { createHash } from "node:crypto";

/** The scenarios of the sandbox rail. docs/reference/services/payout.md describes each one. */
export const scenarios = [
  "settle",
  "fail",
  "return",
  "unknown",
  "late-return",
  "callback",
  "duplicate",
  "early",
  "lost",
  "contradict",
  "amount",
  "silent",
  "batch",
] as const;
export type Scenario = (typeof scenarios)[number];

/** The percentage of each scenario among transfers whose reference names no scenario. */
export type ScenarioShares = Partial<Readonly<Record<Scenario, number>>>;

/** The distribution of durations around `settleMs`. */
export type DelayShape = "fixed" | "uniform" | "long-tailed";

/** Configuration of the simulated rail. */
export type SandboxBehaviour = {
  readonly settleMs: number;
  readonly delay: DelayShape;
  /** With the same seed, a transfer always gets the same scenario and delay. */
  readonly seed: number;
  readonly shares: ScenarioShares;
};

/** A transfer in the scenario `sandbox-late-return` is returned this long after its settlement. */
export const lateReturnMs = 3 * 86_400_000;
/**
 * A transfer in the scenario `sandbox-batch` waits this long for its batch. Until then it can be
 * withdrawn.
 */
export const batchMs = 10_000;
/** The maximum number of times that a long-tailed delay doubles. */
const doublingsMax = 6;

/** A merchant's scenario. They apply to payouts whose reference names no scenario. */
export type MerchantScenario = {
  readonly seed: number;
  readonly failPercent: number;
  readonly returnPercent: number;
  readonly unknownPercent: number;
  /** The longest time to an outcome. If absent, the rail's default delay applies. */
  readonly maxDelayMs?: number;
};

/** The scenario drawn for a payout. Without `delayMs`, the rail's default delay applies. */
export type Drawn = { readonly scenario: Scenario; readonly delayMs?: number };

/**
 * Draws the scenario of a merchant's n-th payout, counted from 1. The same seed always gives the
 * same result.
 */
export function drawnBy(scenario: MerchantScenario, n: number): Drawn {
  const { seed, failPercent, returnPercent, unknownPercent, maxDelayMs } = scenario;
  const at = hash32(`${seed}:outcome:${n}`) % 100;
  const delay =
    maxDelayMs === undefined ? {} : { delayMs: hash32(`${seed}:delay:${n}`) % (maxDelayMs + 1) };
  if (at < failPercent) return { scenario: "fail", ...delay };
  if (at < failPercent + returnPercent) return { scenario: "return", ...delay };
  const isUnknown = at < failPercent + returnPercent + unknownPercent;
  return { scenario: isUnknown ? "silent" : "settle", ...delay };
}

export function namedScenario(referenceId: string): Scenario | undefined {
  return scenarios.find((each) => referenceId.startsWith(`sandbox-${each}`));
}

/**
 * Returns the scenario that the reference names, as `sandbox-` and the scenario's name. Without
 * such a name, the seed and the shares decide.
 */
export function scenarioOf(
  referenceId: string,
  key: string,
  { seed, shares }: Pick<SandboxBehaviour, "seed" | "shares">,
): Scenario {
  const named = namedScenario(referenceId);
  if (named !== undefined) return named;
  let left = hash32(`${seed}:scenario:${key}`) % 100;
  for (const scenario of scenarios) {
    left -= shares[scenario] ?? 0;
    if (left < 0) return scenario;
  }
  return "settle";
}

/**
 * Returns the delay of a transfer. `fixed`: exactly `settleMs`. `uniform`: between 0 and twice
 * `settleMs`. `long-tailed`: half of `settleMs`, doubled up to six times, plus a random extra of at
 * most the same length.
 */
export function delayOf(key: string, { settleMs, delay, seed }: SandboxBehaviour): number {
  const random = hash32(`${seed}:delay:${key}`);
  switch (delay) {
    case "fixed":
      return settleMs;
    case "uniform":
      return random % (2 * settleMs + 1);
    case "long-tailed": {
      const base = Math.floor(settleMs / 2) * 2 ** trailingOnes(random);
      return base + (hash32(`${seed}:spread:${key}`) % (base + 1));
    }
  }
}

/** Counts the trailing one bits, up to `doublingsMax`. */
function trailingOnes(random: number): number {
  let [left, count] = [random, 0];
  while (left % 2 === 1 && count < doublingsMax) {
    left = Math.floor(left / 2);
    count += 1;
  }
  return count;
}

/** Returns the first 32 bits of the text's SHA-256 hash. */
function hash32(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE();
}
