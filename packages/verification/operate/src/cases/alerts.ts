import { until } from "@disburse/harness/waiting.ts";
import { backendBreakages } from "../alerts/backends.ts";
import type { Breakage } from "../alerts/breakage.ts";
import { complianceBreakages } from "../alerts/compliance.ts";
import { merchantBreakages } from "../alerts/merchants.ts";
import { moneyBreakages } from "../alerts/money.ts";
import { processBreakages } from "../alerts/processes.ts";
import { startWorld, type World } from "../alerts/world.ts";
import type { OperateCase, Verdict } from "../case.ts";
import { alertRules } from "../observability/files.ts";
import { hasProgram } from "../observability/programs.ts";

/** A source is checked every 30 s, three times; gauges are read every 30 s. */
const fires = { timeoutMs: 150_000, everyMs: 500 };
/** The slowest: windows of 15 s, backoff of deliveries, a service that starts. */
const clears = { timeoutMs: 120_000, everyMs: 500 };

const breakages: readonly Breakage[] = [
  ...[...processBreakages, ...backendBreakages],
  ...[...moneyBreakages, ...merchantBreakages, ...complianceBreakages],
];

/** Breaks something for each alert; exactly that alert has to fire, and to clear. */
export const alertsCase: OperateCase = {
  name: "alerts",
  about: "each alert fires where its cause is, and clears",
  run: async function* run(parts) {
    if (!hasProgram("prometheus")) {
      yield { name: "all", problems: [], skipped: "there is no prometheus on the PATH" };
      return;
    }
    await using ends = new AsyncDisposableStack();
    // An interrupted run leaves no process behind.
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => void ends.disposeAsync().finally(() => process.exit(1)));
    }
    const world = await startWorld(ends);
    for (const { alert } of alertRules()) {
      if (parts.size > 0 && !parts.has(alert)) continue;
      const breakage = breakages.find((each) => each.alert === alert);
      if (breakage === undefined) {
        const skipped = "only by its unit test: nothing here breaks it";
        yield { name: alert, problems: [], skipped };
      } else {
        yield await tryAlert(world, breakage).catch(
          (error: unknown): Verdict => ({ name: alert, problems: [String(error)] }),
        );
      }
    }
  },
};

async function tryAlert(world: World, breakage: Breakage): Promise<Verdict> {
  const { alert, companions = [] } = breakage;
  const { firing } = world.prometheus;
  const problems: string[] = [];
  const isQuiet = async () => (await firing()).length === 0;
  if (!(await until(isQuiet, clears))) {
    return { name: alert, problems: [`before it, these fire: ${await firing()}`] };
  }
  const seen = new Set<string>();
  const look = async () => {
    for (const each of await firing()) seen.add(each);
    return seen.has(alert);
  };
  const mend = await breakage.break(world);
  if (!(await until(look, fires))) problems.push("did not fire");
  await mend();
  const cleared = await until(async () => !(await look().then(firing)).includes(alert), clears);
  if (!cleared) problems.push("did not clear");
  const others = [...seen].filter((each) => each !== alert && !companions.includes(each));
  if (others.length > 0) problems.push(`so did ${others.join(", ")}`);
  return { name: alert, problems };
}
