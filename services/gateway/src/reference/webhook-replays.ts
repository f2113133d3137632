import { createReplay, replayableStates } from "@disburse/forms/webhook-replay.ts";
import { replayStates, wordsOf } from "../routes/words.ts";
import type { Endpoint } from "./endpoint.ts";
import { pageOf, pageQuery } from "./page.ts";
import { component, flag, id, listOf, moment, recordTimes, ref, whole, word } from "./schema.ts";

const replay = component(
  "WebhookReplay",
  "Many deliveries that are sent once more, with how far that has come.",
  {
    id: id("whr", "Replay id."),
    endpoint_id: id("whe", "Where they went and go again."),
    since: moment("Deliveries made at this time or later."),
    until: moment("Deliveries made before this time."),
    states: listOf("How they had ended.", word("A state.", replayableStates)),
    rate: whole("At most so many in a second.", 10, { minimum: 1 }),
    state: word(
      "`done`: everything is queued. `cancelled`: it was ended, or its endpoint was deleted.",
      wordsOf(replayStates),
    ),
    total_count: whole("How many there were to send when it was asked for.", 120),
    total_count_capped: flag("True where counting stopped at 10,000; else left out.", true),
    queued_count: whole("How many are queued or sent by now.", 50),
    ...recordTimes,
  },
  ["total_count_capped"],
);

const replayPage = pageOf("WebhookReplayPage", "replays", ref(replay));

const path = "/api/v1/webhooks/replays";
const tag = "Webhook deliveries";

export const createReplayEndpoint: Endpoint = {
  id: "createWebhookReplay",
  method: "POST",
  path,
  scope: "webhook:write",
  tag,
  summary: "Replay many webhooks",
  description:
    "Sends every delivery of an endpoint once more that was made in a span of time and ended in one of the states, oldest first, at a rate. An endpoint has one replay at a time; it waits while the endpoint is paused, and its event types of today do not matter.",
  body: { form: createReplay },
  data: replay,
  refusals: ["INVALID_REQUEST", "RECORD_NOT_FOUND"],
};

export const listReplaysEndpoint: Endpoint = {
  id: "listWebhookReplays",
  method: "GET",
  path,
  scope: "webhook:read",
  tag,
  summary: "List webhook replays",
  description: "Your replays, newest first; those that ended more than 30 days ago are gone.",
  query: pageQuery,
  data: replayPage,
  refusals: ["INVALID_REQUEST"],
};

export const getReplayEndpoint: Endpoint = {
  id: "getWebhookReplay",
  method: "GET",
  path: `${path}/:replayId`,
  scope: "webhook:read",
  tag,
  summary: "Get webhook replay",
  description: "One replay with its progress.",
  data: replay,
  refusals: ["RECORD_NOT_FOUND"],
};

export const cancelReplayEndpoint: Endpoint = {
  id: "cancelWebhookReplay",
  method: "DELETE",
  path: `${path}/:replayId`,
  scope: "webhook:write",
  tag,
  summary: "Cancel webhook replay",
  description: "Ends a running replay. What it has queued is sent all the same.",
  data: replay,
  refusals: ["RECORD_NOT_FOUND"],
};

/** Every component of this file, for the document. */
export const webhookReplayComponents = [replay, replayPage];
