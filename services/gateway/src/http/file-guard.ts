import type { Readable } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import type { RouterContext } from "./state.ts";

/** Who takes nothing of a file for so long has gone, or holds what others could use. */
const stalledMsDefault = 60_000;

export type FileGuard = (ctx: RouterContext, file: Readable) => void;

/**
 * Breaks off a file that cannot be sent to its end. The connection is reset: no client of any
 * version of HTTP takes that for the end of the file.
 */
export function createFileGuard(log: Log, stalledMs = stalledMsDefault): FileGuard {
  return (ctx, file) => {
    const breakOff = () => ctx.req.socket.resetAndDestroy();
    ctx.res.setTimeout(stalledMs, breakOff);
    file.once("error", (error) => {
      // Where the reader has gone, it was not the file that failed.
      if (!ctx.req.socket.destroyed) log.warn({ err: error }, "file broke off");
      breakOff();
    });
  };
}
