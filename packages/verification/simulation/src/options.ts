import { countOf, readArguments } from "@disburse/harness/command-line.ts";

export type SimulationCommand =
  | { readonly kind: "many"; readonly first: number; readonly seeds: number }
  /** Runs one seed again and prints a full trace. */
  | { readonly kind: "replay"; readonly seed: number };

const usage = "usage: npm run test:sim [-- --seeds N] [--first SEED] | [-- --seed SEED]";

/** Parses the arguments of `npm run test:sim`. Defaults to 10,000 seeds from 1. */
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
