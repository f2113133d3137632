import type { ServiceImpl } from "@connectrpc/connect";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { EndpointOperation, EndpointRecord, EndpointSettings } from "./domain/endpoint.ts";
import { urlChange, verification } from "./domain/endpoint-verification.ts";
import { type ChallengeDeps, createVerification } from "./endpoint-challenge.ts";
import { createEndpointChanges } from "./endpoint-changes.ts";
import { type Asking, askedOf, shown } from "./endpoint-operation.ts";
import { readUpdateRequest } from "./endpoint-request.ts";
import type { EndpointDeps } from "./endpoint-rpc.ts";
import { accepted } from "./refusals.ts";

export type EndpointStateDeps = EndpointDeps &
  ChallengeDeps & {
    /** What has waited for an endpoint may be due now: those that rest are asked at once. */
    readonly unpark: () => void;
  };

/** What an operation makes of the settings as they are. */
type Change = (endpoint: EndpointRecord) => Partial<EndpointSettings>;

/** The RPCs that change what an endpoint is told, where, and whether. */
export function endpointStateRpc(
  deps: EndpointStateDeps,
): Pick<
  ServiceImpl<typeof NotifierService>,
  "updateEndpoint" | "pauseEndpoint" | "resumeEndpoint" | "verifyEndpoint" | "approveEndpoint"
> {
  const { endpoints, sealer, clock, mustVerify, unpark } = deps;
  const changes = createEndpointChanges(endpoints, sealer);
  const verify = createVerification(deps, changes);

  const change = async (
    message: Asking & { readonly endpointId: string },
    kind: EndpointOperation["kind"],
    decide: (operation: EndpointOperation) => Change,
  ) => {
    const asked = askedOf(message, kind, clock);
    const { operation } = asked;
    const settings = decide(operation);
    const changed = await changes.change(asked, message.endpointId, (endpoint) => ({
      operation,
      settings: settings(endpoint),
    }));
    const answer = shown(accepted(changed));
    unpark();
    return answer;
  };

  return {
    updateEndpoint: (message) =>
      change(message, "update", ({ at }) => {
        const { url, ...others } = accepted(readUpdateRequest(message, deps, at));
        return (endpoint) => ({
          ...others,
          ...(url === undefined ? {} : urlChange(endpoint, url, { mustVerify, at })),
        });
      }),

    pauseEndpoint: (message) =>
      change(
        message,
        "pause",
        ({ at }) =>
          ({ pausedAt }) =>
            pausedAt === undefined ? { pausedAt: at } : {},
      ),

    resumeEndpoint: (message) =>
      change(
        message,
        "resume",
        () =>
          ({ pausedAt }) =>
            pausedAt === undefined ? {} : { pausedAt: undefined },
      ),

    verifyEndpoint: async (message) => {
      const asked = askedOf(message, "verify", clock);
      const answer = shown(accepted(await verify(asked, message.endpointId)));
      unpark();
      return answer;
    },

    approveEndpoint: (message) =>
      change(message, "approve", ({ actor, at }) => {
        if (actor.kind !== "operator") accepted(refused("ACCESS_FORBIDDEN"));
        return (endpoint) => verification(endpoint, at);
      }),
  };
}
