import {
  type PageCursor,
  pageLimitDefault,
  pageLimitMax,
  readCursor,
} from "@disburse/chassis/page-cursor.ts";
import type { ListDeliveriesRequest } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { DeliveryFilter } from "./store/delivery-store.ts";
import { stateFilter } from "./wire.ts";

/** The size of a page, or what is wrong with the one that was asked for. */
export function readLimit(limit: number): number | Refused<"INVALID_REQUEST"> {
  if (limit === 0) return pageLimitDefault;
  if (limit >= 1 && limit <= pageLimitMax) return limit;
  return refused("INVALID_REQUEST", `limit: must be between 1 and ${pageLimitMax}`);
}

/** Where a page starts: `undefined` is the newest. */
export function readStart(cursor: string): PageCursor | undefined | Refused<"INVALID_REQUEST"> {
  if (cursor === "") return undefined;
  return readCursor(cursor) ?? refused("INVALID_REQUEST", "cursor: must be one that a list gave");
}

/** A list's filter: what was not sent narrows nothing. */
export function readFilter(message: ListDeliveriesRequest): DeliveryFilter {
  const { endpointId, transactionId } = message;
  const state = stateFilter(message.state);
  return {
    ...(endpointId === "" ? {} : { endpointId }),
    ...(transactionId === "" ? {} : { transactionId }),
    ...(state === undefined ? {} : { state }),
  };
}
