import { countOf, readArguments } from "@disburse/harness/command-line.ts";

/** What `npm run test:sim` is to run. */
export type SimulationCommand =
  | { readonly kind: "many"; readonly first: number; readonly seeds: number }
  /** Once more, telling everything that happens. */
  | { readonly kind: "replay"; readonly seed: number };

const usage = "usage: npm run test:sim [-- --seeds N] [--first SEED] | [-- --seed SEED]";

/** Reads the arguments of `npm run test:sim`: 10,000 seeds from 1 by default. */
export function readCommand(args: readonly string[]): SimulationCommand {
  const option = { type: "string" } as const;
  const options = { seeds: option, first: option, seed: option };
  const { seeds = "10000", first = "1", seed } = readArguments(args, options, usage);
  if (seed !== undefined) return { kind: "replay", seed: countOf("--seed", seed, usage) };
  return {
    kind: "many",
    first: countOf("--first", first, usage),
    seeds: countOf("--seeds", seeds, usage),
  };
}
