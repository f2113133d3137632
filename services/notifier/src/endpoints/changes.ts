import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type NotifierRefusal, operationUsed } from "../refusals.ts";
import { makeKey } from "./keys.ts";
import {
  type EndpointOperation,
  type EndpointRecord,
  type EndpointSettings,
  endpointsMax,
} from "./rules/endpoint.ts";
import { asOf, type EndpointChange, revised } from "./rules/revision.ts";
import type { EndpointStore } from "./store.ts";
import { endpointMessage } from "./wire.ts";

/** An operation that a merchant asks for. */
export type EndpointCommand = {
  readonly merchantId: string;
  readonly operation: EndpointOperation;
};

/** An endpoint after a change, and the change: the same ones for every repeat. */
export type ChangeResult = {
  readonly endpoint: EndpointRecord;
  readonly operation: EndpointOperation;
};

/** What an operation makes of the endpoint as it is now. */
export type Decide = (endpoint: EndpointRecord) => EndpointChange | Refused<NotifierRefusal>;

export type EndpointChanges = {
  create(
    asked: EndpointCommand,
    settings: EndpointSettings,
  ): Promise<ChangeResult | Refused<NotifierRefusal>>;
  /** What an operation has done already; refuses the id of another intent. */
  repeated(
    asked: EndpointCommand,
    endpointId?: string,
  ): Promise<ChangeResult | Refused<NotifierRefusal> | undefined>;
  change(
    asked: EndpointCommand,
    endpointId: string,
    decide: Decide,
  ): Promise<ChangeResult | Refused<NotifierRefusal>>;
};

/** Changes of one endpoint that meet take turns; so many at once are a mistake. */
const changeTries = 10;

/** Changes endpoints, each operation once: a repeat finds what the first try did. */
export function createEndpointChanges(endpoints: EndpointStore, sealer: Sealer): EndpointChanges {
  const repeated: EndpointChanges["repeated"] = async ({ merchantId, operation }, endpointId) => {
    const endpoint = await endpoints.findByOperation(merchantId, operation.id);
    if (endpoint === undefined) return undefined;
    const first = endpoint.operations.find(({ id }) => id === operation.id);
    const isSame = first?.kind === operation.kind && (endpointId ?? endpoint.id) === endpoint.id;
    return first !== undefined && isSame ? { endpoint, operation: first } : operationUsed();
  };

  return {
    repeated,

    create: async (asked, settings) => {
      const before = await repeated(asked);
      if (before !== undefined) return before;
      const { endpoint, operation } = created(asked, settings, sealer);
      for (const place of await endpoints.freePlaces(asked.merchantId)) {
        const placed = { ...endpoint, place };
        if ((await endpoints.insert(placed)) === "written") return { endpoint: placed, operation };
        const meanwhile = await repeated(asked);
        if (meanwhile !== undefined) return meanwhile;
      }
      const tooMany = `There can be at most ${endpointsMax} endpoints.`;
      return (await repeated(asked)) ?? refused("INVALID_REQUEST", tooMany);
    },

    change: async (asked, endpointId, decide) => {
      for (let tries = 0; tries < changeTries; tries += 1) {
        // In this order: a repeat that is not seen here has not changed the revision that was read.
        const endpoint = await endpoints.find(asked.merchantId, endpointId);
        const before = await repeated(asked, endpointId);
        if (before !== undefined) return before;
        if (endpoint === undefined) return refused("RECORD_NOT_FOUND");
        const decided = decide(endpoint);
        if (isRefused(decided)) return decided;
        const next = revised(endpoint, decided);
        if (isRefused(next)) return next;
        const isWritten = next === endpoint || (await endpoints.revise(next)) === "written";
        if (isWritten) return { endpoint: next, operation: decided.operation };
      }
      throw new Error(`endpoint ${endpointId} is changed by too many at once`);
    },
  };
}

function created(
  { merchantId, operation: asked }: EndpointCommand,
  settings: EndpointSettings,
  sealer: Sealer,
): ChangeResult {
  const { at } = asked;
  const id = newId("endpoint", at);
  const key = makeKey(sealer, { merchantId, id }, at);
  const operation = { ...asked, keyId: key.id };
  const endpoint: EndpointRecord = {
    id,
    merchantId,
    ...settings,
    createdAt: at,
    updatedAt: at,
    revision: 1,
    signing: { current: key.id },
    keys: [key],
    operations: [operation],
  };
  return { endpoint, operation };
}

/** What every change of an endpoint is asked with. */
export type CommandMessage = {
  readonly mutation?: Mutation | undefined;
  readonly merchantId: string;
};

/** The operation that a call asks for; throws where it has no id or no actor. */
export function commandOf(
  message: CommandMessage,
  kind: EndpointOperation["kind"],
  clock: Clock,
): EndpointCommand {
  const { operationId, actor } = readMutation(message.mutation);
  const operation = { id: operationId, kind, actor, at: clock.now() };
  return { merchantId: message.merchantId, operation };
}

/** What a change answers, the first time and every time after. */
export function shown({ endpoint, operation }: ChangeResult) {
  return { endpoint: endpointMessage(asOf(endpoint, operation)) };
}
