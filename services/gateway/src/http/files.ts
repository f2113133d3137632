import type { Readable } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import type { RouterContext } from "./observe.ts";

/** A reader that stalls for so long has gone, or holds resources that others need. */
const stalledMsDefault = 60_000;
/** A statement of ten million lines takes a quarter of it; a slower reader holds a connection. */
const wholeMsDefault = 60 * 60_000;

/** How long files may take. */
export type FileTimes = {
  /** When a file whose reader has stopped is given up. */
  readonly stalledMs?: number | undefined;
  /** When any file is given up. */
  readonly wholeMs?: number | undefined;
};

/** Breaks off a file that cannot be sent to its end. */
export type FileGuard = (ctx: RouterContext, file: Readable) => void;

/**
 * Breaks off a file that cannot be sent to its end. The connection is reset: no client of any
 * version of HTTP takes that for the end of the file.
 */
export function createFileGuard(log: Log, times: FileTimes): FileGuard {
  const { stalledMs = stalledMsDefault, wholeMs = wholeMsDefault } = times;
  return (ctx, file) => {
    const breakOff = () => ctx.req.socket.resetAndDestroy();
    ctx.res.setTimeout(stalledMs, breakOff);
    const late = setTimeout(breakOff, wholeMs).unref();
    ctx.res.once("close", () => clearTimeout(late));
    file.once("error", (error) => {
      // Where the reader has gone, it was not the file that failed.
      if (!ctx.req.socket.destroyed) log.warn({ err: error }, "file broke off");
      breakOff();
    });
  };
}
