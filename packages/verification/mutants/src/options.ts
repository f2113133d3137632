import { countOf, readArguments } from "@disburse/harness/command-line.ts";

/** What `npm run test:mutants` is to do. */
export interface MutantOptions {
  /** The same seed draws the same mutants of the same tree. */
  readonly seed: number;
  readonly count: number;
  /** Only mutants of files whose path has this in it. */
  readonly only: string;
}

const usage = "usage: npm run test:mutants [-- --seed N] [--count 100] [--only PART-OF-A-PATH]";

/** Reads the arguments; `anySeed` is for where none is given. */
export function readOptions(args: readonly string[], anySeed: number): MutantOptions {
  const values = readArguments(
    args,
    {
      seed: { type: "string", default: String(anySeed) },
      count: { type: "string", default: "100" },
      only: { type: "string", default: "" },
    },
    usage,
  );
  const count = (option: "seed" | "count") => countOf(`--${option}`, values[option], usage);
  return { seed: count("seed"), count: count("count"), only: values.only };
}
