import { Code, ConnectError } from "@connectrpc/connect";
import {
  type Actor,
  Actor_Kind,
  type Mutation,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { callContext } from "../call-context.ts";
import type { EnumName } from "../enum-names.ts";
import { orThrow } from "./refusal.ts";

/** The actor of a change, for storage. */
export type StoredActor = {
  readonly kind: Exclude<EnumName<typeof Actor_Kind>, "link">;
  readonly id: string;
  /** The root id of a key or a member. Present if it differs from the id. */
  readonly root?: string;
};

/** The operation id of a write, and the actor. */
export type Change = { readonly operationId: string; readonly actor: StoredActor };

const printable = /^[\x21-\x7e]{1,128}$/;

/**
 * Reads the operation id of a mutating call. The actor comes from the admitted principal
 * (docs/decisions/0040-operators-are-persons.md). The actor in the message is ignored, except for a
 * merchant's key or member, which only the gateway has verified. Throws INVALID_ARGUMENT without a
 * well-formed operation id, and UNAUTHENTICATED outside of a call.
 */
export function readMutation(mutation: Mutation | undefined): Change {
  const operationId = mutation?.operationId ?? "";
  if (!printable.test(operationId)) {
    throw new ConnectError(
      "mutation.operation_id: must be 1 to 128 printable characters",
      Code.InvalidArgument,
    );
  }
  return { operationId, actor: callingActor(mutation?.actor) };
}

const notAnOperator = refused("ACCESS_FORBIDDEN", "caller: must be an operator");

/** Reads the person and the operation id of a change that only operators may make. */
export function readOperator(mutation: Mutation | undefined) {
  const { actor, operationId } = readMutation(mutation);
  if (actor.kind !== "operator") orThrow(notAnOperator);
  return { person: actor.id, operation: operationId };
}

const sha256Text = /^[0-9a-f]{64}$/;

/**
 * Returns the gateway's fingerprint of a request. Returns `undefined` if the caller is not the
 * gateway.
 */
export function readFingerprint(mutation: Mutation | undefined): string | undefined {
  const principal = callContext()?.principal;
  const isGateway = principal?.kind === "service" && principal.name === merchantsService;
  const fingerprint = mutation?.fingerprint ?? "";
  return isGateway && sha256Text.test(fingerprint) ? fingerprint : undefined;
}

/** The service that acts for merchants, on behalf of their API keys and team members. */
export const merchantsService = "gateway";
const actedFor: ReadonlyMap<Actor_Kind | undefined, "api_key" | "member"> = new Map([
  [Actor_Kind.API_KEY, "api_key"],
  [Actor_Kind.MEMBER, "member"],
]);

/**
 * Reads the key or member for which the gateway calls. Returns `undefined` if the caller is not the
 * gateway or names none.
 */
export function readMerchantActor(claimed: Actor | undefined): StoredActor | undefined {
  const actor = callingActor(claimed);
  return actor.kind === "api_key" || actor.kind === "member" ? actor : undefined;
}

function callingActor(claimed: Actor | undefined): StoredActor {
  const principal = callContext()?.principal;
  if (principal === undefined)
    throw new ConnectError("the call has no authenticated caller", Code.Unauthenticated);
  if (principal.kind === "person") return { kind: "operator", id: principal.id };
  const kind = principal.name === merchantsService ? actedFor.get(claimed?.kind) : undefined;
  if (claimed === undefined || kind === undefined) return { kind: "service", id: principal.name };
  const { id, root } = claimed;
  if (!printable.test(id) || (root !== "" && !printable.test(root))) {
    throw new ConnectError(
      "mutation.actor: the ids of a key or member must be 1 to 128 printable characters",
      Code.InvalidArgument,
    );
  }
  return root === "" || root === id ? { kind, id } : { kind, id, root };
}
