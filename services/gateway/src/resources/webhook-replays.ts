import {
  CreateReplayRequestSchema,
  DeliveryState,
  ListReplaysResponseSchema,
  ReplaySchema,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { createReplay, replayableStates } from "@disburse/forms/bodies/webhooks.ts";
import * as f from "../openapi/fields.ts";
import { bodyRequest, get, post, type Resource, remove } from "../openapi/operation.ts";
import { pageOf } from "../openapi/page.ts";
import * as q from "../openapi/query.ts";
import { endpointNameProblem } from "./rules/endpoint-name.ts";

/** A replay with its progress. */
const replay = f.record(
  ReplaySchema,
  "WebhookReplay",
  "Many deliveries that are sent once more, with how far that has come.",
  {
    id: f.id("whr", "Replay id."),
    endpoint_id: f.id("whe", "Where they went and go again."),
    since: f.moment("Deliveries made at this time or later."),
    until: f.moment("Deliveries made before this time."),
    states: f.listOf("How they had ended.", f.word(DeliveryState, "A state.", replayableStates)),
    rate: f.from("ratePerSecond", f.whole("At most so many in a second.", 10, { minimum: 1 })),
    state: f.word(
      ReplayState,
      "`done`: everything is queued. `cancelled`: it was ended, or its endpoint was deleted.",
    ),
    total_count: f.whole("How many there were to send when it was asked for.", 120),
    total_count_capped: f.optional(
      f.flag("True where counting stopped at 10,000; else left out.", true),
    ),
    queued_count: f.whole("How many are queued or sent by now.", 50),
    ...f.recordTimes,
  },
);

const replayPage = pageOf(ListReplaysResponseSchema, "WebhookReplayPage", "replays", replay);

const path = "/api/v1/webhooks/replays";

/** Replays of many webhooks, with their progress. */
export const webhookReplays: Resource = {
  scope: "webhook",
  tag: "Webhook deliveries",
  components: [replay, replayPage],
  operations: [
    post("createWebhookReplay", path, {
      summary: "Replay many webhooks",
      description:
        "Sends every delivery of an endpoint once more that was made in a span of time and ended in one of the states, oldest first, at a rate. An endpoint has one replay at a time; it waits while the endpoint is paused, and its event types of today do not matter.",
      body: { form: createReplay },
      data: replay,
      refusals: ["RECORD_NOT_FOUND"],
      answer: async (call, { notifier }) => {
        const problem = endpointNameProblem(call.body);
        if (problem !== undefined) return problem;
        const endpoint_id = call.body.endpoint_id ?? call.body.endpoint ?? null;
        const named = { ...call, body: { ...call.body, endpoint_id } };
        return (await notifier.createReplay(bodyRequest(named, CreateReplayRequestSchema))).replay;
      },
    }),
    get("listWebhookReplays", path, {
      summary: "List webhook replays",
      description: "Your replays, newest first; those that ended more than 30 days ago are gone.",
      query: q.page,
      data: replayPage,
      answer: ({ request }, { notifier }) => notifier.listReplays(request),
    }),
    get("getWebhookReplay", `${path}/:replayId`, {
      summary: "Get webhook replay",
      description: "One replay with its progress.",
      data: replay,
      answer: async ({ request }, { notifier }) => (await notifier.getReplay(request)).replay,
    }),
    remove("cancelWebhookReplay", `${path}/:replayId`, {
      summary: "Cancel webhook replay",
      description: "Ends a running replay. What it has queued is sent all the same.",
      data: replay,
      answer: async ({ change }, { notifier }) => (await notifier.cancelReplay(change)).replay,
    }),
  ],
};
