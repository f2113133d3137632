import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** Retries start this late at most; what is stored here needs no look. */
const lookEveryMs = 200;
/** Of what other processes store one hears by looking alone. */
const lookEverySharedMs = 100;
/** What comes free in so short a time is filled again in one go. */
const gatherMs = 25;
/** Looks for what is due now and then, and claims whenever a slot may be free for it. */
export function startDispatch(
  dispatcher: Dispatcher,
  onWake: (wake: () => void) => void,
  log: Log,
): Loop {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let claimedAt = Number.NEGATIVE_INFINITY;
  let isWanted = true;
  const loop = startLoop({
    name: "webhook-dispatch",
    everyMs: lookEverySharedMs,
    run: async () => {
      const sinceClaimMs = performance.now() - claimedAt;
      if (sinceClaimMs < gatherMs) await pause(gatherMs - sinceClaimMs);
      const lookMs = dispatcher.isShared() ? lookEverySharedMs : lookEveryMs;
      if (isWanted || performance.now() - lookedAt >= lookMs) {
        isWanted = false;
        lookedAt = performance.now();
        await dispatcher.look();
      }
      claimedAt = performance.now();
      return (await dispatcher.round(dispatcher.pace)) > 0;
    },
    log,
  });
  dispatcher.onWake(loop.wake);
  onWake(() => {
    isWanted = true;
    loop.wake();
  });
  return loop;
}
