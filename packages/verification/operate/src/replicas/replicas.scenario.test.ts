import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say } from "@disburse/harness/command-line.ts";
import { describe, test } from "vitest";
import { evenLoad } from "./even-load.ts";
import { frozenReplica } from "./frozen-replica.ts";
import { hotAccount } from "./hot-account.ts";
import { startReplicatedPlatform } from "./platform.ts";
import { rollingRestart } from "./rolling-restart.ts";

describe("replicas", () => {
  test.each([evenLoad, hotAccount, frozenReplica, rollingRestart])(
    "$name",
    async ({ name, settings = {}, run }) => {
      const folder = mkdtempSync(join(tmpdir(), "replicas-"));
      const platform = await startReplicatedPlatform(folder, settings);
      try {
        say(`${name}: ${await run(platform)}`);
      } finally {
        await platform.stop();
      }
    },
  );
});
