import { countOf, oneOf, readArguments } from "@disburse/harness/command-line.ts";

/** The measurements. README.md describes each. */
export const measurementNames = [
  "quote",
  "execute",
  "read",
  "list",
  "beneficiary",
  "lifecycle",
  "merchants",
  "hot",
  "flat",
  "webhooks",
] as const;

type MeasurementName = (typeof measurementNames)[number];

/** The options of `npm run bench`. */
export type BenchOptions = ReturnType<typeof readOptions>;

const usage =
  "usage: npm run bench -- [--only NAME]… [--seconds N] [--json FILE] [--smoke]\n" +
  `NAME is one of ${measurementNames.join(", ")}.`;

const whole = {
  /** The time that each scenario is measured. */
  seconds: 4,
  warmUpSeconds: 6,
  /** Payouts of the two platforms that `flat` compares, and its rounds. */
  sizes: { small: 1_000, large: 200_000 },
  rounds: 7,
  /** The merchants of `merchants`. */
  merchants: 1_000,
  /** Deliveries in the backlog of `webhooks`. */
  backlog: 10_000,
};
/** Shows that everything works. Its figures mean nothing. */
const smoke = {
  seconds: 1,
  warmUpSeconds: 1,
  sizes: { small: 100, large: 1_000 },
  rounds: 1,
  merchants: 20,
  backlog: 500,
};

const optionTypes = {
  only: { type: "string", multiple: true },
  seconds: { type: "string" },
  json: { type: "string" },
  smoke: { type: "boolean", default: false },
} as const;

/** Reads the arguments of `npm run bench`. */
export function readOptions(args: readonly string[]) {
  const { only, seconds, json, ...flags } = readArguments(args, optionTypes, usage);
  const preset = flags.smoke ? smoke : whole;
  const names = only?.map((name) => oneOf(measurementNames, name, usage)) ?? measurementNames;
  return {
    ...preset,
    only: new Set<MeasurementName>(names),
    seconds: seconds === undefined ? preset.seconds : countOf("--seconds", seconds, usage),
    /** The file for all figures as JSON. */
    json,
  };
}
