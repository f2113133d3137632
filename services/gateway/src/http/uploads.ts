import { createTurns } from "@disburse/chassis/turns.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { onceClosed } from "./closed.ts";
import type { RouterContext } from "./observe.ts";

/** Uploads of one merchant at a time, from the first byte to the answer. */
const merchantMaxDefault = 2;
/**
 * Bytes of all uploads: parsed, each takes some ten times its bytes. A merchant's two uploads of
 * 8 MiB are a quarter of it.
 */
const bufferedMaxDefault = 64 * 1024 * 1024;
/** After a parse, the merchant's next one waits so many times as long: it has a quarter of all. */
const restShare = 3;

/** Limits of uploads; tests lower them. */
export type UploadLimits = {
  readonly merchantMax?: number;
  readonly bufferedMax?: number;
};

/** One upload of a merchant. */
export type Upload = {
  /** Counts bytes that are kept until the answer; `false`: this process can hold no more. */
  readonly keep: (bytes: number) => boolean;
  /** Parses when the merchant has a turn: other merchants' requests are served in between. */
  readonly parse: <T>(read: () => T) => Promise<T>;
};

/**
 * Shares a process among the uploads of merchants: how many, their bytes and the time to parse
 * them. A merchant that has used up its own share is refused; no other is.
 */
export function createUploads(limits: UploadLimits = {}) {
  const { merchantMax = merchantMaxDefault, bufferedMax = bufferedMaxDefault } = limits;
  const open = new Map<string, number>();
  const turns = createTurns({ restShare });
  let buffered = 0;
  return {
    /** An upload until its connection has its answer, or a refusal of the merchant's own limit. */
    begin: (merchantId: string, { res }: RouterContext): Upload | Refused<"RATE_LIMITED"> => {
      // A client that left before has had its `close`: nothing would end the count.
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
          // What came after the answer would never be given back.
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

/** The uploads of a process. */
export type Uploads = ReturnType<typeof createUploads>;
