import {
  CreateReplayRequestSchema,
  DeliveryState,
  ListReplaysResponseSchema,
  ReplaySchema,
  ReplayState,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { createReplay, replayableStates } from "@disburse/forms/bodies/webhooks.ts";
import * as f from "../openapi/fields.ts";
import * as q from "../openapi/query.ts";
import { bodyRequest, get, post, type Resource, remove } from "../openapi/route.ts";
import { endpointNameProblem } from "./rules/endpoint-name.ts";

const replay = f.record(ReplaySchema, "WebhookReplay", "A replay of many deliveries.", {
  id: f.id("whr", "Replay id."),
  endpoint_id: f.id("whe", "Endpoint whose deliveries are resent."),
  since: f.moment("Deliveries created at or after this time."),
  until: f.moment("Deliveries created before this time."),
  states: f.listOf(
    "States of the deliveries.",
    f.word(DeliveryState, "A state.", replayableStates),
  ),
  event_types: f.optional(
    f.listOf(
      "Event types that are resent; omitted for all.",
      f.text("A transaction type, or one with a status.", "payout_session"),
    ),
  ),
  rate: f.from("ratePerSecond", f.whole("Maximum deliveries per second.", 10, { minimum: 1 })),
  state: f.word(
    ReplayState,
    "`done`: everything is queued. `cancelled`: it was cancelled, or its endpoint was deleted.",
  ),
  total_count: f.whole("Number of deliveries to send when it was requested.", 120),
  total_count_capped: f.optional(
    f.flag(
      "True if counting stopped after 10,000 deliveries of the period; otherwise omitted.",
      true,
    ),
  ),
  queued_count: f.whole("Number of deliveries queued or sent so far.", 50),
  ...f.recordTimes,
});

const replayPage = f.pageOf(ListReplaysResponseSchema, "WebhookReplayPage", "replays", replay);

const path = "/api/v1/webhooks/replays";

export const webhookReplays: Resource = {
  scope: "webhook",
  tag: "Webhook deliveries",
  components: [replay, replayPage],
  routes: [
    post("createWebhookReplay", path, {
      summary: "Replay many webhooks",
      description:
        "Resends every delivery of an endpoint that was created in a period and is in one of the states, of all or of chosen event types, oldest first, at a limited rate. An endpoint has one replay at a time; it waits while the endpoint is paused and ignores the endpoint's current event types.",
      body: { form: createReplay },
      data: replay,
      refusals: ["RECORD_NOT_FOUND", "STATE_NOT_REACHABLE"],
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
      description: "Your replays, newest first. Each is kept for 30 days after it ends.",
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
      description: "Ends a running replay. Deliveries that it has already queued are still sent.",
      data: replay,
      answer: async ({ change }, { notifier }) => (await notifier.cancelReplay(change)).replay,
    }),
  ],
};
