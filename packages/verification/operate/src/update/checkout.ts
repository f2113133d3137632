import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { thisCheckout } from "@disburse/platform/processes.ts";

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: thisCheckout, encoding: "utf8" }).trim();

/** Returns the commit of a reference. Returns `undefined` if the history doesn't contain it. */
export function commitOf(reference: string): string | undefined {
  try {
    return git("rev-parse", "--verify", "--quiet", `${reference}^{commit}`);
  } catch {
    return undefined;
  }
}

/** Checks out a commit into a folder. It must work with this checkout's dependencies. */
export function checkOut(commit: string, folder: string): void {
  git("worktree", "add", "--detach", folder, commit);
  if (git("diff", "--name-only", commit, "--", "package-lock.json") !== "") {
    execFileSync("npm", ["ci", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
    return;
  }
  linkDependencies(folder);
}

export function removeCheckout(folder: string): void {
  git("worktree", "remove", "--force", folder);
}

/** Links the dependencies of this checkout. Workspaces are the other checkout's own. */
function linkDependencies(folder: string): void {
  const from = join(thisCheckout, "node_modules");
  const to = join(folder, "node_modules");
  mkdirSync(join(to, "@disburse"), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== "@disburse") symlinkSync(join(from, name), join(to, name));
  }
  // Links such as `../../services/quote`.
  for (const name of readdirSync(join(from, "@disburse"))) {
    symlinkSync(readlinkSync(join(from, "@disburse", name)), join(to, "@disburse", name));
  }
  for (const group of ["services", "packages"]) {
    for (const name of readdirSync(join(thisCheckout, group))) {
      const own = join(group, name, "node_modules");
      if (!existsSync(join(thisCheckout, own)) || !existsSync(join(folder, group, name))) continue;
      symlinkSync(join(thisCheckout, own), join(folder, own));
    }
  }
}
