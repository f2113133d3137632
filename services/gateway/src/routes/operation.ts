import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { JsonObject } from "../domain/json-body.ts";
import type { Scope } from "../domain/scope.ts";

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
 * One public operation: where it is reached, what a key must be allowed, and its answer's `data`.
 * It calls the owning service and shapes the reply; what that service throws is mapped in one
 * place.
 */
export type Operation = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly scope: Scope;
  /** A POST may leave its body out where each of its fields may be left out. */
  readonly body?: "required" | "optional";
  readonly answer: (call: Call) => Promise<unknown | Refused<ErrorCode>>;
};

/** A parameter of the path; that a route has none of this name is a bug. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`the path has no parameter ${name}`);
  return value;
}
