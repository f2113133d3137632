import type { Log } from "@disburse/chassis/log.ts";
import type { Loop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { OpenRails, RailRpc } from "@disburse/rail/rail-package.ts";
import { walletMetrics } from "./wallet-metrics.ts";

/** A rail with its background work. */
type OpenedRail = { readonly rail: Rail; start(): Pick<Loop, "stop"> };

export function openedRails(opened: readonly OpenedRail[], rpc: RailRpc): OpenRails {
  const start = () => {
    const running = opened.map((each) => each.start());
    return { stop: async () => void (await Promise.all(running.map((each) => each.stop()))) };
  };
  return { rails: opened.map(({ rail }) => rail), rpc, start };
}

/** Reports open transfers of wallets that a setting no longer names. Nobody works on them. */
export function reportOrphans(
  { metrics, log }: { readonly metrics: Metrics; readonly log: Log },
  setting: string,
  count: number,
): void {
  walletMetrics(metrics).orphans.set({ setting }, count);
  if (count === 0) return;
  log.error({ count, setting }, "open transfers belong to wallets that the setting does not name");
}
