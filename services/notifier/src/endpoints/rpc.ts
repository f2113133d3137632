import type { ServiceImpl } from "@connectrpc/connect";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type {
  Endpoint as EndpointMessage,
  NotifierService,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { orThrow } from "../refusals.ts";
import type { AddressRules } from "../sender/rules/address.ts";
import type { ChallengeStore } from "./challenge-store.ts";
import { type ChangeResult, commandOf, createEndpointChanges, shown } from "./changes.ts";
import type { HealthStore } from "./health-store.ts";
import { makeKey, openKey } from "./keys.ts";
import { readCreateRequest, readRotateRequest } from "./request.ts";
import type { EndpointRecord } from "./rules/endpoint.ts";
import { healthStart } from "./rules/health.ts";
import { activated, rotated, staged } from "./rules/secret-set.ts";
import type { EndpointStore } from "./store.ts";
import { type Backlog, endpointMessage, healthMessage } from "./wire.ts";

export type EndpointDeps = AddressRules & {
  readonly endpoints: EndpointStore;
  readonly signatureHeader: string;
  /** Cancels an endpoint's pending deliveries. */
  readonly cancelPending: (merchantId: string, endpointId: string, now: Date) => Promise<void>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** If true, a URL must be verified before it gets events. */
  readonly mustVerify: boolean;
  readonly challenges: ChallengeStore;
  readonly healths: HealthStore;
  readonly readBacklog: (merchantId: string, endpointId: string) => Promise<Backlog>;
};

export function endpointRpc(deps: EndpointDeps) {
  const { endpoints, sealer, clock, mustVerify } = deps;
  const changes = createEndpointChanges(endpoints, sealer);
  return {
    createEndpoint: async (message) => {
      const command = commandOf(message, "create", clock);
      const { at } = command.operation;
      const { headers, ...requested } = orThrow(readCreateRequest(message, deps, at));
      const configuration = { ...requested, verifiedAt: mustVerify ? undefined : at };
      const created = orThrow(await changes.create(command, configuration, headers));
      return { ...shown(created), secrets: secretsOf(created, sealer) };
    },

    getEndpoint: async ({ merchantId, endpointId }) => {
      const found = await endpoints.find(merchantId, endpointId);
      const endpoint = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const [message] = await withHealth(deps, [endpoint]);
      return { endpoint: message };
    },

    listEndpoints: async ({ merchantId, ...request }) => {
      const { shown: page, ...rest } = await endpoints.list(merchantId, request);
      return { endpoints: await withHealth(deps, page), ...rest };
    },

    deleteEndpoint: async (message) => {
      const command = commandOf(message, "delete", clock);
      const { merchantId, endpointId } = message;
      const { operation } = command;
      const deletion = () => ({ operation, isDeleted: true });
      orThrow(await changes.change(command, endpointId, deletion));
      await deps.cancelPending(merchantId, endpointId, clock.now());
      await deps.healths.forget(endpointId, clock.now());
      await deps.challenges.forget(endpointId);
      return {};
    },
  } satisfies Partial<ServiceImpl<typeof NotifierService>>;
}

async function withHealth(
  { healths, readBacklog }: Pick<EndpointDeps, "healths" | "readBacklog">,
  endpoints: readonly EndpointRecord[],
): Promise<EndpointMessage[]> {
  const known = await healths.read(endpoints.map(({ id }) => id));
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const backlog = await readBacklog(endpoint.merchantId, endpoint.id);
      const health = healthMessage(known.get(endpoint.id) ?? healthStart, backlog);
      return { ...endpointMessage(endpoint), health };
    }),
  );
}

export function secretRpc(deps: EndpointDeps) {
  const { endpoints, sealer, clock } = deps;
  const changes = createEndpointChanges(endpoints, sealer);
  return {
    rotateSecret: async (message) => {
      const command = commandOf(message, "rotate", clock);
      const { at } = command.operation;
      const { overlapSeconds, stage } = orThrow(readRotateRequest(message, at));
      const changed = await changes.change(command, message.endpointId, (endpoint) => {
        const newKey = makeKey(sealer, endpoint, at);
        const to = { keyId: newKey.id, overlapSeconds };
        const { signing: current } = endpoint;
        const signing = stage ? staged(current, to) : rotated(current, to, at);
        return { operation: { ...command.operation, keyId: newKey.id }, signing, newKey };
      });
      const rotation = orThrow(changed);
      return { ...shown(rotation), secrets: secretsOf(rotation, sealer) };
    },

    activateSecret: async (message) => {
      const command = commandOf(message, "activate", clock);
      const { operation } = command;
      const changed = await changes.change(command, message.endpointId, (endpoint) => {
        const signing = activated(endpoint.signing, operation.at);
        return isRefused(signing) ? signing : { operation, signing };
      });
      return shown(orThrow(changed));
    },
  } satisfies Partial<ServiceImpl<typeof NotifierService>>;
}

/** Decrypts the secrets that a change has created. */
function secretsOf({ endpoint, operation }: ChangeResult, sealer: Sealer) {
  return openKey(sealer, endpoint, operation.keyId ?? "");
}
