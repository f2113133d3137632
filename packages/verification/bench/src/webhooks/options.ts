import { oneOf, readArguments } from "@disburse/harness/command-line.ts";

/** The scenarios; README.md says what each is. */
export const scenarioNames = ["A", "B", "C", "D", "E", "F"] as const;
/** One of them. */
export type ScenarioName = (typeof scenarioNames)[number];

/** How much is measured. */
export type Sizes = {
  /** How long A and B are measured, and a floor. */
  readonly steadySeconds: number;
  readonly saturatedSeconds: number;
  readonly floorSeconds: number;
  /** A, C and D in turns, so often and so long each. */
  readonly rounds: number;
  readonly roundSeconds: number;
  /** What waits on the dead endpoint in D, and what is due at once in E. */
  readonly waiting: number;
  readonly dueAtOnce: number;
  /** F's time before the kill and after it. */
  readonly beforeKillSeconds: number;
  readonly afterKillSeconds: number;
  /** A bench that takes longer than this hangs. */
  readonly timeoutSeconds: number;
};

/** What `npm run bench:webhooks` is to measure. */
export type WebhookBenchOptions = {
  readonly only: ReadonlySet<ScenarioName>;
  readonly sizes: Sizes;
  /** Where all figures go as JSON. */
  readonly json: string | undefined;
  /** Where the notifier writes a CPU profile as it ends. */
  readonly profile: string | undefined;
};

const usage =
  "usage: npm run bench:webhooks -- [--only A,B] [--long] [--json FILE] [--profile FOLDER]";

const short: Sizes = {
  steadySeconds: 20,
  saturatedSeconds: 20,
  floorSeconds: 6,
  rounds: 3,
  roundSeconds: 7,
  waiting: 5_000,
  dueAtOnce: 10_000,
  beforeKillSeconds: 6,
  afterKillSeconds: 20,
  timeoutSeconds: 900,
};
const long: Sizes = {
  steadySeconds: 300,
  saturatedSeconds: 60,
  floorSeconds: 20,
  rounds: 3,
  roundSeconds: 60,
  waiting: 50_000,
  dueAtOnce: 100_000,
  beforeKillSeconds: 30,
  afterKillSeconds: 40,
  timeoutSeconds: 5_400,
};

const optionTypes = {
  only: { type: "string" },
  json: { type: "string" },
  profile: { type: "string" },
  long: { type: "boolean", default: false },
} as const;

/** Reads the arguments of `npm run bench:webhooks`. */
export function readWebhookOptions(args: readonly string[]): WebhookBenchOptions {
  const { only, json, profile, ...flags } = readArguments(args, optionTypes, usage);
  const names = only?.toUpperCase().split(",") ?? scenarioNames;
  return {
    only: new Set(names.map((name) => oneOf(scenarioNames, name, usage))),
    sizes: flags.long ? long : short,
    json,
    profile,
  };
}
