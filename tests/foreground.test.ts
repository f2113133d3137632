import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "disburse-foreground-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const foreground = pathToFileURL(join(import.meta.dirname, "..", "scripts", "foreground.mjs"));

const starter = join(folder, "starter.mjs");
writeFileSync(
  starter,
  `import { runNode } from "${foreground}";
  process.exitCode = await runNode(process.execPath, process.argv.slice(2));`,
);

/** Logs its signals and ends half a second after the first. */
const program = join(folder, "program.ts");
writeFileSync(
  program,
  `const exit: string | undefined = process.argv[2];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => { console.log(signal); setTimeout(() => process.exit(7), 500); });
  }
  console.log(process.env["PATH"]?.split(":")[0]);
  if (exit === undefined) setInterval(() => {}, 1_000_000);
  else process.exitCode = Number(exit);`,
);

function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const { npm_lifecycle_event: _, ...own } = process.env;
  return spawn(command, args, { env: { ...own, ...env }, stdio: ["ignore", "pipe", "inherit"] });
}

/** Returns all lines of the program, once it has ended. */
async function linesOf(child: ChildProcess, onReady: () => void): Promise<string[]> {
  child.stdout?.once("data", onReady);
  return (await text(child.stdout as NonNullable<typeof child.stdout>)).trim().split("\n");
}

test.each([0, 3])("exits with the program's exit code %i, our Node first on PATH", async (code) => {
  const child = start(process.execPath, [starter, program, String(code)]);
  const exit = once(child, "exit");
  expect(await linesOf(child, () => undefined)).toEqual([join(process.execPath, "..")]);
  expect(await exit).toEqual([code, null]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("passes %s on exactly once", async (signal) => {
  const child = start(process.execPath, [starter, program]);
  const exit = once(child, "exit");
  const lines = await linesOf(child, () => {
    child.kill(signal);
    setTimeout(() => child.kill(signal), 50);
  });
  expect(lines.slice(1)).toEqual([signal]);
  expect(await exit).toEqual([7, null]);
});

test("asks the program to end when the starter is killed", async () => {
  const child = start(process.execPath, [starter, program]);
  const lines = await linesOf(child, () => child.kill("SIGKILL"));
  expect(lines.slice(1)).toEqual(["SIGTERM"]);
});

test("asks the program to end when the npm above the starter is killed", async () => {
  const command = `"${process.execPath}" "${starter}" "${program}" & wait`;
  const npm = start("/bin/sh", ["-c", command], { npm_lifecycle_event: "start" });
  const lines = await linesOf(npm, () => npm.kill("SIGKILL"));
  expect(lines.slice(1)).toEqual(["SIGTERM"]);
});
