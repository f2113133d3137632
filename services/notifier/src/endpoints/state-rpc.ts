import type { ServiceImpl } from "@connectrpc/connect";
import type { Log } from "@disburse/chassis/log.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type NotifierRefusal, orThrow } from "../refusals.ts";
import { lookupHost } from "../sender/rules/url.ts";
import type { Post } from "../sender/sender.ts";
import type { ChallengeStore } from "./challenge-store.ts";
import {
  type ChangeOutcome,
  type CommandMessage,
  commandOf,
  createEndpointChanges,
  type EndpointChanges,
  type EndpointCommand,
  shown,
} from "./changes.ts";
import { changedHeaders } from "./headers.ts";
import { type SigningDeps, signedRequest } from "./keys.ts";
import { readUpdateRequest } from "./request.ts";
import type { EndpointDeps } from "./rpc.ts";
import type { EndpointOperation, EndpointRecord } from "./rules/endpoint.ts";
import { pause, resume } from "./rules/pause.ts";
import type { EndpointChange } from "./rules/revision.ts";
import {
  challengeBody,
  challengeFailure,
  challengeGapMs,
  challengeResult,
  challengeStatus,
  challengeTimeoutMs,
  leavesOrigin,
  unverifiedUrl,
  urlChange,
  verification,
} from "./rules/verification.ts";
import type { EndpointStore } from "./store.ts";

type EndpointStateDeps = EndpointDeps &
  ChallengeDeps & {
    /** Probes suspended endpoints at once, because a resumed endpoint may have due deliveries. */
    readonly resumeSuspended: () => void;
  };

/** Computes a change from the endpoint's current state. */
type Change = (
  endpoint: EndpointRecord,
) => Pick<EndpointChange, "configuration" | "headers"> | Refused<NotifierRefusal>;

export function endpointStateRpc(deps: EndpointStateDeps) {
  const { endpoints, sealer, clock, mustVerify, resumeSuspended } = deps;
  const changes = createEndpointChanges(endpoints, sealer);

  const change = async (
    message: CommandMessage & { readonly endpointId: string },
    kind: EndpointOperation["kind"],
    decide: (operation: EndpointOperation) => Change,
  ) => {
    const command = commandOf(message, kind, clock);
    const { operation } = command;
    const decided = decide(operation);
    const changed = await changes.change(command, message.endpointId, (endpoint) => {
      const its = decided(endpoint);
      return isRefused(its) ? its : { operation, ...its };
    });
    const response = shown(orThrow(changed));
    resumeSuspended();
    return response;
  };

  return {
    updateEndpoint: (message) =>
      change(message, "update", ({ at }) => {
        const { url, headers, ...others } = orThrow(readUpdateRequest(message, deps, at));
        return (endpoint) => {
          const keepsHeaders = headers === undefined && endpoint.headerNames !== undefined;
          if (keepsHeaders && url !== undefined && leavesOrigin(endpoint, url)) return keptHeaders;
          const { pendingUrl } = endpoint;
          const setsHeaders = headers !== undefined && Object.keys(headers).length > 0;
          if (setsHeaders && url === undefined && pendingUrl !== undefined) return pendingHeaders;
          const configuration = {
            ...others,
            ...(url === undefined ? {} : urlChange(endpoint, url, { mustVerify, at })),
          };
          return { configuration, headers: headers && changedHeaders(sealer, endpoint, headers) };
        };
      }),

    pauseEndpoint: (message) =>
      change(message, "pause", ({ at }) => (endpoint) => ({
        configuration: pause(endpoint, "requested", at),
      })),

    resumeEndpoint: (message) =>
      change(message, "resume", ({ at }) => (endpoint) => ({
        configuration: resume(endpoint, at),
      })),

    verifyEndpoint: async (message) => {
      const command = commandOf(message, "verify", clock);
      const response = shown(orThrow(await verify(deps, changes, command, message.endpointId)));
      resumeSuspended();
      return response;
    },

    approveEndpoint: (message) =>
      change(message, "approve", ({ actor, at }) => {
        if (actor.kind !== "operator") orThrow(refused("ACCESS_FORBIDDEN"));
        return (endpoint) => ({ configuration: verification(endpoint, at) });
      }),
  } satisfies Partial<ServiceImpl<typeof NotifierService>>;
}

