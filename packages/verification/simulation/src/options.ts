import { parseArgs } from "node:util";

/** What `npm run test:sim` was asked. */
export type SimulationCommand =
  | { readonly kind: "many"; readonly first: number; readonly seeds: number }
  /** Once more, telling everything that happens. */
  | { readonly kind: "replay"; readonly seed: number };

/** Thrown for arguments that say nothing we know. */
export class UsageError extends Error {
  override name = "UsageError";
}

const usage = "usage: npm run test:sim [-- --seeds N] [--first SEED] | [-- --seed SEED]";

/** Reads the arguments of `npm run test:sim`: 10,000 seeds from 1 unless asked otherwise. */
export function readCommand(args: readonly string[]): SimulationCommand {
  const { seeds = "10000", first = "1", seed } = parsed(args);
  if (seed !== undefined) return { kind: "replay", seed: numberOf("--seed", seed) };
  return { kind: "many", first: numberOf("--first", first), seeds: numberOf("--seeds", seeds) };
}

function parsed(args: readonly string[]) {
  try {
    const option = { type: "string" } as const;
    const options = { seeds: option, first: option, seed: option };
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${what}\n${usage}`, { cause: error });
  }
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`${name}: must be a whole number from 1\n${usage}`);
}
