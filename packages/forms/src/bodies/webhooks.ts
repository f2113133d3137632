import {
  optional,
  type PairsField,
  type PublicBody,
  singleForm,
  type TextsField,
} from "../fields/field.ts";
import { lengths, textField } from "../fields/make.ts";

/** The maximum time for which old secrets are still used for signing (notifier contract). */
const overlapMaxSeconds = 604_800;

/**
 * The order in which one transaction's events are delivered to an endpoint. The default is
 * `bounded`.
 */
export const deliveryOrders = ["none", "bounded", "strict"] as const;

/**
 * The maximum number of event types, which exceeds the number of statuses. A longer list is a
 * mistake.
 */
const eventTypesMax = 50;

/**
 * Allowed values: `*`, a transaction type, or a type with a status. Payout statuses are a closed
 * set. Publishers of payment sessions and refunds choose their own statuses.
 */
const ownStatus = "\\.(?:initiated|succeeded|failed)";
const publishedStatus = "\\.[A-Za-z0-9_-]{1,64}";

/**
 * Event types that `*` does not include. An endpoint receives them only if its settings name them.
 */
export const optInEventTypes = [
  "account.balance_low",
  "account.credited",
  "batch.approval_required",
  "batch.finished",
  "beneficiary.screening_changed",
  "endpoint.failing",
  "endpoint.recovered",
  "payout.approval_required",
  "scheduled_payout.approval_required",
  "webhook_endpoint.paused",
] as const;

const optIn = optInEventTypes.map((type) => type.replaceAll(".", "\\.")).join("|");
const eventType = {
  source: `^(?:\\*|payout_session(?:${ownStatus})?|(?:payment_session|refund)(?:${publishedStatus})?|${optIn})$`,
  problem: `must be an array of 1 to ${eventTypesMax} different event types: *, payout_session, payment_session, refund, ${optInEventTypes.join(", ")}, or one with a status such as payout_session.failed`,
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
  description: `Event types that the endpoint receives. Each is a transaction type, a transaction type with a status, or \`*\` for all types except opt-in types. The opt-in types are ${optInEventTypes.map((type) => `\`${type}\``).join(", ")}.`,
  example: ["payout_session", "refund.failed"],
};

/** A receiver needs one or two headers. Ten bound the endpoint's document. */
const headersMax = 10;
/** No registered header has a longer name. */
const headerNameMax = 64;
/** A JSON Web Token fits. Ten of these values fit the 16 KiB that Node's servers accept. */
const headerValueMax = 1_024;
/** Replaces the value of a merchant's header in every response. */
export const headerMask = "********";

/** A token of RFC 9110, section 5.6.2. */
const headerName = `(?!__proto__$)[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${headerNameMax}}`;
/** Visible ASCII with blanks inside, but not the mask. */
const headerValue = "^(?!\\*{8}$)[\\x21-\\x7E](?:[\\x20-\\x7E]*[\\x21-\\x7E])?$";

const headers: PairsField = {
  name: "headers",
  kind: "pairs",
  required: false,
  keys: headerName,
  maxItems: headersMax,
  valueMax: headerValueMax,
  value: headerValue,
  problem: `must be an object of at most ${headersMax} strings: names of 1 to ${headerNameMax} characters that HTTP allows, values of 1 to ${headerValueMax} visible ASCII characters that are not masked`,
  description: `Your own headers of every webhook, at most ${headersMax}. Their values are encrypted and never returned. Names have 1 to ${headerNameMax} characters and differ in more than case. Values have at most ${headerValueMax} visible ASCII characters. Headers that the platform sets or that frame HTTP are refused.`,
  example: { Authorization: "Bearer 3f9a0c7d" },
};

/**
 * `POST /api/v1/webhooks/endpoints`. The notifier checks the URL's target: production allows only
 * https and public addresses.
 */
export const createEndpoint: PublicBody = singleForm({
  name: "create_endpoint",
  description: "A new webhook endpoint.",
  fields: [
    url,
    description,
    { ...order, default: "bounded" },
    { ...eventTypes, description: `${eventTypes.description} \`*\` by default.` },
    headers,
    {
      name: "paused",
      kind: "flag",
      required: false,
      description: "If true, the endpoint starts paused, and its events wait for resume.",
      example: false,
    },
  ],
});