/**
 * Protects values from a caller who may change the endpoint but can't read them: no URL of its own
 * gets them.
 */
const keptHeaders = refused(
  "INVALID_REQUEST",
  "headers: must be sent again with a url of another origin, because their values were set for the old one",
);

/** Also for the present URL: once another one is verified, it would get the values. */
const pendingHeaders = refused(
  "INVALID_REQUEST",
  "headers: must be sent with url while a pending_url waits for its verification",
);

type ChallengeDeps = SigningDeps & {
  readonly endpoints: EndpointStore;
  readonly challenges: ChallengeStore;
  readonly post: Post;
  readonly log: Log;
};

/**
 * Duration of a lock. It suffices for a challenge and its writes. A lock that a crash left expires
 * after this time.
 */
const turnMs = challengeTimeoutMs + 2_000;

/**
 * Verifies a URL. The endpoint is not locked during the challenge. The result counts only if the
 * same URL is still pending.
 */
async function verify(
  deps: ChallengeDeps,
  changes: EndpointChanges,
  command: EndpointCommand,
  endpointId: string,
): Promise<ChangeOutcome> {
  const earlier = await changes.repeated(command, endpointId);
  if (earlier !== undefined) return earlier;
  const endpoint = await deps.endpoints.find(command.merchantId, endpointId);
  if (endpoint === undefined) return refused("RECORD_NOT_FOUND");
  const url = unverifiedUrl(endpoint);
  const failure = url === undefined ? undefined : await challenge(deps, endpoint, url);
  if (failure !== undefined) return failure;
  const operation = { ...command.operation, at: deps.clock.now() };
  return changes.change(command, endpointId, (current) => {
    const configuration = url === undefined ? {} : challengeResult(current, url, operation.at);
    return isRefused(configuration) ? configuration : { operation, configuration };
  });
}

/**
 * Posts a challenge to a URL. Returns the failure. Returns `undefined` if the challenge succeeded.
 * It has none of the merchant's own headers, because the URL is not verified yet.
 */
async function challenge(
  deps: ChallengeDeps,
  endpoint: EndpointRecord,
  url: string,
): Promise<Refused<NotifierRefusal> | undefined> {
  const { challenges, clock, log, post } = deps;
  const now = clock.now();
  const later = (ms: number): Date => new Date(now.getTime() + ms);
  const { id: endpointId, merchantId } = endpoint;
  const eventId = newId("event", now);
  const body = challengeBody({ eventId, merchantId, endpointId, createdAt: now });
  const event = { eventId, transactionId: eventId, status: challengeStatus, sequence: 1, body };
  const request = signedRequest(deps, endpoint, url, event, now);
  const token = crypto.randomUUID();
  const turn = { merchantId, endpointId, host: lookupHost(new URL(url)) };
  if (!(await challenges.begin(turn, token, { now, until: later(turnMs) }))) {
    const gap = `${challengeGapMs / 1_000} s apart`;
    const message = `An endpoint or host gets one challenge at a time, ${gap}. Try again later.`;
    return refused("INVALID_REQUEST", message);
  }
  const outcome = await post({ ...request, timeoutMs: challengeTimeoutMs });
  await challenges.end(turn, token, later(challengeGapMs));
  log.info(
    {
      endpoint_id: endpointId,
      result: outcome.kind === "answered" ? outcome.statusCode : outcome.error,
      duration_ms: clock.now().getTime() - now.getTime(),
    },
    "challenge sent to an endpoint",
  );
  return challengeFailure(outcome);
}
