import type { Readable } from "node:stream";
import type { Log } from "@disburse/chassis/log.ts";
import type { RouterContext } from "./observe.ts";

/** A reader that stalls for so long has gone, or holds resources that others need. */
const stalledMsDefault = 60_000;
/** A statement of ten million lines takes a quarter of it; a slower reader holds a connection. */
const wholeMsDefault = 60 * 60_000;
/** Each holds a connection and a page for as long as its reader likes. */
const filesPerKeyMax = 4;

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

/** Counts the files of each API key that are under way in this process. */
export function createFileCount() {
  const open = new Map<string, number>();
  return {
    /** Counts one more until its connection has its answer; `false` where the key has too many. */
    begin: (keyId: string, { res }: RouterContext): boolean => {
      const others = open.get(keyId) ?? 0;
      if (others >= filesPerKeyMax) return false;
      open.set(keyId, others + 1);
      res.once("close", () => {
        const left = (open.get(keyId) ?? 1) - 1;
        if (left === 0) open.delete(keyId);
        else open.set(keyId, left);
      });
      return true;
    },
  };
}

/** The files of each API key that are under way. */
export type FileCount = ReturnType<typeof createFileCount>;
