import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { NotifierRefusal } from "../refusals.ts";
import { type Headers, sealHeaders } from "./headers.ts";
import { makeKey } from "./keys.ts";
import {
  type EndpointConfiguration,
  type EndpointOperation,
  type EndpointRecord,
  endpointsMax,
} from "./rules/endpoint.ts";
import { asOf, type EndpointChange, revised } from "./rules/revision.ts";
import type { EndpointStore } from "./store.ts";
import { endpointMessage } from "./wire.ts";

export type EndpointCommand = {
  readonly merchantId: string;
  readonly operation: EndpointOperation;
};

/**
 * The operation that changed an endpoint, and the endpoint after the change. Every repeat gets the
 * same result.
 */
export type ChangeResult = {
  readonly endpoint: EndpointRecord;
  readonly operation: EndpointOperation;
};

export type ChangeOutcome = ChangeResult | Refused<NotifierRefusal>;

/**
 * Maximum tries of a change. Concurrent changes of an endpoint make each other retry. More tries
 * indicate a mistake in a client.
 */
const changeTries = 10;

export type EndpointChanges = ReturnType<typeof createEndpointChanges>;

/** Applies each operation once. If an operation is repeated, returns the first result. */
export function createEndpointChanges(endpoints: EndpointStore, sealer: Sealer) {
  /**
   * Returns the result of an earlier run of the operation. Refuses if that run had a different
   * request.
   */
  const repeated = async (
    { merchantId, operation }: EndpointCommand,
    endpointId?: string,
  ): Promise<ChangeOutcome | undefined> => {
    const endpoint = await endpoints.findByOperation(merchantId, operation.id);
    if (endpoint === undefined) return undefined;
    const first = endpoint.operations.find(({ id }) => id === operation.id);
    const isSame = first?.kind === operation.kind && (endpointId ?? endpoint.id) === endpoint.id;
    return first !== undefined && isSame ? { endpoint, operation: first } : otherContent;
  };

  return {
    repeated,

    create: async (
      command: EndpointCommand,
      configuration: EndpointConfiguration,
      headers: Headers,
    ): Promise<ChangeOutcome> => {
      const earlier = await repeated(command);
      if (earlier !== undefined) return earlier;
      const { endpoint, operation } = created(command, configuration, headers, sealer);
      for (const place of await endpoints.freePlaces(command.merchantId)) {
        const placed = { ...endpoint, place };
        if (await endpoints.insert(placed)) return { endpoint: placed, operation };
        const meanwhile = await repeated(command);
        if (meanwhile !== undefined) return meanwhile;
      }
      const tooMany = `There can be at most ${endpointsMax} endpoints.`;
      return (await repeated(command)) ?? refused("INVALID_REQUEST", tooMany);
    },

    /** Changes an endpoint. `decide` computes the change from the endpoint's current state. */
    change: async (
      command: EndpointCommand,
      endpointId: string,
      decide: (endpoint: EndpointRecord) => EndpointChange | Refused<NotifierRefusal>,
    ): Promise<ChangeOutcome> => {
      for (let tries = 0; tries < changeTries; tries += 1) {
        // The endpoint must be read before the operations are searched. So an operation that is not
        // found has not changed the revision that was read.
        const endpoint = await endpoints.find(command.merchantId, endpointId);
        const earlier = await repeated(command, endpointId);
        if (earlier !== undefined) return earlier;
        if (endpoint === undefined) return refused("RECORD_NOT_FOUND");
        const decided = decide(endpoint);
        if (isRefused(decided)) return decided;
        const next = revised(endpoint, decided);
        if (isRefused(next)) return next;
        const isWritten = next === endpoint || (await endpoints.revise(next));
        if (isWritten) return { endpoint: next, operation: decided.operation };
      }
      throw new Error(`endpoint ${endpointId} has too many concurrent changes`);
    },
  };
}

function created(
  { merchantId, operation: command }: EndpointCommand,
  configuration: EndpointConfiguration,
  headers: Headers,
  sealer: Sealer,
): ChangeResult {
  const { at } = command;
  const id = newId("endpoint", at);
  const key = makeKey(sealer, { merchantId, id }, at);
  const operation = { ...command, keyId: key.id };
  const endpoint: EndpointRecord = {
    id,
    merchantId,
    ...configuration,
    ...(Object.keys(headers).length > 0 && sealHeaders(sealer, { merchantId, id }, headers)),
    createdAt: at,
    createdBy: command.actor,
    updatedAt: at,
    revision: 1,
    signing: { current: key.id },
    keys: [key],
    operations: [operation],
  };
  return { endpoint, operation };
}

/** The fields that all requests for a change of an endpoint have. */
export type CommandMessage = {
  readonly mutation?: Mutation | undefined;
  readonly merchantId: string;
};

/** Returns the operation and the actor of a request. Throws if the request has no operation id. */
export function commandOf(
  message: CommandMessage,
  kind: EndpointOperation["kind"],
  clock: Clock,
): EndpointCommand {
  const { operationId, actor } = readMutation(message.mutation);
  const operation = { id: operationId, kind, actor, at: clock.now() };
  return { merchantId: message.merchantId, operation };
}

/** Builds the response to a change. Repeats of the change get the same response. */
export function shown({ endpoint, operation }: ChangeResult) {
  return { endpoint: endpointMessage(asOf(endpoint, operation)) };
}