/**
 * `PATCH /api/v1/webhooks/endpoints/:id`. The notifier checks the URL, and that at least one field
 * changes.
 */
export const updateEndpoint: PublicBody = singleForm({
  name: "update_endpoint",
  description: "Changes to an endpoint; at least one is required.",
  needsField: true,
  fields: [
    optional(url),
    { ...description, description: "The merchant's note. An empty text removes the note." },
    order,
    eventTypes,
    {
      ...headers,
      mayBeEmpty: true,
      description: `${headers.description} The object replaces all headers; an empty one removes them. A new \`url\` of another origin needs \`headers\` too if the endpoint has any.`,
    },
  ],
});

/** `POST /api/v1/webhooks/endpoints/:id/rotate-secret`. Every field is optional. */
export const rotateSecret: PublicBody = singleForm({
  name: "rotate_secret",
  description: "A rotation of the endpoint's secrets.",
  fields: [
    {
      name: "overlap_seconds",
      kind: "integer",
      required: false,
      min: 0,
      max: overlapMaxSeconds,
      description:
        "Number of seconds for which the old secrets also sign webhooks; 86,400 by default. Use 0 after a leak.",
      example: 86_400,
    },
    {
      name: "stage",
      kind: "flag",
      required: false,
      description: "If true, the new secrets sign webhooks only after a call of activate-secret.",
      example: false,
    },
  ],
});

/** States in which a delivery can be resent. The endpoint of a cancelled delivery is deleted. */
export const replayableStates = ["exhausted", "delivered", "pending"] as const;

/**
 * The maximum number of replayed deliveries per second. It allows 360,000 an hour without delaying
 * other merchants.
 */
const rateMax = 100;
/**
 * The default number of replayed deliveries per second. It is low enough for a receiver that has
 * just recovered.
 */
export const replayRateDefault = 10;

const time = { kind: "time", maxLength: lengths.time } as const;

/**
 * `POST /api/v1/webhooks/replays`. The notifier checks the period from `since` to `until`. If
 * `until` is absent, the notifier uses the current time.
 */
export const createReplay: PublicBody = singleForm({
  name: "create_replay",
  description: "The deliveries to resend.",
  fields: [
    textField(
      "endpoint_id",
      "Endpoint whose deliveries are resent; `endpoint` is an alias of this field.",
      "whe_01hqz0000000000000000000ab",
      { maxLength: lengths.reference },
    ),
    textField("since", "Created at or after this time.", "2026-11-20T10:00:00.000Z", time),
    textField(
      "until",
      "Created before this time, at most 30 days after `since`; defaults to the current time.",
      "2026-11-20T12:00:00.000Z",
      { ...time, required: false },
    ),
    {
      name: "states",
      kind: "texts",
      required: false,
      allowed: replayableStates,
      maxItems: replayableStates.length,
      pattern: {
        source: `^(?:${replayableStates.join("|")})$`,
        problem: `must be an array of one or more of ${replayableStates.join(", ")}`,
      },
      description:
        "States of the deliveries to resend; `exhausted` by default. The next attempt of a `pending` one is brought forward, unless it waits for an earlier event of its transaction.",
      example: ["exhausted"],
    },
    {
      ...eventTypes,
      description:
        "Event types to resend, as in an endpoint's `event_types`; all types by default, opt-in types included.",
    },
    {
      name: "rate",
      kind: "integer",
      required: false,
      min: 1,
      max: rateMax,
      description: `Maximum number of deliveries per second; default ${replayRateDefault}.`,
      example: 25,
    },
  ],
});
