import { readFileSync } from "node:fs";
import type { Metrics } from "./metrics.ts";

const manifest = new URL("../package.json", import.meta.url);

/** All workspaces have the same version, which is the release's version (docs/contributing/releasing.md). */
export const { version: releaseVersion } = JSON.parse(readFileSync(manifest, "utf8")) as {
  readonly version: string;
};

/**
 * Adds the release to the metrics.
 *
 * @param commit empty if the image was built without it.
 */
export function showRelease(metrics: Metrics, commit: string): void {
  const help = "1, with the version and the commit that the process runs.";
  const build = metrics.gauge("disburse_build_info", help, ["version", "commit"]);
  build.set({ version: releaseVersion, commit }, 1);
}
