import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A copy of the working tree in which files may be broken. */
export interface TreeCopy {
  readonly folder: string;
  remove(): void;
}

/** Copies what is tracked or new at `root`; installed packages are linked, ours to the copy. */
export async function copyTree(root: string): Promise<TreeCopy> {
  const folder = await mkdtemp(join(tmpdir(), "disburse-mutants-"));
  const listed = execFileSync("git", ["ls-files", "-coz", "--exclude-standard"], { cwd: root });
  const files = new Set(
    listed
      .toString()
      .split("\0")
      .filter((file) => file !== ""),
  );
  for (const file of files) {
    if (!existsSync(join(root, file))) continue;
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
