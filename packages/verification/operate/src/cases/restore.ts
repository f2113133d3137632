import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { losses } from "@disburse/drills/losses/all.ts";
import { startDrillPlatform } from "@disburse/drills/platform.ts";
import { runDrill } from "@disburse/drills/restore.ts";
import type { OperateCase } from "../case.ts";

/** The drill of `npm run drill:restore`, a part for each database. */
export const restoreCase: OperateCase = {
  name: "restore",
  about: "a database loses its newest writes, and is recovered by the runbook",
  run: async function* (parts) {
    const chosen = losses.filter(({ service }) => parts.size === 0 || parts.has(service));
    if (chosen.length === 0) return;
    const folder = mkdtempSync(join(tmpdir(), "disburse-restore-"));
    await using ends = new AsyncDisposableStack();
    ends.defer(() => rmSync(folder, { recursive: true, force: true }));
    const platform = await startDrillPlatform(folder);
    ends.defer(platform.stop);
    for (const loss of chosen) {
      yield { name: loss.service, problems: await runDrill(platform, loss) };
    }
  },
};
