import { parseArgs } from "node:util";

/** What `npm run test:mutants` is to do. */
export interface MutantOptions {
  /** The same seed draws the same mutants of the same tree. */
  readonly seed: number;
  readonly count: number;
  /** Only mutants of files whose path has this in it. */
  readonly only: string;
}

const usage = "usage: npm run test:mutants [-- --seed N] [--count 100] [--only PART-OF-A-PATH]";

/** Reads the arguments. @throws {RangeError} with the usage, for any that mean nothing. */
export function readOptions(args: readonly string[], anySeed: number): MutantOptions {
  const options = {
    seed: { type: "string", default: String(anySeed) },
    count: { type: "string", default: "100" },
    only: { type: "string", default: "" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [seed, count] = [Number(values.seed), Number(values.count)];
  if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1) {
    throw new RangeError(usage);
  }
  return { seed, count, only: values.only };
}
