import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { sandboxFile } from "./config.ts";
import { runMainJob } from "./main-job.ts";
import { startStandalone } from "./start.ts";

/**
 * `npm run demo` runs the main job against a running platform. If none is running, it starts one.
 */

const root = join(import.meta.dirname, "../../..");

/** Returns the sandbox of the platform that is running on the data folder. */
async function runningSandbox(): Promise<SandboxDocument | undefined> {
  const path = join(process.env.DATA_DIR || join(root, ".data"), sandboxFile);
  if (!existsSync(path)) return undefined;
  const sandbox = JSON.parse(readFileSync(path, "utf8")) as SandboxDocument;
  const healthy = await fetch(`${sandbox.base_url}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
  return healthy ? sandbox : undefined;
}

async function demo(): Promise<void> {
  const running = await runningSandbox();
  if (running !== undefined) {
    process.stdout.write(`Using the platform at ${running.base_url}\n`);
    return runMainJob(running);
  }
  process.stdout.write("No platform runs here: starting one for the demo\n");
  const folder = mkdtempSync(join(tmpdir(), "disburse-demo-"));
  // The demo prints its requests itself.
  const LOG_LEVEL = process.env.LOG_LEVEL || "warn";
  const environment = { ...process.env, LOG_LEVEL, DATA_DIR: folder, PORT: "0" };
  const standalone = await startStandalone(environment, root, (message) => {
    process.stderr.write(`${message}\n`);
    process.exit(1);
  });
  const stop = () => {
    const exit = () => process.exit(1);
    standalone.stop().then(exit, exit);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    await runMainJob(standalone.sandbox);
  } finally {
    await standalone.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await demo();
  process.stdout.write("\nThe demo is done: money sent, both webhooks genuine.\n");
  process.exit(0);
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
