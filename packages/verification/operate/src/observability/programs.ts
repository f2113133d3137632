import { spawnSync } from "node:child_process";

/**
 * Checks the `PATH`. As root on Debian, `npm test` installs these programs. Otherwise their tests
 * are skipped.
 */
export function hasProgram(name: "prometheus" | "promtool"): boolean {
  return spawnSync(name, ["--version"]).status === 0;
}
