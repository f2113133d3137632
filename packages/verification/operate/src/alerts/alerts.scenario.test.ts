import { skipBecause } from "@disburse/harness/scenario.ts";
import { until } from "@disburse/harness/waiting.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alertRules } from "../observability/files.ts";
import { hasProgram } from "../observability/programs.ts";
import { backendBreakages } from "./backends.ts";
import type { Breakage } from "./breakage.ts";
import { complianceBreakages } from "./compliance.ts";
import { merchantBreakages } from "./merchants.ts";
import { moneyBreakages } from "./money.ts";
import { processBreakages } from "./processes.ts";
import { startWorld, type World } from "./world.ts";

/** A source is polled every 30 s, three times. Gauges are updated every 30 s. */
const fires = { timeoutMs: 150_000, everyMs: 500 };
/** The slowest take windows of 15 s, a delivery backoff, and a service start. */
const clears = { timeoutMs: 120_000, everyMs: 500 };

const breakages: readonly Breakage[] = [
  ...[...processBreakages, ...backendBreakages],
  ...[...moneyBreakages, ...merchantBreakages, ...complianceBreakages],
];

const isHere = hasProgram("prometheus");
const ends = new AsyncDisposableStack();

/** Creates a fault for each alert. Only that alert fires, and it clears. */
describe("alerts", () => {
  let world: World;

  beforeAll(async () => {
    if (isHere) world = await startWorld(ends);
  });
  afterAll(() => ends.disposeAsync());

  test.for(alertRules())("$alert", async ({ alert }, context) => {
    skipBecause(context, isHere ? undefined : "there is no prometheus on the PATH");
    const breakage = breakages.find((each) => each.alert === alert);
    if (breakage === undefined) skipBecause(context, "only its unit test breaks it");
    else expect(await problemsOf(world, breakage)).toEqual([]);
  });
});

async function problemsOf(world: World, breakage: Breakage): Promise<string[]> {
  const { alert, companions = [] } = breakage;
  const { firing } = world.prometheus;
  const problems: string[] = [];
  const isQuiet = async () => (await firing()).length === 0;
  if (!(await until(isQuiet, clears))) return [`before it, these fire: ${await firing()}`];
  const seen = new Set<string>();
  const poll = async () => {
    for (const each of await firing()) seen.add(each);
    return seen.has(alert);
  };
  const mend = await breakage.break(world);
  if (!(await until(poll, fires))) problems.push("did not fire");
  await mend();
  const cleared = await until(async () => !(await poll().then(firing)).includes(alert), clears);
  if (!cleared) problems.push("did not clear");
  const others = [...seen].filter((each) => each !== alert && !companions.includes(each));
  if (others.length > 0) problems.push(`so did ${others.join(", ")}`);
  return problems;
}
