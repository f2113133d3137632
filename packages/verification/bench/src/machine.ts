import { execFileSync } from "node:child_process";
import { cpus, loadavg, type as osType, release, totalmem } from "node:os";
import type { MongoClient } from "mongodb";
import type { MachineFigures } from "./figures.ts";
import { rounded } from "./measures/percentile.ts";

const gigabyte = 1_024 ** 3;

/** What the figures of a run depend on. */
export async function readMachine(mongo: MongoClient): Promise<MachineFigures> {
  const { version } = await mongo.db("admin").command({ buildInfo: 1 });
  return {
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`,
    memory_gb: Math.round(totalmem() / gigabyte),
    os: `${osType()} ${release().replace(/-.*/, "")}`,
    load_before: rounded(loadavg()[0] ?? 0, 1),
    node: process.version,
    mongodb: String(version),
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The commit of the tree, with `+` where files differ from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+";
    return git("rev-parse", "--short=10", "HEAD") + changed;
  } catch {
    // A tarball has no history.
    return "unknown";
  }
}
