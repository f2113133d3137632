import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperateCase, Verdict } from "../case.ts";
import { evenLoad } from "../replicas/even-load.ts";
import { frozenReplica } from "../replicas/frozen-replica.ts";
import { hotAccount } from "../replicas/hot-account.ts";
import type { Part } from "../replicas/part.ts";
import { startReplicatedPlatform } from "../replicas/platform.ts";
import { rollingRestart } from "../replicas/rolling-restart.ts";

const all: readonly Part[] = [evenLoad, hotAccount, frozenReplica, rollingRestart];

/** Two processes of each service behind a load balancer, and what operators do to them. */
export const replicasCase: OperateCase = {
  name: "replicas",
  about: "two processes of each service share the load, freeze and are restarted",
  run: async function* (parts) {
    for (const part of all) if (parts.size === 0 || parts.has(part.name)) yield tryPart(part);
  },
};

/** Tries it on a platform of its own. */
async function tryPart({ name, settings = {}, run }: Part): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "disburse-replicas-"));
  await using ends = new AsyncDisposableStack();
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const platform = await startReplicatedPlatform(folder, settings);
    ends.defer(platform.stop);
    return { name, problems: [], figures: await run(platform) };
  } catch (error) {
    return { name, problems: [error instanceof Error ? error.message : String(error)] };
  }
}
