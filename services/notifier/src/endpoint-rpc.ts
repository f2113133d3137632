import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/mutation.ts";
import type { Sealer } from "@disburse/chassis/sealing.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AddressPolicy } from "./domain/address.ts";
import {
  type EndpointChange,
  type EndpointOperation,
  type EndpointRecord,
  endpointsMax,
  revised,
} from "./domain/endpoint.ts";
import { type NotifierRefusal, operationUsed } from "./domain/refusal.ts";
import { activated, rotated, staged } from "./domain/secret-set.ts";
import { makeKey, openKey } from "./endpoint-keys.ts";
import { readCreateRequest, readRotateRequest } from "./endpoint-request.ts";
import { accepted } from "./refusals.ts";
import type { DeliveryStore } from "./store/delivery-store.ts";
import type { EndpointStore } from "./store/endpoint-store.ts";
import { endpointMessage } from "./wire.ts";

export type EndpointDeps = {
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly policy: AddressPolicy;
};

type EndpointRpc = Pick<
  ServiceImpl<typeof NotifierService>,
  | "createEndpoint"
  | "getEndpoint"
  | "listEndpoints"
  | "deleteEndpoint"
  | "rotateSecret"
  | "activateSecret"
>;

type Asked = { readonly merchantId: string; readonly operation: EndpointOperation };
type Decide = (endpoint: EndpointRecord) => EndpointChange | Refused<NotifierRefusal>;

/** Changes of one endpoint that meet take turns; so many at once are a mistake. */
const changeTries = 10;

/** RPCs of endpoints and their secrets. */
export function endpointRpc(deps: EndpointDeps): EndpointRpc {
  const { endpoints, deliveries, sealer, clock, policy } = deps;

  /** The endpoint that an operation has changed already, as it was then; refuses another operation's id. */
  const repeated = async ({ merchantId, operation }: Asked, endpointId?: string) => {
    const endpoint = await endpoints.findByOperation(merchantId, operation.id);
    if (endpoint === undefined) return undefined;
    const first = endpoint.operations.find(({ id }) => id === operation.id);
    const isSame = first?.kind === operation.kind && (endpointId ?? endpoint.id) === endpoint.id;
    return first !== undefined && isSame ? { endpoint, operation: first } : operationUsed();
  };

  /** Reads, decides, writes; again when somebody else wrote meanwhile. */
  const change = async (asked: Asked, endpointId: string, decide: Decide) => {
    for (let tries = 0; tries < changeTries; tries += 1) {
      const before = await repeated(asked, endpointId);
      if (before !== undefined) return before;
      const endpoint = await endpoints.find(asked.merchantId, endpointId);
      if (endpoint === undefined) return refused("RECORD_NOT_FOUND");
      const decided = decide(endpoint);
      if (isRefused(decided)) return decided;
      const next = revised(endpoint, decided);
      if (isRefused(next)) return next;
      const ended = await endpoints.revise(next);
      if (ended === "written") return { endpoint: next, operation: decided.operation };
    }
    throw new Error(`endpoint ${endpointId} is changed by too many at once`);
  };

  const create = async (asked: Asked, fields: { url: string; description: string }) => {
    const before = await repeated(asked);
    if (before !== undefined) return before;
    const { merchantId } = asked;
    if (!(await endpoints.hasRoom(merchantId))) {
      return refused("INVALID_REQUEST", `There can be at most ${endpointsMax} endpoints.`);
    }
    const { at } = asked.operation;
    const id = newId("endpoint", at);
    const key = makeKey(sealer, { merchantId, id }, at);
    const operation = { ...asked.operation, keyId: key.id };
    const endpoint: EndpointRecord = {
      ...{ id, merchantId, ...fields, createdAt: at, updatedAt: at, revision: 1 },
      signing: { current: key.id },
      keys: [key],
      operations: [operation],
    };
    if ((await endpoints.insert(endpoint)) === "written") return { endpoint, operation };
    return (await repeated(asked)) ?? operationUsed();
  };

  const ask = (
    message: { merchantId: string; mutation?: Parameters<typeof readMutation>[0] },
    kind: EndpointOperation["kind"],
  ): Asked => {
    const { operationId, actor } = readMutation(message.mutation);
    const operation = { id: operationId, kind, actor, at: clock.now() };
    return { merchantId: message.merchantId, operation };
  };

  /** What a change answered, the first time and every time after. */
  const shown = (of: { endpoint: EndpointRecord; operation: EndpointOperation }) => ({
    endpoint: endpointMessage({ ...of.endpoint, updatedAt: of.operation.at }),
  });
  const shownWithSecrets = (of: Parameters<typeof shown>[0]) => ({
    ...shown(of),
    secrets: openKey(sealer, of.endpoint, of.operation.keyId ?? ""),
  });

  return {
    createEndpoint: async (message) => {
      const asked = ask(message, "create");
      const fields = accepted(readCreateRequest(message, policy, asked.operation.at));
      return shownWithSecrets(accepted(await create(asked, fields)));
    },

    getEndpoint: async ({ merchantId, endpointId }) => {
      const found = await endpoints.find(merchantId, endpointId);
      return { endpoint: endpointMessage(accepted(found ?? refused("RECORD_NOT_FOUND"))) };
    },

    listEndpoints: async ({ merchantId }) => ({
      endpoints: (await endpoints.list(merchantId)).map(endpointMessage),
    }),

    deleteEndpoint: async (message) => {
      const asked = ask(message, "delete");
      const { merchantId, endpointId } = message;
      accepted(
        await change(asked, endpointId, () => ({ operation: asked.operation, isDeleted: true })),
      );
      await deliveries.cancelPending(merchantId, endpointId, clock.now());
      return {};
    },

    rotateSecret: async (message) => {
      const asked = ask(message, "rotate");
      const { at } = asked.operation;
      const { overlapSeconds, stage } = accepted(readRotateRequest(message, at));
      const changed = await change(asked, message.endpointId, (endpoint) => {
        const newKey = makeKey(sealer, endpoint, at);
        const to = { keyId: newKey.id, overlapSeconds };
        const { signing: before } = endpoint;
        const signing = stage ? staged(before, to) : rotated(before, to, at);
        return { operation: { ...asked.operation, keyId: newKey.id }, signing, newKey };
      });
      return shownWithSecrets(accepted(changed));
    },

    activateSecret: async (message) => {
      const asked = ask(message, "activate");
      const changed = await change(asked, message.endpointId, (endpoint) => {
        const signing = activated(endpoint.signing, asked.operation.at);
        return isRefused(signing) ? signing : { operation: asked.operation, signing };
      });
      return shown(accepted(changed));
    },
  };
}
