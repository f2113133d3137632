import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import type { SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";

const root = join(import.meta.dirname, "../../../..");
const entry = join(root, "packages/standalone/src/main.ts");

const startMs = 300_000;

/**
 * Starts the program of `npm start` in a temporary folder. `stop` ends it and removes the folder.
 */
export async function startSandbox() {
  const folder = mkdtempSync(join(tmpdir(), "disburse-console-"));
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, [entry], {
    cwd: root,
    env: sandboxEnvironment(folder, port ?? 0),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ready(child.stdout, ended);
    return { sandbox: readSandbox(join(folder, "sandbox.json")), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function readSandbox(file: string): SandboxDocument {
  return JSON.parse(readFileSync(file, "utf8")) as SandboxDocument;
}

function ready(output: NodeJS.ReadableStream, ended: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(
      () => reject(new Error(`the platform was not ready after ${startMs} ms`)),
      startMs,
    );
    output.on("data", (chunk: Buffer) => {
      text = `${text}${chunk}`.slice(-10_000);
      if (!/^ready /m.test(text)) return;
      clearTimeout(timer);
      resolve();
    });
    void ended.then(() => reject(new Error(`the platform ended before it was ready:\n${text}`)));
  });
}

function sandboxEnvironment(folder: string, port: number) {
  const own = { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: "warn", LOG_FORMAT: "json" };
  return { ...process.env, ...own };
}
