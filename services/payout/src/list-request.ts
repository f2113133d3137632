import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type PageCursor,
  pageLimitDefault,
  pageLimitMax,
  readCursor,
} from "@disburse/chassis/page-cursor.ts";
import type { ListPayoutsRequest } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { PayoutFilter } from "./payout-list.ts";
import { statusFilter } from "./wire.ts";

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
export function readFilter(message: ListPayoutsRequest): PayoutFilter {
  const status = statusFilter(message.status);
  const { beneficiaryId, referenceId, quoteId, createdFrom, createdTo } = message;
  return {
    ...(status === undefined ? {} : { status }),
    ...(beneficiaryId === "" ? {} : { beneficiaryId }),
    ...(referenceId === "" ? {} : { referenceId }),
    ...(quoteId === "" ? {} : { quoteId }),
    ...(message.sourceCurrencyCode === "" ? {} : { source: message.sourceCurrencyCode }),
    ...(message.destinationCurrencyCode === ""
      ? {}
      : { destination: message.destinationCurrencyCode }),
    ...(createdFrom === undefined ? {} : { createdFrom: timestampDate(createdFrom) }),
    ...(createdTo === undefined ? {} : { createdTo: timestampDate(createdTo) }),
  };
}

/** Whether the count of a filter is kept: none, or `status` alone. */
export function isCountKept(filter: PayoutFilter): boolean {
  return Object.keys(filter).every((name) => name === "status");
}
