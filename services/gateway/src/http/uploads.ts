import { createTurns } from "@disburse/chassis/turns.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { onceClosed } from "./closed.ts";
import type { RouterContext } from "./observe.ts";

/** Concurrent uploads per merchant, from the first byte to the response. */
const merchantMaxDefault = 2;
/**
 * Bytes of all uploads. Parsing takes about ten times as much memory. A merchant's two uploads of 8
 * MiB use a quarter.
 */
const bufferedMaxDefault = 64 * 1024 * 1024;
/**
 * After a parse, the merchant waits three times as long before its next, so it uses at most a
 * quarter of the time.
 */
const restRatio = 3;

export type UploadLimits = {
  readonly merchantMax?: number;
  readonly bufferedMax?: number;
};

export type Upload = {
  /** Counts bytes kept until the response. Returns `false` if this process can hold no more. */
  readonly keep: (bytes: number) => boolean;
  /** Waits for the merchant's share of time. Other merchants' requests run in between. */
  readonly parse: <T>(read: () => T) => Promise<T>;
};

/**
 * Shares a process among merchants' uploads: their number, bytes and parse time. Only a merchant
 * that uses up its own share is refused.
 */
export function createUploads(limits: UploadLimits = {}) {
  const { merchantMax = merchantMaxDefault, bufferedMax = bufferedMaxDefault } = limits;
  const open = new Map<string, number>();
  const turns = createTurns({ restRatio });
  let buffered = 0;
  return {
    /** Counts an upload until its response is done, or refuses it at the merchant's limit. */
    begin: (merchantId: string, { res }: RouterContext): Upload | Refused<"RATE_LIMITED"> => {
      // For a client that has already left, no `close` event would end the count.
      if (res.destroyed) return refused("RATE_LIMITED", "The client has disconnected.");
      const others = open.get(merchantId) ?? 0;
      if (others >= merchantMax) {
        return refused("RATE_LIMITED", "This merchant has too many uploads at a time.");
      }
      open.set(merchantId, others + 1);
      let kept = 0;
      let isOver = false;
      onceClosed(res, () => {
        isOver = true;
        buffered -= kept;
        const left = (open.get(merchantId) ?? 1) - 1;
        if (left === 0) open.delete(merchantId);
        else open.set(merchantId, left);
      });
      return {
        keep: (bytes) => {
          // Bytes counted after the response would never be released.
          if (isOver || buffered + bytes > bufferedMax) return false;
          buffered += bytes;
          kept += bytes;
          return true;
        },
        parse: (read) => turns.take(merchantId, read),
      };
    },
  };
}

export type Uploads = ReturnType<typeof createUploads>;
