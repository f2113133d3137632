const merchantsProgram = "shows a merchant's program, whose secrets come from its environment";
const health = "asks the service beside it, whose port stands in the environment of the container";

/**
 * The exceptions to the house rules, each for one rule in one file; one that is no longer needed
 * fails the test.
 */
export const exceptions = [
  ["environment reads", "deploy/health.mjs", health],
  ["environment reads", "deploy/rpc.mjs", health],
  ["environment reads", "packages/sdk/examples/express.mjs", merchantsProgram],
  ["environment reads", "packages/sdk/examples/koa.mjs", merchantsProgram],
  ["environment reads", "packages/sdk/examples/node-http.mjs", merchantsProgram],
  ["floats", "packages/name-matcher/src/explanation.ts", "shows a share between 0 and 1"],
  ["floats", "packages/name-matcher/src/measure/report.ts", "prints a measurement"],
  ["floats", "services/compliance/src/measure/main.ts", "prints a measurement"],
  ["markers left", "docs/STYLE.md", "names the marker that is looked for"],
].map(([rule = "", path = "", reason = ""]) => ({ rule, path, reason }));
