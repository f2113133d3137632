import { oneOf, readArguments } from "@disburse/harness/command-line.ts";

/** The scenarios; README.md says what each is. */
export const scenarioNames = ["A", "B", "C", "D", "E", "F"] as const;
/** One of them. */
export type ScenarioName = (typeof scenarioNames)[number];

/** How much is measured. */
type Sizes = typeof short;

/** What `npm run bench:webhooks` is to measure. */
export type WebhookBenchOptions = ReturnType<typeof readWebhookOptions>;

const usage =
  "usage: npm run bench:webhooks -- [--only A,B] [--long] [--json FILE] [--profile FOLDER]";

const short = {
  /** How long A and B are measured, and a floor. */
  steadySeconds: 20,
  saturatedSeconds: 20,
  floorSeconds: 6,
  /** A, C and D in turns, so often and so long each. */
  rounds: 3,
  roundSeconds: 7,
  /** What waits on the dead endpoint in D, and what is due at once in E. */
  waiting: 5_000,
  dueAtOnce: 10_000,
  /** F's time before the kill and after it. */
  beforeKillSeconds: 6,
  afterKillSeconds: 20,
  /** A bench that takes longer than this hangs. */
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
export function readWebhookOptions(args: readonly string[]) {
  const { only, json, profile, ...flags } = readArguments(args, optionTypes, usage);
  const names = only?.toUpperCase().split(",") ?? scenarioNames;
  return {
    only: new Set<ScenarioName>(names.map((name) => oneOf(scenarioNames, name, usage))),
    sizes: flags.long ? long : short,
    /** Where all figures go as JSON. */
    json,
    /** Where the notifier writes a CPU profile as it ends. */
    profile,
  };
}
