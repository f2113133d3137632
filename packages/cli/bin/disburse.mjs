#!/usr/bin/env node
// An installed package runs the built file. A checkout without a build runs the sources, with a
// Node that strips types.
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
