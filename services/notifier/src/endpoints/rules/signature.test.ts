import { readFileSync } from "node:fs";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { secretsFrom, signatureHeaders } from "./signature.ts";

type Pair = { secret: string; standard_secret: string };
type Vector = {
  name: string;
  event_id: string;
  transaction_id: string;
  status: string;
  sequence: number;
  timestamp: number;
  body: string;
  current: Pair;
  previous: Pair | null;
  headers: Record<string, string>;
};

const file = new URL("../../../../../docs/webhook-vectors.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[] };

const pair = (from: Pair) => ({ secret: from.secret, standardSecret: from.standard_secret });

function headersOf(vector: Vector): Record<string, string> {
  return signatureHeaders(
    {
      eventId: vector.event_id,
      transactionId: vector.transaction_id,
      status: vector.status,
      sequence: vector.sequence,
      body: new TextEncoder().encode(vector.body),
    },
    {
      current: pair(vector.current),
      ...(vector.previous === null ? {} : { previous: pair(vector.previous) }),
    },
    "X-SERVICE-Signature",
    new Date(vector.timestamp * 1_000 + 999),
  );
}

describe("signature", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    return () => vi.useRealTimers();
  });

  it("is published for every kind of event, and for rotations", () => {
    const kinds = vectors.map(({ body }) => JSON.parse(body).transaction_type);
    expect(new Set(kinds)).toEqual(
      new Set(["payout_session", "payment_session", "refund", "webhook_test", "webhook_challenge"]),
    );
    const rotations = vectors.filter(({ previous }) => previous !== null);
    expect(rotations).toHaveLength(2);
    for (const { headers } of rotations) {
      expect(headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/);
      expect(headers).toHaveProperty("X-SERVICE-Signature-Previous");
    }
  });

  it.each(vectors)("of $name is as published", (vector) => {
    expect(headersOf(vector)).toEqual(vector.headers);
  });

  it.each(vectors)("of $name verifies with the standard library, altered does not", (vector) => {
    vi.setSystemTime(vector.timestamp * 1_000);
    const headers = headersOf(vector);
    for (const secrets of [vector.current, vector.previous]) {
      if (secrets === null) continue;
      const webhook = new Webhook(secrets.standard_secret);
      expect(webhook.verify(vector.body, headers)).toEqual(JSON.parse(vector.body));
      const altered = vector.body.replace("initiated", "succeeded");
      const other = altered === vector.body ? `${vector.body} ` : altered;
      expect(() => webhook.verify(other, headers)).toThrow(WebhookVerificationError);
    }
    const otherReceiver = new Webhook(
      secretsFrom(new Uint8Array(32), new Uint8Array(32)).standardSecret,
    );
    expect(() => otherReceiver.verify(vector.body, headers)).toThrow(WebhookVerificationError);
  });

  it("shows 32 bytes as base64, the standard ones behind whsec_", () => {
    const secrets = secretsFrom(new Uint8Array(32).fill(1), new Uint8Array(32).fill(2));
    expect(Buffer.from(secrets.secret, "base64")).toHaveLength(32);
    expect(secrets.standardSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secrets.standardSecret.slice(6), "base64")).toEqual(Buffer.alloc(32, 2));
  });
});
