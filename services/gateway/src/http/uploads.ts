import { createTurns } from "@disburse/chassis/turns.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { onceClosed } from "./closed.ts";
import type { RouterContext } from "./observe.ts";

/** Maximum concurrent uploads per merchant. An upload lasts from its first byte to its response. */
const merchantMaxDefault = 2;
/**
 * Maximum bytes of all uploads in this process. Parsing takes about ten times as much memory. Two
 * uploads of 8 MiB, the maximum of a merchant, use a quarter of the bytes.
 */
const bufferedMaxDefault = 64 * 1024 * 1024;
/**
 * After an upload is parsed, the merchant's next parse waits three times as long as this parse
 * took. So a merchant uses at most a quarter of the processor time.
 */
const restRatio = 3;

export type UploadLimits = {
  readonly merchantMax?: number;
  readonly bufferedMax?: number;
};

export type Upload = {
  /**
   * Counts bytes that are held until the response. Returns `false` if this process can hold no
   * more.
   */
  readonly keep: (bytes: number) => boolean;
  /**
   * Runs `read` when the merchant's share of processor time allows it. Requests of other merchants
   * run meanwhile.
   */
  readonly parse: <T>(read: () => T) => Promise<T>;
};

/**
 * Limits the number, bytes and parse time of each merchant's uploads in this process. A merchant
 * that exceeds its limits affects no other.
 */
export function createUploads(limits: UploadLimits = {}) {
  const { merchantMax = merchantMaxDefault, bufferedMax = bufferedMaxDefault } = limits;
  const open = new Map<string, number>();
  const turns = createTurns({ restRatio });
  let buffered = 0;
  return {
    /**
     * Counts an upload until its response is complete. Returns a refusal if the merchant's limit is
     * reached.
     */
    begin: (merchantId: string, { res }: RouterContext): Upload | Refused<"RATE_LIMITED"> => {
      // The client has already disconnected, so no `close` event would end the count.
      if (res.destroyed) return refused("RATE_LIMITED", "The client has disconnected.");
      const others = open.get(merchantId) ?? 0;
      if (others >= merchantMax) {
        return refused("RATE_LIMITED", "This merchant has too many uploads at the same time.");
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
          // Bytes that are counted after the response would never be released.
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
