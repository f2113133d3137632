import { countOf, oneOf, readArguments } from "@disburse/harness/command-line.ts";

/** What `npm run test:rails` is to try. */
export type RailOptions = ReturnType<typeof readOptions>;

const usage =
  "usage: npm run test:rails [-- --only NAME]… [--per-gap 1] [--large 10000] [--seed 1]";

const optionTypes = {
  only: { type: "string", multiple: true },
  "per-gap": { type: "string", default: "1" },
  large: { type: "string", default: "10000" },
  seed: { type: "string", default: "1" },
} as const;

/** Reads the arguments of `npm run test:rails`; `names` are the cases that there are. */
export function readOptions(args: readonly string[], names: readonly string[]) {
  const values = readArguments(args, optionTypes, usage);
  return {
    /** Names of cases; empty for all. */
    only: new Set((values.only ?? []).map((name) => oneOf(names, name, usage))),
    /** How often each gap between two steps is tried. */
    perGap: countOf("--per-gap", values["per-gap"], usage),
    /** Payments of the large files. */
    large: countOf("--large", values.large, usage),
    seed: countOf("--seed", values.seed, usage),
  };
}
