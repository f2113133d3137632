import { newId } from "@disburse/kernel/id.ts";

/** A webhook endpoint of the bench. */
export type Endpoint = {
  /** The number of its receiver. */
  readonly at: number;
  readonly merchantId: string;
  /** No other endpoint of its merchant subscribes to this status. */
  readonly status: string;
};

const statuses = [
  ...["initiated", "pending", "processing", "authorized", "captured", "settled", "succeeded"],
  ...["failed", "cancelled", "expired", "declined", "reversed", "disputed", "reviewed", "released"],
] as const;

/** The number of merchants with an endpoint for each status. All others have one endpoint. */
const largeMerchants = 4;
/** The number of endpoints of all merchants. */
export const endpointsInAll = 100;

/** 100 endpoints: four merchants have 15 each, 40 have one. An event goes to one endpoint. */
export function planEndpoints(newMerchant = () => newId("merchant")): Endpoint[] {
  const endpoints: Endpoint[] = [];
  while (endpoints.length < endpointsInAll) {
    const merchantId = newMerchant();
    const isLarge = endpoints.length < largeMerchants * statuses.length;
    for (const status of isLarge ? statuses : statuses.slice(0, 1)) {
      endpoints.push({ at: endpoints.length, merchantId, status });
    }
  }
  return endpoints;
}

/** The endpoint of an event, by the event's number. */
export function endpointOf(endpoints: readonly Endpoint[], number: number): Endpoint {
  const endpoint = endpoints[number % endpoints.length];
  if (endpoint === undefined) throw new Error("there is no endpoint");
  return endpoint;
}
