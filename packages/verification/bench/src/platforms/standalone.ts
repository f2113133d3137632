import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { createBeneficiary } from "../load/gateway.ts";
import type { Target } from "../load/scenarios.ts";

/** A platform that `npm start` runs, in a data folder of its own. */
export type RunningStandalone = Awaited<ReturnType<typeof startStandalone>>;

const root = join(import.meta.dirname, "../../../../..");

/** Runs the very command of `npm start`, and waits until it is ready. */
export async function startStandalone(dataDir: string) {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: { start: string };
  };
  const child = spawn("/bin/sh", ["-c", scripts.start], {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      DATA_DIR: dataDir,
      PORT: "0",
      RATE_LIMIT_PER_SECOND: "1000000",
      RATE_LIMIT_BURST: "1000000",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  await Promise.race([
    waitUntilReady(child.stdout),
    exited.then(() => {
      throw new Error("npm start ended before it was ready");
    }),
  ]);
  try {
    // The pid is the launcher's, from which all its processes descend.
    return { pid: child.pid ?? 0, target: await merchantOf(dataDir), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitUntilReady(stdout: NodeJS.ReadableStream): Promise<void> {
  const lines = createInterface(stdout);
  await new Promise<void>((resolve) => {
    // Read on to the end: a full pipe would stop the platform.
    lines.on("line", (line) => {
      if (line.startsWith("ready ")) resolve();
    });
  });
}

async function merchantOf(dataDir: string): Promise<Target> {
  const text = readFileSync(join(dataDir, "sandbox.json"), "utf8");
  const { base_url: baseUrl, merchants, accounts } = JSON.parse(text) as SandboxDocument;
  const { api_key: apiKey } = merchants.acme;
  const account = accounts.find(({ merchant, currency, available }) => {
    return merchant === "acme" && currency === "USD" && /[1-9]/.test(available);
  });
  const beneficiaryId = await createBeneficiary({ baseUrl, apiKey });
  return { baseUrl, apiKey, accountId: account?.account_id ?? "", beneficiaryId };
}
