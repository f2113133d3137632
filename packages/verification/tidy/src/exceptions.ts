/** A place where a rule is broken for a reason. */
export interface Exception {
  rule: string;
  path: string;
  reason: string;
}

const merchantsProgram = "shows a merchant's program, whose secrets come from its environment";
const health = "asks the service beside it, whose port stands in the environment of the container";

/** Each is for one rule in one file; one that is no longer needed fails the test. */
const places: readonly (readonly [rule: string, path: string, reason: string])[] = [
  ["environment reads", "deploy/health.mjs", health],
  ["environment reads", "packages/sdk/examples/express.mjs", merchantsProgram],
  ["environment reads", "packages/sdk/examples/koa.mjs", merchantsProgram],
  ["environment reads", "packages/sdk/examples/node-http.mjs", merchantsProgram],
  ["floats", "packages/name-matcher/src/explanation.ts", "shows a share between 0 and 1"],
  ["floats", "packages/name-matcher/src/measure/report.ts", "prints a measurement"],
  ["floats", "services/compliance/src/measure/main.ts", "prints a measurement"],
  ["markers left", "docs/STYLE.md", "names the marker that is looked for"],
];

/** The exceptions to the house rules. */
export const exceptions: readonly Exception[] = places.map(([rule, path, reason]) => {
  return { rule, path, reason };
});
