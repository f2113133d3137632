import { createHash } from "node:crypto";

/** What the sandbox's rail does with a transfer; README.md tells of each. */
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
] as const;
export type Scenario = (typeof scenarios)[number];

/** Of a hundred transfers whose reference asks for nothing, how many get which scenario. */
export type ScenarioShares = Partial<Readonly<Record<Scenario, number>>>;

/** How long transfers take around `settleMs`. */
export type DelayShape = "fixed" | "uniform" | "long-tailed";

export type SandboxBehaviour = {
  readonly settleMs: number;
  readonly delay: DelayShape;
  /** The same seed decides the same for the same transfer. */
  readonly seed: number;
  readonly shares: ScenarioShares;
};

/** A transfer of `sandbox-late-return` comes back so long after it settled. */
export const lateReturnMs = 3 * 86_400_000;
/** A long-tailed delay doubles at most so often. */
const doublingsMax = 6;

/**
 * The scenario of a transfer: by a reference that begins with `sandbox-` and its name, else by the
 * seed and the configured shares, else `settle`.
 */
export function scenarioOf(
  referenceId: string,
  key: string,
  { seed, shares }: Pick<SandboxBehaviour, "seed" | "shares">,
): Scenario {
  const named = scenarios.find((each) => referenceId.startsWith(`sandbox-${each}`));
  if (named !== undefined) return named;
  let left = dice(`${seed}:scenario:${key}`) % 100;
  for (const scenario of scenarios) {
    left -= shares[scenario] ?? 0;
    if (left < 0) return scenario;
  }
  return "settle";
}

/**
 * How long a transfer takes: `settleMs`; anything from 0 to twice that; or half of it doubled as
 * often as a coin falls on heads, six times at most, and up to as much again.
 */
export function delayOf(key: string, { settleMs, delay, seed }: SandboxBehaviour): number {
  const rolled = dice(`${seed}:delay:${key}`);
  switch (delay) {
    case "fixed":
      return settleMs;
    case "uniform":
      return rolled % (2 * settleMs + 1);
    case "long-tailed": {
      const base = Math.floor(settleMs / 2) * 2 ** heads(rolled);
      return base + (dice(`${seed}:spread:${key}`) % (base + 1));
    }
  }
}

/** How many of a number's last bits are ones in a row. */
function heads(rolled: number): number {
  let [left, count] = [rolled, 0];
  while (left % 2 === 1 && count < doublingsMax) {
    left = Math.floor(left / 2);
    count += 1;
  }
  return count;
}

/** A number of 32 bits that a text decides. */
function dice(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE();
}
