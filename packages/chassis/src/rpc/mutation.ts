import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  Actor_Kind,
  type Mutation,
  MutationSchema,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { type WordOf, wordOf } from "./enum-words.ts";

/** Who made a change, as stored with it. */
export type StoredActor = { readonly kind: WordOf<typeof Actor_Kind>; readonly id: string };

/** The operation that a write belongs to, and who requested it. */
export type Change = { readonly operationId: string; readonly actor: StoredActor };

const printable = /^[\x21-\x7e]{1,128}$/;

/** The operation id and actor of a mutating call; throws INVALID_ARGUMENT when one is missing. */
export function readMutation(mutation: Mutation | undefined): Change {
  const operationId = mutation?.operationId ?? "";
  if (!printable.test(operationId)) {
    throw new ConnectError(
      "mutation.operation_id: must be 1 to 128 printable characters",
      Code.InvalidArgument,
    );
  }
  const kind = wordOf(Actor_Kind, mutation?.actor?.kind ?? Actor_Kind.UNSPECIFIED);
  const id = mutation?.actor?.id ?? "";
  if (kind === undefined || !printable.test(id)) {
    throw new ConnectError("mutation.actor: kind and id are required", Code.InvalidArgument);
  }
  return { operationId, actor: { kind, id } };
}

/** The mutation of a change that a service makes by itself: a sweep, a relay, the sandbox. */
export function serviceMutation(service: string, operationId: string): Mutation {
  return create(MutationSchema, { operationId, actor: { kind: Actor_Kind.SERVICE, id: service } });
}
