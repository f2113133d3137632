import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { parseExactJson } from "./exact-json.ts";
import type { PayoutWebhook, RefundWebhook, WebhookEvent } from "./gen/types.ts";
import { type SignWebhookOptions, signWebhook } from "./sign-webhook.ts";
import { verifyWebhook } from "./verify-webhook.ts";

type Vector = {
  readonly name: string;
  readonly event_id: string;
  readonly status: string;
  readonly sequence: number;
  readonly timestamp: number;
  readonly body: string;
  readonly current: { readonly secret: string; readonly standard_secret: string };
  readonly previous: object | null;
  readonly headers: Record<string, string>;
};

const file = join(import.meta.dirname, "../../../docs/webhook-vectors.json");
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: readonly Vector[] };
const alone = vectors.filter(({ previous }) => previous === null);

const optionsOf = ({ current, event_id: id, sequence, timestamp, status }: Vector) => ({
  secret: current.secret,
  standardSecret: current.standard_secret,
  id,
  sequence,
  timestamp: new Date(timestamp * 1_000 + 999),
  status,
});

describe("known answers", () => {
  test.each(alone)("$name, from its text", (each) => {
    const { body, headers } = signWebhook(each.body, optionsOf(each));
    expect(body).toBe(each.body);
    expect(headers).toEqual({ "content-type": "application/json", ...each.headers });
  });

  test.each(alone)("$name, from the result of verifyWebhook", (each) => {
    const { secret, standardSecret, timestamp: now } = optionsOf(each);
    const event = verifyWebhook(each.body, each.headers, { secret, standardSecret, now });
    const { body } = signWebhook(event, { secret });
    expect(parseExactJson(body)).toEqual(parseExactJson(each.body));
    // A payout's body is the same text; other systems may format theirs differently.
    if (event.transaction_type === "payout_session") expect(body).toBe(each.body);
  });
});

const secret = "a secret of the test";
const standardSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const refund: RefundWebhook = {
  transaction_type: "refund",
  transaction_id: "rf_1",
  data: { id: "rf_1", status: "initiated", amount: "1.10" },
};

test("is accepted by verifyWebhook, and its HMAC by the standard library", () => {
  const { body, headers } = signWebhook(refund, { secret, standardSecret });
  const { timestamp, ...event } = verifyWebhook(body, headers, { secret, standardSecret });
  expect(event).toEqual({ ...refund, id: "evt_1_1", sequence: 1 });
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(5_000);
  expect(new Webhook(standardSecret).verify(body, { ...headers })).toMatchObject(refund);
});

test("a repetition has the same id, the next event another", () => {
  const idOf = (options: Partial<SignWebhookOptions>) =>
    signWebhook(refund, { secret, ...options }).headers["webhook-id"];
  expect([idOf({}), idOf({}), idOf({ sequence: 2 }), idOf({ id: "mine" })]).toEqual([
    "evt_1_1",
    "evt_1_1",
    "evt_1_2",
    "mine",
  ]);
});

test("writes amounts as exact numbers, and other digits as text", () => {
  const data = { id: "po_1", status: "failed", source_amount: "1.00", reference_id: "12" };
  const event = { transaction_type: "payout_session", transaction_id: "po_1", data };
  const { body } = signWebhook(event as unknown as PayoutWebhook, { secret });
  expect(body).toContain('"source_amount":1.00,"reference_id":"12"');
  expect(signWebhook(refund, { secret }).body).toContain('"amount":"1.10"');
});

test("signs only with the given secret, in a deployment's own header", () => {
  const names = (options: SignWebhookOptions) => Object.keys(signWebhook(refund, options).headers);
  const all = ["content-type", "webhook-id", "webhook-timestamp", "webhook-sequence"];
  expect(names({ secret })).toEqual([...all, "X-SERVICE-Signature"]);
  expect(names({ standardSecret })).toEqual([...all, "webhook-signature"]);
  expect(names({ secret, signatureHeader: "X-Acme" })).toEqual([...all, "X-Acme"]);
});

test.each<[string, unknown, SignWebhookOptions]>([
  ["no secret", refund, {}],
  ["an empty secret", refund, { secret: "" }],
  ["a key that is too short", refund, { standardSecret: "whsec_AAAA" }],
  ["no event", null, { secret }],
  ["an event without data", { transaction_type: "refund", transaction_id: "rf_1" }, { secret }],
  ["a text that is no event", "{}", { secret }],
  ["an unknown option", refund, { secret, standard_secret: "whsec_" } as SignWebhookOptions],
  ["a sequence of zero", refund, { secret, sequence: 0 }],
  ["a sequence that is no whole number", refund, { secret, sequence: 1.5 }],
])("throws a TypeError: %s", (_, event, options) => {
  expect(() => signWebhook(event as WebhookEvent, options)).toThrow(TypeError);
});
