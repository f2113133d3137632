import { spawnSync } from "node:child_process";

/**
 * Returns whether a program is on the `PATH`. If run by root on Debian, `npm test` installs these
 * programs. Otherwise their tests are skipped.
 */
export function hasProgram(name: "prometheus" | "promtool"): boolean {
  return spawnSync(name, ["--version"]).status === 0;
}
