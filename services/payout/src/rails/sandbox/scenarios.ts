import { createHash } from "node:crypto";

/** What the sandbox's rail does with a transfer; README.md describes each. */
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
/** One of them. */
export type Scenario = (typeof scenarios)[number];

/** Percent of the transfers without a scenario in their reference that get each scenario. */
export type ScenarioShares = Partial<Readonly<Record<Scenario, number>>>;

/** The distribution of durations around `settleMs`. */
export type DelayShape = "fixed" | "uniform" | "long-tailed";

/** What the simulated rail is configured with. */
export type SandboxBehaviour = {
  readonly settleMs: number;
  readonly delay: DelayShape;
  /** The same seed gives the same transfer the same scenario and delay. */
  readonly seed: number;
  readonly shares: ScenarioShares;
};

/** A transfer of `sandbox-late-return` is returned so long after it settled. */
export const lateReturnMs = 3 * 86_400_000;
/** A transfer of `sandbox-batch` waits so long for its batch, and can be withdrawn until then. */
export const batchMs = 10_000;
/** A long-tailed delay doubles at most so often. */
const doublingsMax = 6;

/** What decides on a merchant's payouts where its reference does not. */
export type MerchantScenario = {
  readonly seed: number;
  /** Of a hundred payouts. */
  readonly failPercent: number;
  readonly returnPercent: number;
  readonly doubtPercent: number;
  /** The longest time to an outcome; absent: as for others. */
  readonly maxDelayMs?: number;
};

/** What a payout comes to; without a delay it takes as long as others do. */
export type Drawn = { readonly scenario: Scenario; readonly delayMs?: number };

/** What the n-th payout of a merchant comes to, from 1: the same for the same seed. */
export function drawnBy(scenario: MerchantScenario, n: number): Drawn {
  const { seed, failPercent, returnPercent, doubtPercent, maxDelayMs } = scenario;
  const at = hash32(`${seed}:outcome:${n}`) % 100;
  const delay =
    maxDelayMs === undefined ? {} : { delayMs: hash32(`${seed}:delay:${n}`) % (maxDelayMs + 1) };
  if (at < failPercent) return { scenario: "fail", ...delay };
  if (at < failPercent + returnPercent) return { scenario: "return", ...delay };
  const isDoubt = at < failPercent + returnPercent + doubtPercent;
  return { scenario: isDoubt ? "silent" : "settle", ...delay };
}

/** The scenario that a reference names. */
export function namedScenario(referenceId: string): Scenario | undefined {
  return scenarios.find((each) => referenceId.startsWith(`sandbox-${each}`));
}

/** By a reference that begins with `sandbox-` and its name, else by seed and shares. */
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

/** `settleMs`; 0 to twice that; or half of it doubled up to six times, and up to as much again. */
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

/** The number of trailing one bits, up to `doublingsMax`. */
function trailingOnes(random: number): number {
  let [left, count] = [random, 0];
  while (left % 2 === 1 && count < doublingsMax) {
    left = Math.floor(left / 2);
    count += 1;
  }
  return count;
}

/** A 32-bit hash of a text. */
function hash32(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE();
}
