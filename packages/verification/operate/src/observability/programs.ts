import { spawnSync } from "node:child_process";

/**
 * Whether a program of Prometheus is on the `PATH`. `npm test` as root on Debian installs it;
 * elsewhere what needs it is skipped.
 */
export function hasProgram(name: "prometheus" | "promtool"): boolean {
  return spawnSync(name, ["--version"]).status === 0;
}
