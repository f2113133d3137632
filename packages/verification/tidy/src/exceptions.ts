/** A place where a rule is broken for a reason. */
export interface Exception {
  rule: string;
  path: string;
  reason: string;
}

/** Each is for one rule in one file; one that is no longer needed fails the test. */
export const exceptions: readonly Exception[] = [
  {
    rule: "environment reads",
    path: "deploy/health.mjs",
    reason: "asks the service beside it, whose port stands in the environment of the container",
  },
  {
    rule: "environment reads",
    path: "packages/sdk/examples/express.mjs",
    reason: "shows a merchant's program, whose secrets come from its environment",
  },
  {
    rule: "environment reads",
    path: "packages/sdk/examples/koa.mjs",
    reason: "shows a merchant's program, whose secrets come from its environment",
  },
  {
    rule: "environment reads",
    path: "packages/sdk/examples/node-http.mjs",
    reason: "shows a merchant's program, whose secrets come from its environment",
  },
  {
    rule: "floats",
    path: "packages/name-matcher/src/explanation.ts",
    reason: "shows how alike two names are, a share between 0 and 1",
  },
  {
    rule: "floats",
    path: "packages/name-matcher/src/measure/report.ts",
    reason: "prints shares and milliseconds of a measurement",
  },
  {
    rule: "floats",
    path: "services/compliance/src/measure/main.ts",
    reason: "prints milliseconds and megabytes of a measurement",
  },
  {
    rule: "markers left",
    path: "docs/STYLE.md",
    reason: "names the marker that is looked for",
  },
];
