import { newId } from "@disburse/kernel/id.ts";

/** An endpoint as the load knows it: whom to name in an event that goes there and nowhere else. */
export type Endpoint = {
  /** Its number among the receivers. */
  readonly at: number;
  readonly merchantId: string;
  /** The status that it alone subscribes to among its merchant's endpoints. */
  readonly status: string;
};

/** An endpoint's filter of events distinguishes these; a merchant has as many endpoints at most. */
export const statuses = [
  ...["initiated", "pending", "processing", "authorized", "captured", "settled", "succeeded"],
  ...["failed", "cancelled", "expired", "declined", "reversed", "disputed", "reviewed", "released"],
] as const;
/** Of the endpoint that never answers, a further one of a merchant's. */
export const deadStatus = "held";

/** How many merchants have as many endpoints as there are statuses; every other one has one. */
export const largeMerchants = 4;
/** The endpoints of all merchants. */
export const endpointsInAll = 100;

/**
 * 100 endpoints: four merchants have 15 each, 40 others one. An event goes to one endpoint, for
 * each subscribes to one status of its merchant's payment sessions.
 */
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

/** The endpoints of the merchants that have many: those that are saturated. */
export function saturated(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.slice(0, largeMerchants * statuses.length);
}
