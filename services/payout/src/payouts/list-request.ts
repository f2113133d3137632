import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ListPayoutsRequest } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { PayoutFilter } from "./list.ts";
import { statusFilter } from "./wire.ts";

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
