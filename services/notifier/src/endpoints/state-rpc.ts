import type { ServiceImpl } from "@connectrpc/connect";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import { type ChallengeDeps, createVerification } from "./challenge.ts";
import { type CommandMessage, commandOf, createEndpointChanges, shown } from "./changes.ts";
import { readUpdateRequest } from "./request.ts";
import type { EndpointDeps } from "./rpc.ts";
import type { EndpointOperation, EndpointRecord, EndpointSettings } from "./rules/endpoint.ts";
import { urlChange, verification } from "./rules/verification.ts";

export type EndpointStateDeps = EndpointDeps &
  ChallengeDeps & {
    /** What has waited for an endpoint may be due now: those that rest are asked at once. */
    readonly resumeSuspended: () => void;
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
  const { endpoints, sealer, clock, mustVerify, resumeSuspended } = deps;
  const changes = createEndpointChanges(endpoints, sealer);
  const verify = createVerification(deps, changes);

  const change = async (
    message: CommandMessage & { readonly endpointId: string },
    kind: EndpointOperation["kind"],
    decide: (operation: EndpointOperation) => Change,
  ) => {
    const asked = commandOf(message, kind, clock);
    const { operation } = asked;
    const settings = decide(operation);
    const changed = await changes.change(asked, message.endpointId, (endpoint) => ({
      operation,
      settings: settings(endpoint),
    }));
    const answer = shown(orThrow(changed));
    resumeSuspended();
    return answer;
  };

  return {
    updateEndpoint: (message) =>
      change(message, "update", ({ at }) => {
        const { url, ...others } = orThrow(readUpdateRequest(message, deps, at));
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
      const asked = commandOf(message, "verify", clock);
      const answer = shown(orThrow(await verify(asked, message.endpointId)));
      resumeSuspended();
      return answer;
    },

    approveEndpoint: (message) =>
      change(message, "approve", ({ actor, at }) => {
        if (actor.kind !== "operator") orThrow(refused("ACCESS_FORBIDDEN"));
        return (endpoint) => verification(endpoint, at);
      }),
  };
}
