import { readArguments, UsageError } from "@disburse/harness/command-line.ts";

/** What `npm run check:invariants` was asked. */
export type CheckCommand = {
  /** Of a running database; without it `dataDir` is opened, or the engine that has it open. */
  readonly mongodbUri: string | undefined;
  readonly prefix: string;
  readonly dataDir: string;
  /** How long a platform may take to come to rest. */
  readonly settleSeconds: number;
  /** Where the report goes as JSON. */
  readonly json: string | undefined;
};

const usage =
  "usage: npm run check:invariants [-- --mongodb-uri URI] [--prefix disburse_]\n" +
  "       [--data-dir .data] [--settle SECONDS] [--json FILE]";

const optionTypes = {
  "mongodb-uri": { type: "string" },
  prefix: { type: "string", default: "disburse_" },
  "data-dir": { type: "string", default: ".data" },
  settle: { type: "string", default: "30" },
  json: { type: "string" },
} as const;

/** Reads the arguments of `npm run check:invariants`. */
export function readCommand(args: readonly string[]): CheckCommand {
  const values = readArguments(args, optionTypes, usage);
  const settleSeconds = Number(values.settle);
  if (!Number.isSafeInteger(settleSeconds) || settleSeconds < 0) {
    throw new UsageError(`--settle: must be a whole number of seconds\n${usage}`);
  }
  return {
    mongodbUri: values["mongodb-uri"],
    prefix: values.prefix,
    dataDir: values["data-dir"],
    settleSeconds,
    json: values.json,
  };
}
