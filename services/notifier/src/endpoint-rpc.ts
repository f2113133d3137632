import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/mutation.ts";
import { readLimit, readStart } from "@disburse/chassis/page-cursor.ts";
import { countedTotal, cutPage } from "@disburse/chassis/record-page.ts";
import type { Sealer } from "@disburse/chassis/sealing.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AddressPolicy } from "./domain/address.ts";
import type { EndpointOperation } from "./domain/endpoint.ts";
import { activated, rotated, staged } from "./domain/secret-set.ts";
import { type Asked, type Changed, createEndpointChanges } from "./endpoint-changes.ts";
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

type Notifier = ServiceImpl<typeof NotifierService>;
type Asking = Pick<Parameters<Notifier["rotateSecret"]>[0], "mutation" | "merchantId">;

function ask(message: Asking, kind: EndpointOperation["kind"], clock: Clock): Asked {
  const { operationId, actor } = readMutation(message.mutation);
  const operation = { id: operationId, kind, actor, at: clock.now() };
  return { merchantId: message.merchantId, operation };
}

/** What a change answers, the first time and every time after. */
function shown({ endpoint, operation }: Changed) {
  return { endpoint: endpointMessage({ ...endpoint, updatedAt: operation.at }) };
}

/** The RPCs of endpoints. */
export function endpointRpc(
  deps: EndpointDeps,
): Pick<Notifier, "createEndpoint" | "getEndpoint" | "listEndpoints" | "deleteEndpoint"> {
  const { endpoints, deliveries, sealer, clock, policy } = deps;
  const changes = createEndpointChanges(endpoints, sealer);
  return {
    createEndpoint: async (message) => {
      const asked = ask(message, "create", clock);
      const fields = accepted(readCreateRequest(message, policy, asked.operation.at));
      const made = accepted(await changes.create(asked, fields));
      return { ...shown(made), secrets: secretsOf(made, sealer) };
    },

    getEndpoint: async ({ merchantId, endpointId }) => {
      const found = await endpoints.find(merchantId, endpointId);
      return { endpoint: endpointMessage(accepted(found ?? refused("RECORD_NOT_FOUND"))) };
    },

    listEndpoints: async ({ merchantId, limit: asked, cursor }) => {
      const limit = accepted(readLimit(asked));
      const start = accepted(readStart(cursor));
      const [found, count] = await Promise.all([
        endpoints.list(merchantId, start, limit + 1),
        endpoints.count(merchantId),
      ]);
      const { shown, nextCursor } = cutPage(found, limit);
      return { endpoints: shown.map(endpointMessage), nextCursor, ...countedTotal(count) };
    },

    deleteEndpoint: async (message) => {
      const asked = ask(message, "delete", clock);
      const { merchantId, endpointId } = message;
      const { operation } = asked;
      const deletion = () => ({ operation, isDeleted: true });
      accepted(await changes.change(asked, endpointId, deletion));
      await deliveries.cancelPending(merchantId, endpointId, clock.now());
      return {};
    },
  };
}

/** The RPCs of endpoints' secrets. */
export function secretRpc(deps: EndpointDeps): Pick<Notifier, "rotateSecret" | "activateSecret"> {
  const { endpoints, sealer, clock } = deps;
  const changes = createEndpointChanges(endpoints, sealer);
  return {
    rotateSecret: async (message) => {
      const asked = ask(message, "rotate", clock);
      const { at } = asked.operation;
      const { overlapSeconds, stage } = accepted(readRotateRequest(message, at));
      const changed = await changes.change(asked, message.endpointId, (endpoint) => {
        const newKey = makeKey(sealer, endpoint, at);
        const to = { keyId: newKey.id, overlapSeconds };
        const { signing: before } = endpoint;
        const signing = stage ? staged(before, to) : rotated(before, to, at);
        return { operation: { ...asked.operation, keyId: newKey.id }, signing, newKey };
      });
      const rotation = accepted(changed);
      return { ...shown(rotation), secrets: secretsOf(rotation, sealer) };
    },

    activateSecret: async (message) => {
      const asked = ask(message, "activate", clock);
      const { operation } = asked;
      const changed = await changes.change(asked, message.endpointId, (endpoint) => {
        const signing = activated(endpoint.signing, operation.at);
        return isRefused(signing) ? signing : { operation, signing };
      });
      return shown(accepted(changed));
    },
  };
}

/** The secrets that a change made, in the clear. */
function secretsOf({ endpoint, operation }: Changed, sealer: Sealer) {
  return openKey(sealer, endpoint, operation.keyId ?? "");
}
