import { oneOf, readArguments } from "@disburse/harness/command-line.ts";

/** What `npm run test:operate` is to try. */
export type OperateOptions = ReturnType<typeof readOptions>;

const usage = "usage: npm run test:operate [-- --only NAME]… [--part NAME]…";

const optionTypes = {
  only: { type: "string", multiple: true },
  part: { type: "string", multiple: true },
} as const;

/** Reads the arguments of `npm run test:operate`; `names` are the cases that there are. */
export function readOptions(args: readonly string[], names: readonly string[]) {
  const values = readArguments(args, optionTypes, usage);
  return {
    /** Names of cases; empty for all. */
    only: new Set((values.only ?? []).map((name) => oneOf(names, name, usage))),
    /** Parts of a case, an alert for example; empty for all. */
    parts: new Set(values.part ?? []),
  };
}
