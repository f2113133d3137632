import { parseArgs } from "node:util";

/**
 * What can be measured: `flat` compares few payouts with many, `hot` one account with many, `idle`
 * few settled payouts with a million when nobody asks.
 */
export const measurementNames = [
  "quote",
  "execute",
  "read",
  "list",
  "beneficiary",
  "flat",
  "hot",
  "idle",
] as const;

export type MeasurementName = (typeof measurementNames)[number];

/** Storing a million payouts takes longer than all the rest. */
const onlyByName: readonly MeasurementName[] = ["idle"];
const always = measurementNames.filter((name) => !onlyByName.includes(name));

export type BenchOptions = {
  readonly only: ReadonlySet<MeasurementName>;
  /** How long each scenario is measured. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** How many payouts there are in the two platforms that are compared. */
  readonly sizes: { readonly small: number; readonly large: number };
  /** How often the two are asked in turn. */
  readonly rounds: number;
  /** How many payouts there are where nobody asks, and how long nobody does. */
  readonly idle: { readonly sizes: readonly number[]; readonly seconds: number };
  /** Where all figures go as JSON. */
  readonly json: string | undefined;
};

/** Thrown for arguments that say nothing we know. */
export class UsageError extends Error {
  override name = "UsageError";
}

const usage =
  "usage: npm run bench -- [--only NAME]… [--seconds N] [--json FILE] [--smoke]\n" +
  `NAME is one of ${measurementNames.join(", ")}.`;

const whole = {
  seconds: 4,
  warmUpSeconds: 6,
  sizes: { small: 1_000, large: 200_000 },
  rounds: 7,
  idle: { sizes: [1_000, 1_000_000], seconds: 60 },
};
/** Shows that everything works; its figures say nothing. */
const smoke = {
  seconds: 1,
  warmUpSeconds: 1,
  sizes: { small: 100, large: 1_000 },
  rounds: 1,
  idle: { sizes: [100, 1_000], seconds: 1 },
};

/** Reads the arguments of `npm run bench`. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { only, seconds, json, ...flags } = parsed(args);
  const preset = flags.smoke ? smoke : whole;
  return {
    ...preset,
    only: new Set(only === undefined ? always : only.map(measurementName)),
    seconds: seconds === undefined ? preset.seconds : countOf("--seconds", seconds),
    json,
  };
}

function parsed(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string", multiple: true },
        seconds: { type: "string" },
        json: { type: "string" },
        smoke: { type: "boolean", default: false },
      },
    });
    return values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${why}\n${usage}`, { cause: error });
  }
}

function measurementName(text: string): MeasurementName {
  const found = measurementNames.find((name) => name === text);
  if (found === undefined) throw new UsageError(`--only: there is no ${text}\n${usage}`);
  return found;
}

/** Reads a whole number above zero. */
export function countOf(option: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${option}: must be a whole number above zero`);
}
