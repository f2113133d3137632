import { parseArgs } from "node:util";

/** What `npm run test:faults` was asked. */
export type FaultOptions = {
  /** How many random kills of services. */
  readonly kills: number;
  /** How many seeds the random faults are tried with. */
  readonly seeds: number;
  /** The first seed. */
  readonly seed: number;
  /** How many quotes are executed by sixteen callers each. */
  readonly races: number;
  /** How often each gap between two writes is tried. */
  readonly perPoint: number;
  /** Names of faults; empty for all. */
  readonly only: ReadonlySet<string>;
};

/** Thrown for arguments that say nothing we know. */
export class UsageError extends Error {
  override name = "UsageError";
}

const usage =
  "usage: npm run test:faults [-- --kills 1000] [--seeds 20] [--seed 1] [--races 2000]\n" +
  "       [--per-point 20] [--only NAME]…";

/** Reads the arguments of `npm run test:faults`; `names` are the faults that there are. */
export function readOptions(args: readonly string[], names: readonly string[]): FaultOptions {
  const values = parsed(args);
  const only = values.only ?? [];
  const strange = only.find((name) => !names.includes(name));
  if (strange !== undefined) {
    throw new UsageError(`--only: there is no ${strange}, but ${names.join(", ")}\n${usage}`);
  }
  const count = (option: "kills" | "seeds" | "seed" | "races" | "per-point"): number => {
    const number = Number(values[option]);
    if (Number.isSafeInteger(number) && number > 0) return number;
    throw new UsageError(`--${option}: must be a whole number above zero\n${usage}`);
  };
  return {
    kills: count("kills"),
    seeds: count("seeds"),
    seed: count("seed"),
    races: count("races"),
    perPoint: count("per-point"),
    only: new Set(only),
  };
}

function parsed(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        kills: { type: "string", default: "1000" },
        seeds: { type: "string", default: "20" },
        seed: { type: "string", default: "1" },
        races: { type: "string", default: "2000" },
        "per-point": { type: "string", default: "20" },
        only: { type: "string", multiple: true },
      },
    });
    return values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${why}\n${usage}`, { cause: error });
  }
}
