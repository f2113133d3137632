import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json-body.ts";
import type { Endpoint } from "../reference/endpoint.ts";

/** A request that was let in: whose it is, and what it says. */
export type Call = {
  readonly merchantId: string;
  /** Who asks, and the operation id that the owning service keeps unique. */
  readonly mutation: Mutation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty where the operation takes none. */
  readonly body: JsonObject;
};

/**
 * An endpoint with what serves it: it calls the owning service and shapes the reply's `data`; what
 * that service throws is mapped in one place.
 */
export type Operation = Endpoint & {
  /** Whether a request with this query does anything; each with a body does, unless it says no. */
  readonly hasEffect?: (query: URLSearchParams) => boolean;
  /** `data` of a success; of an endpoint that is a file, a stream of its bytes. */
  readonly answer: (call: Call) => Promise<unknown | Refused<ErrorCode>>;
};

/** A parameter of the path; that a route has none of this name is a bug. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`the path has no parameter ${name}`);
  return value;
}
