import { countOf, oneOf, readArguments } from "@disburse/harness/command-line.ts";
import { scenarioNames } from "./measures/scenario.ts";

export const measurementNames = [
  ...scenarioNames,
  ...(["ledger", "hot", "flat", "webhooks", "batches"] as const),
] as const;

type MeasurementName = (typeof measurementNames)[number];

export type BenchOptions = ReturnType<typeof readOptions>;

const usage =
  "usage: npm run bench -- [--only NAME]… [--seconds N] [--merchants N] [--history N] " +
  "[--json FILE] [--smoke]\n" +
  `NAME is one of ${measurementNames.join(", ")}.`;

const whole = {
  seconds: 10,
  /** Seconds for lifecycles and for each fixed rate. */
  lifecycleSeconds: 30,
  warmUpSeconds: 6,
  /** Seconds. Background loops run often in this time. */
  restSeconds: 10,
  /** Payouts of the two platforms that `flat` compares. */
  sizes: { small: 1_000, large: 200_000 },
  rounds: 7,
  merchants: 100,
  history: 2_000,
  backlog: 10_000,
  /** Lines of the batch: the most that one may have. */
  lines: 10_000,
};
/** Verifies that everything works. Its figures have no meaning. */
const smoke = {
  seconds: 1,
  lifecycleSeconds: 2,
  warmUpSeconds: 1,
  restSeconds: 1,
  sizes: { small: 100, large: 1_000 },
  rounds: 1,
  merchants: 10,
  history: 20,
  backlog: 500,
  lines: 50,
};

const optionTypes = {
  only: { type: "string", multiple: true },
  seconds: { type: "string" },
  merchants: { type: "string" },
  history: { type: "string" },
  json: { type: "string" },
  smoke: { type: "boolean", default: false },
} as const;

export function readOptions(args: readonly string[]) {
  const given = readArguments(args, optionTypes, usage);
  const preset = given.smoke ? smoke : whole;
  const names = given.only?.map((name) => oneOf(measurementNames, name, usage));
  const count = (name: "seconds" | "merchants" | "history", fallback = preset[name]) => {
    const text = given[name];
    return text === undefined ? fallback : countOf(`--${name}`, text, usage);
  };
  return {
    ...preset,
    only: new Set<MeasurementName>(names ?? measurementNames),
    seconds: count("seconds"),
    lifecycleSeconds: count("seconds", preset.lifecycleSeconds),
    merchants: count("merchants"),
    history: count("history"),
    /** Output file for all figures as JSON. */
    json: given.json,
  };
}
