import { countOf, oneOf, readArguments } from "@disburse/harness/command-line.ts";

/**
 * What can be measured: `mix` is 80 % reads, `lifecycle` a payout from its quote to its webhook,
 * `merchants` the same by many merchants, `flat` compares few payouts with many, `hot` one account
 * with many, `cold` starts the services anew, `idle` compares an idle platform of few settled
 * payouts with one of a million.
 */
export const measurementNames = [
  "quote",
  "execute",
  "read",
  "list",
  "beneficiary",
  "mix",
  "lifecycle",
  "merchants",
  "flat",
  "hot",
  "cold",
  "idle",
] as const;

type MeasurementName = (typeof measurementNames)[number];

/** Storing a million payouts takes longer than all the rest. */
const onlyByName: readonly MeasurementName[] = ["idle"];
const always = measurementNames.filter((name) => !onlyByName.includes(name));

/** What `npm run bench` is to measure. */
export type BenchOptions = ReturnType<typeof readOptions>;

const usage =
  "usage: npm run bench -- [--only NAME]… [--seconds N] [--json FILE] [--compare FILE]\n" +
  "                        [--publish] [--smoke]\n" +
  `NAME is one of ${measurementNames.join(", ")}.`;

const whole = {
  /** How long each scenario is measured. */
  seconds: 4,
  warmUpSeconds: 6,
  /** How many payouts there are in the two platforms that are compared, in so many rounds. */
  sizes: { small: 1_000, large: 200_000 },
  rounds: 7,
  /** The merchants of `merchants`. */
  merchants: 1_000,
  /** The idle platforms: their numbers of payouts, and how long each is measured. */
  idle: { sizes: [1_000, 1_000_000], seconds: 60 },
};
/** Shows that everything works; its figures say nothing. */
const smoke = {
  seconds: 1,
  warmUpSeconds: 1,
  sizes: { small: 100, large: 1_000 },
  rounds: 1,
  merchants: 20,
  idle: { sizes: [100, 1_000], seconds: 1 },
};

const optionTypes = {
  only: { type: "string", multiple: true },
  seconds: { type: "string" },
  json: { type: "string" },
  compare: { type: "string" },
  publish: { type: "boolean", default: false },
  smoke: { type: "boolean", default: false },
} as const;

/** Reads the arguments of `npm run bench`. */
export function readOptions(args: readonly string[]) {
  const { only, seconds, json, compare, ...flags } = readArguments(args, optionTypes, usage);
  const preset = flags.smoke ? smoke : whole;
  return {
    ...preset,
    only: new Set<MeasurementName>(
      only === undefined ? always : only.map((name) => oneOf(measurementNames, name, usage)),
    ),
    seconds: seconds === undefined ? preset.seconds : countOf("--seconds", seconds, usage),
    /** Where all figures go as JSON. */
    json,
    /** The JSON of an earlier run, which this one is held against. */
    compare,
    /** Whether the figures go into docs/PERFORMANCE.md. */
    publish: flags.publish,
  };
}

/** Reads the arguments of `npm run bench:memory`. */
export function readMemoryOptions(args: readonly string[]) {
  const payouts = { type: "string", default: "10000" } as const;
  const values = readArguments(args, { payouts, json: { type: "string" } }, memoryUsage);
  return { payouts: countOf("--payouts", values.payouts, memoryUsage), json: values.json };
}

const memoryUsage = "usage: npm run bench:memory [-- --payouts N] [--json FILE]";
