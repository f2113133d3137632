import { countOf, oneOf, readArguments } from "@disburse/harness/command-line.ts";

/** What `npm run test:faults` is to try. */
export type FaultOptions = ReturnType<typeof readOptions>;

const usage =
  "usage: npm run test:faults [-- --kills 1000] [--seeds 20] [--seed 1] [--races 2000]\n" +
  "       [--per-point 20] [--only NAME]…";

const optionTypes = {
  kills: { type: "string", default: "1000" },
  seeds: { type: "string", default: "20" },
  seed: { type: "string", default: "1" },
  races: { type: "string", default: "2000" },
  "per-point": { type: "string", default: "20" },
  only: { type: "string", multiple: true },
} as const;

/** Reads the arguments of `npm run test:faults`; `names` are the faults that there are. */
export function readOptions(args: readonly string[], names: readonly string[]) {
  const values = readArguments(args, optionTypes, usage);
  const count = (option: "kills" | "seeds" | "seed" | "races" | "per-point"): number =>
    countOf(`--${option}`, values[option], usage);
  return {
    /** How many random kills of services. */
    kills: count("kills"),
    /** How many seeds the random faults are tried with; the first one. */
    seeds: count("seeds"),
    seed: count("seed"),
    /** How many quotes are executed by sixteen callers each. */
    races: count("races"),
    /** How often each gap between two writes is tried. */
    perPoint: count("per-point"),
    /** Names of faults; empty for all. */
    only: new Set((values.only ?? []).map((name) => oneOf(names, name, usage))),
  };
}
