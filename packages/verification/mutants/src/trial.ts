import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { workspaceOf } from "@disburse/tidy/source.ts";
import { type Mutant, mutated } from "./operators.ts";

/** `invalid` does not compile, and is no mutant that anyone could commit. */
export type Verdict = "killed" | "survived" | "invalid";

/** How one program of a trial ended. */
type End = "passed" | "failed" | "late";

/** Where mutants are tried: a copy of the tree, and the engine and broker for its tests. */
export interface Sandbox {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

const typecheckMs = 120_000;

/** Puts a mutant into the copy, compiles and tests it there, and takes it out again. */
export async function tryMutant(
  sandbox: Sandbox,
  mutant: Mutant,
  tests: readonly string[],
  timeoutMs: number,
): Promise<Verdict> {
  const file = join(sandbox.folder, mutant.path);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, mutated(text, mutant));
  try {
    if ((await typecheck(sandbox, workspaceOf(mutant))) !== "passed") return "invalid";
    return (await runTests(sandbox, tests, timeoutMs)) === "passed" ? "survived" : "killed";
  } finally {
    writeFileSync(file, text);
  }
}

/** A mutant often leaves a name unused, which is no reason to refuse it. */
function typecheck(sandbox: Sandbox, workspace: string): Promise<End> {
  const tsc = join(sandbox.folder, "node_modules/typescript/bin/tsc");
  const unused = ["--noUnusedLocals", "false", "--noUnusedParameters", "false"];
  return run(sandbox, [tsc, "--noEmit", "-p", workspace, ...unused], typecheckMs);
}

/** Runs test files in the copy until one fails; a mutant that loops ends with the time. */
export function runTests(
  sandbox: Sandbox,
  tests: readonly string[],
  timeoutMs: number,
): Promise<End> {
  const vitest = join(sandbox.folder, "node_modules/vitest/vitest.mjs");
  const projects = ["--project", "unit", "--project", "int"];
  const args = [vitest, "run", ...projects, "--bail", "1", "--reporter", "dot", ...tests];
  return run(sandbox, args, timeoutMs);
}

async function run(
  { folder, env }: Sandbox,
  args: readonly string[],
  timeoutMs: number,
): Promise<End> {
  // A group of its own, so that all that the tests started ends with it.
  const options = { cwd: folder, env, stdio: "ignore", detached: true } as const;
  const child = spawn(process.execPath, args, options);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(late);
  if (isLate) return "late";
  return code === 0 ? "passed" : "failed";
}

/** Copies what is tracked or new at `root`; installed packages are linked, ours to the copy. */
export async function copyTree(root: string) {
  const folder = await mkdtemp(join(tmpdir(), "disburse-mutants-"));
  const listed = execFileSync("git", ["ls-files", "-coz", "--exclude-standard"], { cwd: root });
  const names = new Set(listed.toString().split("\0"));
  const files = [...names].filter((file) => file !== "" && existsSync(join(root, file)));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  for (const file of files) {
    if (!file.endsWith("package.json")) continue;
    const modules = join(dirname(file), "node_modules");
    if (existsSync(join(root, modules))) linkModules(join(root, modules), join(folder, modules));
  }
  const ours = join("node_modules", "@disburse");
  mkdirSync(join(folder, ours));
  cpSync(join(root, ours), join(folder, ours), { recursive: true, verbatimSymlinks: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== "@disburse") symlinkSync(join(from, name), join(to, name));
  }
}
