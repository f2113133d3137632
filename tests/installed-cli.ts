import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");
const source = join(root, "packages", "cli");
const enoughMs = 180_000;

export type Ran = { readonly code: number; readonly out: string; readonly err: string };

export function installCli() {
  const folder = mkdtempSync(join(tmpdir(), "disburse-cli-"));
  const installed = join(folder, "lib");
  mkdirSync(join(installed, "dist"), { recursive: true });
  for (const each of ["package.json", "bin"]) {
    cpSync(join(source, each), join(installed, each), { recursive: true });
  }
  const rolldown = join(root, "node_modules", "rolldown", "bin", "cli.mjs");
  const built = join(installed, "dist", "disburse.mjs");
  const build = ["-c", "rolldown.config.ts", "-o", built];
  execFileSync(process.execPath, [rolldown, ...build], { cwd: source, stdio: "pipe" });
  linkDependencies(installed);
  const tools = join(folder, "tools");
  mkdirSync(tools);
  const command = join(tools, "disburse");
  const program = join(installed, "bin", "disburse.mjs");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(command, 0o755);
  const path = `${tools}:${dirname(process.execPath)}:${process.env.PATH}`;
  const environment = { HOME: folder, PATH: path };
  return {
    folder,
    built,
    run: (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ran> =>
      ended(command, args, { cwd: folder, env: { ...environment, ...more } }),
    /** Runs a page's text in a shell, where `npx disburse` is the installed command. */
    shell: (text: string): Promise<Ran> => {
      const script = text.replaceAll("npx disburse", "disburse");
      return ended("bash", ["-euc", script], { cwd: folder, env: environment });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkDependencies(installed: string): void {
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  for (const name of Object.keys(manifest.dependencies)) {
    const own = join(source, "node_modules", name);
    const link = join(installed, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(existsSync(own) ? own : join(root, "node_modules", name), link);
  }
}

async function ended(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ran> {
  try {
    const run = promisify(execFile);
    const { stdout, stderr } = await run(program, args, { ...options, timeout: enoughMs });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}
