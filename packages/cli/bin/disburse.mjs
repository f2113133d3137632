#!/usr/bin/env node
// What is installed runs the built file. In the repository, where there may be none, the source
// runs, under a Node that takes TypeScript as it is.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = new URL("../dist/disburse.mjs", import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  const scripts = new URL("../../../scripts/node.mjs", import.meta.url);
  const { ensureNode } = await import(scripts.href);
  const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const args = [source, ...process.argv.slice(2)];
  const { status, signal } = spawnSync(await ensureNode(), args, { stdio: "inherit" });
  if (signal === null) process.exitCode = status ?? 1;
  else process.kill(process.pid, signal);
}
