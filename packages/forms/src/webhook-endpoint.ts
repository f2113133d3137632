import { optional, type PublicBody, singleForm, type TextsField } from "./field.ts";
import { lengths } from "./lengths.ts";
import { textField } from "./make-field.ts";

/** Old secrets go along for a week at most (notifier contract). */
const overlapMaxSeconds = 604_800;

/** In which order the events of one transaction reach an endpoint; `bounded` where none is said. */
export const deliveryOrders = ["none", "bounded", "strict"] as const;

/** More than there are statuses; a list that long is a mistake. */
const eventTypesMax = 50;

/**
 * `*`, a transaction type, or one with a status. Which statuses a payout has is known; those of
 * payment sessions and refunds are their publisher's words.
 */
const ownStatus = "\\.(?:initiated|succeeded|failed)";
const publishedStatus = "\\.[A-Za-z0-9_-]{1,64}";
const eventType = {
  source: `^(?:\\*|payout_session(?:${ownStatus})?|(?:payment_session|refund)(?:${publishedStatus})?)$`,
  problem: `must be an array of 1 to ${eventTypesMax} different event types: *, payout_session, payment_session, refund, or one with a status such as payout_session.failed`,
} as const;

const url = textField("url", "Absolute URL.", "https://merchant.example/webhooks", {
  kind: "url",
  maxLength: lengths.url,
});

const description = textField("description", "The merchant's note.", "Production", {
  required: false,
});

const order = textField(
  "order",
  "In which order the events of one transaction arrive: `none` each at once, `bounded` each after the one before it or 30 s or 3 attempts of it, `strict` each after the one before it was delivered or given up.",
  "bounded",
  { allowed: deliveryOrders, required: false },
);

const eventTypes: TextsField = {
  name: "event_types",
  kind: "texts",
  required: false,
  maxItems: eventTypesMax,
  pattern: eventType,
  description: "What it is told of: `*` for everything, a transaction type, or one with a status.",
  example: ["payout_session", "refund.failed"],
};

/**
 * `POST /api/v1/webhooks/endpoints`. Where a URL may point is checked by the notifier: https and
 * public addresses alone in production.
 */
export const createEndpoint: PublicBody = singleForm({
  name: "create_endpoint",
  description: "Where webhooks are sent.",
  fields: [
    url,
    description,
    { ...order, default: "bounded" },
    { ...eventTypes, description: `${eventTypes.description} Everything when left out.` },
  ],
  rules: [],
});

/**
 * `PATCH /api/v1/webhooks/endpoints/:id`; that something is to be changed is checked by the
 * notifier, and so is the URL.
 */
export const updateEndpoint: PublicBody = singleForm({
  name: "update_endpoint",
  description: "What is changed of an endpoint: at least one of these.",
  fields: [
    optional(url),
    { ...description, description: "The merchant's note; empty to take it away." },
    order,
    eventTypes,
  ],
  rules: [],
});

/** `POST /api/v1/webhooks/endpoints/:id/rotate-secret`; every field may be left out. */
export const rotateSecret: PublicBody = singleForm({
  name: "rotate_secret",
  description: "How the secrets are changed.",
  fields: [
    {
      name: "overlap_seconds",
      kind: "integer",
      required: false,
      min: 0,
      max: overlapMaxSeconds,
      description: "How long the old secrets go along; 0 after a leak. 86,400 when left out.",
      example: 86_400,
    },
    {
      name: "stage",
      kind: "flag",
      required: false,
      description: "The new secrets wait for activate-secret before they sign.",
      example: false,
    },
  ],
  rules: [],
});
