import {
  CreateReplayRequestSchema,
  type Replay,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { createReplay } from "@disburse/forms/webhook-replay.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { endpointNameProblem } from "../domain/endpoint-name.ts";
import { readQuery } from "../domain/list-query.ts";
import { pageQuery } from "../reference/page.ts";
import {
  cancelReplayEndpoint,
  createReplayEndpoint,
  getReplayEndpoint,
  listReplaysEndpoint,
} from "../reference/webhook-replays.ts";
import { readMessage } from "./body.ts";
import { type Call, type Operation, param } from "./operation.ts";
import { pageMetaData, present, wireNumber, wireTime } from "./wire.ts";
import { deliveryStates, replayStates } from "./words.ts";

/** A replay with its progress. */
export function replayData(replay: Replay) {
  return {
    id: replay.id,
    endpoint_id: replay.endpointId,
    since: wireTime(replay.since),
    until: wireTime(replay.until),
    states: replay.states.map((state) => deliveryStates[state]),
    rate: replay.ratePerSecond,
    state: replayStates[replay.state],
    total_count: wireNumber(replay.totalCount),
    ...(replay.totalCountCapped ? { total_count_capped: true } : {}),
    queued_count: wireNumber(replay.queuedCount),
    created_at: wireTime(replay.createdAt),
    updated_at: wireTime(replay.updatedAt),
  };
}

const replayOf = (call: Call) => ({
  merchantId: call.merchantId,
  replayId: param(call, "replayId"),
});

/** Sending many webhooks once more, and how far that has come. */
export function webhookReplayOperations({
  notifier,
}: Pick<Clients, "notifier">): readonly Operation[] {
  return [
    {
      ...createReplayEndpoint,
      answer: async ({ merchantId, mutation, body }) => {
        const problem = endpointNameProblem(body);
        if (problem !== undefined) return problem;
        const named = { ...body, endpoint_id: body.endpoint_id ?? body.endpoint ?? null };
        const read = readMessage(createReplay, CreateReplayRequestSchema, named);
        const { message, unreadable } = read;
        const asked = Object.assign(message, { mutation, merchantId, unreadable });
        return replayData(present((await notifier.createReplay(asked)).replay));
      },
    },
    {
      ...listReplaysEndpoint,
      answer: async ({ merchantId, query }) => {
        const asked = readQuery(query, pageQuery);
        if (isRefused(asked)) return asked;
        const reply = await notifier.listReplays({ merchantId, ...asked });
        return { replays: reply.replays.map(replayData), meta_data: pageMetaData(reply) };
      },
    },
    {
      ...getReplayEndpoint,
      answer: async (call) =>
        replayData(present((await notifier.getReplay(replayOf(call))).replay)),
    },
    {
      ...cancelReplayEndpoint,
      answer: async (call) => {
        const asked = { ...replayOf(call), mutation: call.mutation };
        return replayData(present((await notifier.cancelReplay(asked)).replay));
      },
    },
  ];
}
