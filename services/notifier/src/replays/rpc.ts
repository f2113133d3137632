import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  type CreateReplayRequest,
  CreateReplayRequestSchema,
  DeliveryState,
  type NotifierService,
  type Replay,
  ReplaySchema,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import {
  createReplay as createReplayBody,
  replayableStates,
  replayRateDefault,
} from "@disburse/forms/bodies/webhooks.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import {
  invalidRequest,
  isRefused,
  otherContent,
  type Refused,
  refused,
} from "@disburse/kernel/refusal.ts";
import { type Clock, parseBound } from "@disburse/kernel/time.ts";
import type { DeliveryStore } from "../deliveries/store.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import { type NotifierRefusal, orThrow } from "../refusals.ts";
import { countOriginals } from "./originals.ts";
import { isSameReplay, type ReplayRequest, replayTerms } from "./rules/replay.ts";
import { newReplay, type ReplayDocument, type ReplayStore, termsOf } from "./store.ts";

type ReplayDeps = {
  readonly endpoints: EndpointStore;
  readonly deliveries: Pick<DeliveryStore, "collection">;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  /** Wakes the replayer, because the next page of a replay is due. */
  readonly wakeReplayer: () => void;
};

export function replayRpc(deps: ReplayDeps) {
  const { replays, clock } = deps;
  return {
    createReplay: async (message) => {
      const replay = orThrow(await createReplay(deps, message));
      deps.wakeReplayer();
      return { replay: replayMessage(replay) };
    },

    getReplay: async ({ merchantId, replayId }) => {
      const found = await replays.find(merchantId, replayId);
      return { replay: replayMessage(orThrow(found ?? refused("RECORD_NOT_FOUND"))) };
    },

    listReplays: async ({ merchantId, ...page }) => {
      const { shown, ...rest } = await replays.list(merchantId, page);
      return { replays: shown.map(replayMessage), ...rest };
    },

    cancelReplay: async ({ mutation, merchantId, replayId }) => {
      const change = readMutation(mutation);
      const ended = await replays.cancel(merchantId, replayId, clock.now(), change);
      return { replay: replayMessage(orThrow(ended ?? refused("RECORD_NOT_FOUND"))) };
    },
  } satisfies Partial<ServiceImpl<typeof NotifierService>>;
}

/**
 * Stores a replay. A worker creates its deliveries. A repeat of the operation returns the stored
 * replay.
 */
async function createReplay(
  { endpoints, deliveries, replays, clock }: ReplayDeps,
  message: CreateReplayRequest,
): Promise<ReplayDocument | Refused<NotifierRefusal>> {
  const change = readMutation(message.mutation);
  const { merchantId } = message;
  const now = clock.now();
  const request = readReplayRequest(message, now);
  if (isRefused(request)) return request;
  const first = await replays.findByOperation(merchantId, change.operationId);
  if (first !== null) return repeated(first, request);
  const terms = replayTerms(request, now);
  if (!("rate" in terms)) return invalidRequest(terms);
  const endpoint = await endpoints.find(merchantId, terms.endpointId);
  if (endpoint === undefined) return refused("RECORD_NOT_FOUND");
  const count = await countOriginals(deliveries.collection, { merchantId, ...terms });
  const replay = newReplay(merchantId, terms, count, change, now);
  if (await replays.insert(replay)) return replay;
  const meanwhile = await replays.findByOperation(merchantId, change.operationId);
  if (meanwhile !== null) return repeated(meanwhile, request);
  return {
    refused: "STATE_NOT_REACHABLE",
    detail: "A replay of this endpoint is running. It must be finished or cancelled first.",
  };
}

/**
 * Returns the stored replay in its current state. Refuses if the repeated request has different
 * terms.
 */
function repeated(
  first: ReplayDocument,
  request: ReplayRequest,
): ReplayDocument | Refused<NotifierRefusal> {
  const terms = replayTerms(request, first.created_at);
  return "rate" in terms && isSameReplay(terms, termsOf(first)) ? first : otherContent;
}

/** Checks the fields of a request by their form. */
function readReplayRequest(
  message: CreateReplayRequest,
  now: Date,
): ReplayRequest | Refused<NotifierRefusal> {
  const context = { now, unreadable: message.unreadable };
  const checked = checkedMessage(createReplayBody, CreateReplayRequestSchema, message, context);
  if (isRefused(checked)) return checked;
  const since = parseBound(checked.since);
  if (since === undefined) throw new Error("a validated replay request has no valid `since` field");
  const states = replayableStates.filter((state) => checked.states.includes(state));
  return {
    endpointId: checked.endpointId,
    since,
    until: parseBound(checked.until),
    states: states.length === 0 ? ["exhausted"] : states,
    eventTypes: checked.eventTypes,
    rate: checked.ratePerSecond || replayRateDefault,
  };
}

function replayMessage(replay: ReplayDocument): Replay {
  return create(ReplaySchema, {
    id: replay._id,
    merchantId: replay.merchant_id,
    endpointId: replay.endpoint_id,
    since: timestampFromDate(replay.since),
    until: timestampFromDate(replay.until),
    states: replay.states.map((state) => enumValue(DeliveryState, state)),
    eventTypes: [...(replay.event_types ?? [])],
    ratePerSecond: replay.rate,
    state: enumValue(ReplayState, replay.state),
    totalCount: BigInt(replay.total),
    totalCountCapped: replay.total_capped,
    queuedCount: BigInt(replay.queued_count),
    createdAt: timestampFromDate(replay.created_at),
    updatedAt: timestampFromDate(replay.updated_at),
  });
}
