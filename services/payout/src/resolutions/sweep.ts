import type { Log } from "@disburse/chassis/log.ts";
import { finishResolution, type ResolutionDeps } from "./resolve.ts";

/**
 * Finishes what a crash left: a confirmed resolution is applied, what the audit trail lacks is
 * appended, and a proposal whose payout has moved on is superseded. Safe beside everybody else.
 */
export async function sweepResolutions(
  deps: ResolutionDeps & { readonly log: Log },
): Promise<void> {
  for (const resolution of await deps.resolutions.unfinished()) {
    try {
      await finishResolution(deps, resolution);
    } catch (error) {
      // The others are not to wait for the one that cannot be finished.
      deps.log.error({ err: error, resolution_id: resolution.id }, "resolution not finished");
    }
  }
}
