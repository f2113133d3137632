import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { Argument, CallCommand, Option } from "../table/command.ts";
import { merchant } from "./merchants.ts";

const notifier = NotifierService.method;

const endpoint: Argument = {
  name: "endpoint",
  field: "endpoint_id",
  about: "its id, whe_…",
  source: { list: "webhooks endpoints", value: "id", name: "url" },
};
const delivery: Argument = {
  name: "delivery",
  field: "delivery_id",
  about: "its id, whd_…",
  source: { list: "webhooks deliveries", value: "id", name: "transaction_id" },
};
const replay: Argument = {
  name: "replay",
  field: "replay_id",
  about: "its id, whr_…",
  source: { list: "webhooks replays", value: "id", name: "state" },
};

const order: Option = {
  name: "order",
  field: "order",
  about: "the order of deliveries; bounded by default",
  choices: ["none", "bounded", "strict"],
};
const eventTypes: Option = {
  name: "type",
  field: "event_types",
  isMany: true,
  about: "only this event type, such as payout_session.failed; all types by default",
};

export const webhookCommands: readonly CallCommand[] = [
  {
    name: "webhooks endpoints",
    summary: "a merchant's endpoints, with their health",
    examples: ["webhooks endpoints mer_01k…"],
    method: notifier.listEndpoints,
    arguments: [merchant],
    show: {
      list: "endpoints",
      columns: [
        ...["id", "url", "state", "health.circuit", "health.pending_count"],
        ...["health.last_delivered_at", "health.last_failure"],
      ],
    },
  },
  {
    name: "webhooks endpoint",
    summary: "one endpoint",
    examples: ["webhooks endpoint mer_01k… whe_01k…"],
    method: notifier.getEndpoint,
    arguments: [merchant, endpoint],
    show: { record: "endpoint" },
  },
  {
    name: "webhooks create",
    summary: "create an endpoint for a merchant; its secrets are shown only once",
    examples: [
      "webhooks create mer_01k… https://acme.example/webhooks --type payout_session.failed",
    ],
    method: notifier.createEndpoint,
    registered: "merchant_id",
    arguments: [merchant, { name: "url", field: "url", about: "where the events are sent" }],
    options: [
      { name: "description", field: "description", about: "the purpose of the endpoint" },
      order,
      eventTypes,
      { name: "paused", field: "paused", value: "", about: "create it paused" },
    ],
    show: { record: "" },
  },
  {
    name: "webhooks update",
    summary: "change an endpoint",
    details: "What is omitted stays unchanged. A new URL has to be verified again.",
    examples: ["webhooks update mer_01k… whe_01k… --description checkout"],
    method: notifier.updateEndpoint,
    current: { method: notifier.getEndpoint, record: "endpoint", at: "", isPartial: true },
    arguments: [merchant, endpoint],
    options: [
      { name: "url", field: "url", about: "where the events are sent" },
      { name: "description", field: "description", about: "the purpose of the endpoint" },
      { ...order, about: "the order of deliveries" },
      { ...eventTypes, about: "only this event type; the types can't be removed" },
    ],
    show: { record: "endpoint" },
  },
  {
    name: "webhooks verify",
    summary: "send a challenge to an endpoint's URL",
    examples: ["webhooks verify mer_01k… whe_01k…"],
    method: notifier.verifyEndpoint,
    arguments: [merchant, endpoint],
    show: { record: "endpoint" },
  },
  {
    name: "webhooks test",
    summary: "send a test event to an endpoint",
    examples: ["webhooks test mer_01k… whe_01k…"],
    method: notifier.sendTestEvent,
    arguments: [merchant, endpoint],
    show: { record: "delivery" },
  },
  {
    name: "webhooks rotate-secret",
    summary: "create new secrets for an endpoint, which are shown only once",
    examples: [
      "webhooks rotate-secret mer_01k… whe_01k… --overlap 86400",
      "webhooks rotate-secret mer_01k… whe_01k… --stage",
    ],
    method: notifier.rotateSecret,
    arguments: [merchant, endpoint],
    options: [
      {
        name: "overlap",
        field: "overlap_seconds",
        value: "seconds",
        about: "how long the old secrets also sign, at most 604800; 86400 by default",
      },
      {
        name: "stage",
        field: "stage",
        value: "",
        about: "let the new secrets sign only after `webhooks activate-secret`",
      },
    ],
    show: { record: "" },
  },
  {
    name: "webhooks activate-secret",
    summary: "let the staged secrets of an endpoint sign",
    examples: ["webhooks activate-secret mer_01k… whe_01k…"],
    method: notifier.activateSecret,
    arguments: [merchant, endpoint],
    show: { record: "endpoint" },
  },
  {
    name: "webhooks delete",
    summary: "delete an endpoint; its waiting deliveries are not sent",
    examples: ["webhooks delete mer_01k… whe_01k…"],
    method: notifier.deleteEndpoint,
    arguments: [merchant, endpoint],
    show: { record: "" },
  },
  {
    name: "webhooks pause",
    summary: "pause an endpoint; its deliveries wait until it is resumed",
    examples: ["webhooks pause mer_01k… whe_01k…"],
    method: notifier.pauseEndpoint,
    arguments: [merchant, endpoint],
    show: { record: "endpoint" },
  },
  {
    name: "webhooks resume",
    summary: "resume a paused endpoint",
    examples: ["webhooks resume mer_01k… whe_01k…"],
    method: notifier.resumeEndpoint,
    arguments: [merchant, endpoint],
    show: { record: "endpoint" },
  },
  {
    name: "webhooks approve",
    summary: "verify an endpoint's URL without a challenge",
    examples: ["webhooks approve mer_01k… whe_01k…"],
    method: notifier.approveEndpoint,
    arguments: [merchant, endpoint],
    show: { record: "endpoint" },
  },
  {
    name: "webhooks deliveries",
    summary: "a merchant's deliveries, newest first",
    examples: ["webhooks deliveries mer_01k… --state exhausted"],
    method: notifier.listDeliveries,
    arguments: [merchant],
    options: [
      { name: "endpoint", field: "endpoint_id", about: "to this endpoint" },
      { name: "transaction", field: "transaction_id", about: "of this payout, session or refund" },
      { name: "state", field: "state", about: "in this state" },
    ],
    show: {
      list: "deliveries",
      columns: [
        ...["id", "endpoint_id", "transaction_id", "status", "state", "attempts_count"],
        ...["next_attempt_at", "created_at"],
      ],
    },
  },
  {
    name: "webhooks delivery",
    summary: "one delivery with its last attempts",
    examples: ["webhooks delivery mer_01k… whd_01k…"],
    method: notifier.getDelivery,
    arguments: [merchant, delivery],
    show: { record: "delivery" },
  },
  {
    name: "webhooks redeliver",
    summary: "send one delivery again",
    examples: ["webhooks redeliver mer_01k… whd_01k…"],
    method: notifier.redeliver,
    arguments: [merchant, delivery],
    show: { record: "delivery" },
  },
  {
    name: "webhooks replay",
    summary: "resend all events of a period to an endpoint",
    examples: [
      "webhooks replay mer_01k… whe_01k… --since 2026-11-20T08:00:00Z",
      "webhooks replay mer_01k… whe_01k… --since 2026-11-20 --until 2026-11-21 --state delivered",
    ],
    method: notifier.createReplay,
    arguments: [merchant, endpoint],
    options: [
      {
        name: "since",
        field: "since",
        value: "time",
        isRequired: true,
        about: "created at this time or later",
      },
      {
        name: "until",
        field: "until",
        value: "time",
        about: "created before this time; now by default",
      },
      {
        name: "state",
        field: "states",
        isMany: true,
        about: "exhausted, delivered; exhausted by default",
      },
      {
        name: "type",
        field: "event_types",
        isMany: true,
        about: "of this event type, such as payout_session.failed; all types by default",
      },
      {
        name: "rate",
        field: "rate_per_second",
        value: "number",
        about: "maximum deliveries per second",
      },
    ],
    show: { record: "replay" },
  },
  {
    name: "webhooks replays",
    summary: "a merchant's replays, newest first",
    examples: ["webhooks replays mer_01k…"],
    method: notifier.listReplays,
    arguments: [merchant],
    show: {
      list: "replays",
      columns: ["id", "endpoint_id", "state", "queued_count", "total_count", "since", "until"],
    },
  },
  {
    name: "webhooks cancel",
    summary: "cancel a running replay",
    examples: ["webhooks cancel mer_01k… whr_01k…"],
    method: notifier.cancelReplay,
    arguments: [merchant, replay],
    show: { record: "replay" },
  },
];
