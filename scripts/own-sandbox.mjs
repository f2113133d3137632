// A sandbox of its own for a script that checks the public interface.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { passSignals, toolEnvironment } from "./foreground.mjs";
import { StartError } from "./start-error.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const startMsMax = 180_000;

/**
 * Starts a sandbox with its state in `scratch`, and ends it after `use`, which gets the contents of
 * its `sandbox.json`. A termination signal ends the sandbox, and fails the start.
 */
export async function withSandbox(node, scratch, settings, use) {
  const data = join(scratch, "data");
  mkdirSync(data);
  const logFile = join(scratch, "sandbox.log");
  const log = openSync(logFile, "w");
  const own = { DATA_DIR: data, PORT: "0", TMPDIR: scratch, ...settings };
  const sandbox = spawn(node, ["packages/standalone/src/main.ts"], {
    cwd: root,
    env: { ...toolEnvironment(node), ...own },
    stdio: ["ignore", log, log],
  });
  const stopPassing = passSignals(sandbox);
  const hasEnded = () => sandbox.exitCode !== null || sandbox.signalCode !== null;
  try {
    const endsAt = performance.now() + startMsMax;
    while (!/^ready /m.test(readFileSync(logFile, "utf8"))) {
      if (hasEnded() || performance.now() > endsAt)
        throw new StartError(`The sandbox did not start:\n${readFileSync(logFile, "utf8")}`);
      await setTimeout(200);
    }
    return await use(JSON.parse(readFileSync(join(data, "sandbox.json"), "utf8")));
  } finally {
    stopPassing();
    if (!hasEnded()) {
      const ended = once(sandbox, "exit");
      sandbox.kill();
      await ended;
    }
  }
}
