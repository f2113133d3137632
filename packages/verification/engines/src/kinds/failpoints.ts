import { setTimeout as pause } from "node:timers/promises";
import type { EngineFault } from "../fault.ts";

const failingMs = 4_000;
const probability = 0.15;
const commands = [
  ...["aggregate", "bulkWrite", "count", "delete", "distinct", "find", "findAndModify"],
  ...["getMore", "insert", "update"],
];

/** Errors that the primary returns instead of, or after, carrying out a command. */
const errors: Readonly<Record<string, object>> = {
  // The write took place, but no majority confirmed it in time.
  "fail-64": { writeConcernError: { code: 64, errmsg: "waiting for replication timed out" } },
  "fail-91": { errorCode: 91 },
  "fail-189": { errorCode: 189 },
  "fail-10107": { errorCode: 10_107 },
  "fail-11602": { errorCode: 11_602 },
  "fail-closed": { closeConnection: true },
};

/**
 * After these codes the driver considers its server lost, and waits for the monitor's next reply.
 * The injected error changes no topology, so that reply comes with the next heartbeat.
 */
const losses: ReadonlySet<string> = new Set(["fail-91", "fail-10107", "fail-11602", "fail-189"]);

export const failpointFaults: readonly EngineFault[] = Object.entries(errors).map(
  ([name, error]): EngineFault => ({
    name,
    about: `${probability * 100} % of the commands fail for 4 s with ${JSON.stringify(error)}`,
    loss: losses.has(name) ? "unplanned" : "planned",
    run: async ({ set }) => {
      const primary = await set.primary();
      const admin = primary.client.db("admin");
      const configure = (mode: object | string) =>
        admin.command({
          configureFailPoint: "failCommand",
          mode,
          data: { failCommands: commands, ...error },
        });
      const from = performance.now();
      const { count: before } = await configure({ activationProbability: probability });
      await pause(failingMs);
      const { count: after } = await configure("off");
      // A payment needs some twenty commands, so most payments meet an error meanwhile.
      const awayMs = performance.now() - from;
      return { awayMs, problems: after > before ? [] : ["no command failed"] };
    },
  }),
);
