import type { ListDeliveriesRequest } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { DeliveryFilter } from "./store.ts";
import { stateFilter } from "./wire.ts";

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
