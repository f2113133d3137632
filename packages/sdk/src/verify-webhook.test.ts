import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./verify-webhook.ts";

type Secrets = { readonly secret: string; readonly standard_secret: string };
type Vector = {
  readonly name: string;
  readonly event_id: string;
  readonly sequence: number;
  readonly body: string;
  readonly timestamp: number;
  readonly current: Secrets;
  readonly previous: Secrets | null;
  readonly headers: Record<string, string>;
};

const { vectors } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/webhook-vectors.json"), "utf8"),
) as { vectors: readonly Vector[] };
const vector = (part: string) => vectors.find(({ name }) => name.includes(part)) as Vector;
const succeeded = vector("succeeded");
const rotated = vector("during a rotation's overlap");
const withoutStatus = vector("neither id nor status");

const both = ({ secret, standard_secret: standardSecret }: Secrets) => ({ secret, standardSecret });
const at = ({ timestamp }: Vector, seconds = 0) => ({
  now: new Date((timestamp + seconds) * 1_000),
});

/** An event's headers without signatures. */
const placed = {
  "webhook-id": "evt_1",
  "webhook-timestamp": String(succeeded.timestamp),
  "webhook-sequence": "1",
};

function refusalOf(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  options: VerifyWebhookOptions,
): string {
  try {
    verifyWebhook(body, headers, options);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
  return "none";
}

describe("known answers", () => {
  test.each(vectors)("$name", (each) => {
    const { body, headers, current, previous } = each;
    for (const secrets of previous === null ? [current] : [current, previous]) {
      const { secret, standardSecret } = both(secrets);
      const alone = each === withoutStatus ? [] : [{ secret }];
      for (const given of [...alone, { standardSecret }, { secret, standardSecret }]) {
        const event = verifyWebhook(body, headers, { ...given, ...at(each) });
        expect(event.transaction_id).toBe(JSON.parse(body).transaction_id);
        const { event_id: id, sequence, timestamp } = each;
        const sent = new Date(timestamp * 1_000).toISOString();
        expect(event).toMatchObject({ id, sequence, timestamp: sent });
      }
    }
  });

  test("amounts are exact", () => {
    const options = { ...both(succeeded.current), ...at(succeeded) };
    const event = verifyWebhook(succeeded.body, succeeded.headers, options);
    if (event.transaction_type !== "payout_session") throw new Error("is a payout");
    expect(event.data.receiving_amount).toBe("1000.00");
    expect(event.data.exchange_rate).toBe("83.1234567891");
  });

  test("a refund without data.id belongs to its transaction", () => {
    const { secret } = succeeded.current;
    const refund = { transaction_type: "refund", transaction_id: "rf_9" };
    const signed = createHash("sha256").update(`rf_9,initiated:${secret}`).digest("base64");
    const body = JSON.stringify({ ...refund, data: { status: "initiated" } });
    const event = verifyWebhook(body, { ...placed, "X-SERVICE-Signature": signed }, { secret });
    expect(event.data.status).toBe("initiated");
  });

  test("a refund without a status needs the standard secret", () => {
    const { body, headers, current } = withoutStatus;
    const { secret, standardSecret } = both(current);
    expect(() => verifyWebhook(body, headers, { secret })).toThrow(
      "a refund without a status can be verified only with standardSecret",
    );
    expect(refusalOf(body, headers, { secret })).toBe("STANDARD_SECRET_NEEDED");
    const given = { secret, standardSecret, ...at(withoutStatus) };
    expect(refusalOf(body.replace("1.10", "9.10"), headers, given)).toBe("SIGNATURE_MISMATCH");
    const { "X-SERVICE-Signature": _, ...unsigned } = headers;
    expect(refusalOf(body, unsigned, given)).toBe("HEADER_MISSING");
  });

  test("the shortest safe key is accepted", () => {
    const standardSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const { now } = at(succeeded);
    const signature = new Webhook(standardSecret).sign("evt_1", now, succeeded.body);
    const signed = { ...placed, "webhook-signature": signature };
    expect(verifyWebhook(succeeded.body, signed, { standardSecret, now })).toBeDefined();
  });

  test("signatures of the standard library are accepted", () => {
    const { body, current, headers } = succeeded;
    const now = new Date();
    const signature = new Webhook(current.standard_secret).sign("evt_1", now, body);
    const signed = {
      ...headers,
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
      "webhook-signature": signature,
    };
    expect(verifyWebhook(body, signed, both(current)).transaction_id).toMatch(/^po_/);
  });
});

describe("bodies and headers of servers", () => {
  const { body, headers } = rotated;
  const options = { ...both(rotated.current), ...at(rotated) };
  const cased = (change: (name: string) => string) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));

  test.each<[string, WebhookHeaders]>([
    ["Headers", new Headers(headers)],
    ["lower case", cased((name) => name.toLowerCase())],
    ["upper case", cased((name) => name.toUpperCase())],
    ["arrays", Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    [
      "one value of two in an array",
      {
        ...headers,
        "webhook-signature": headers["webhook-signature"]?.split(" "),
      },
    ],
    ["headers without a value among them", { ...headers, "x-none": undefined }],
  ])("%s", (_, given) => {
    expect(verifyWebhook(body, given, options).data.status).toBe("failed");
  });

  test("bytes", () => {
    const { body: text, headers: its, current } = vector("beyond ASCII");
    const event = verifyWebhook(Buffer.from(text), its, {
      ...both(current),
      ...at(vector("beyond ASCII")),
    });
    expect(event.data).toMatchObject({ reference_id: "héllo ₹", amount: "1.10" });
  });

  test("a deployment's own header name", () => {
    const { "X-SERVICE-Signature": signature, ...rest } = headers;
    const named = { ...rest, "x-acme-signature": signature };
    const its = { ...options, signatureHeader: "X-Acme-Signature" };
    expect(verifyWebhook(body, named, its).data.status).toBe("failed");
    expect(refusalOf(body, named, options)).toBe("SIGNATURE_MISMATCH");
    expect(refusalOf(vector("refund").body, named, its)).toBe("SIGNATURE_MISMATCH");
  });
});

describe("rejects", () => {
  const { body, headers, current } = succeeded;
  const { secret, standardSecret } = both(current);
  const options = { secret, standardSecret, ...at(succeeded) };
  const other = both(vector("refund").current);
  const changed = body.replace("12.41", "99.41");
  const moved = body.replace('"transaction_id":"po_01', '"transaction_id":"po_99');
  const wrongMac = `v1,${Buffer.alloc(32).toString("base64")}`;

  test.each<[string, string, WebhookHeaders, VerifyWebhookOptions, string]>([
    ["changed amounts by the standard scheme", changed, headers, options, "SIGNATURE_MISMATCH"],
    [
      "changed amounts by the standard scheme alone",
      changed,
      headers,
      { standardSecret, ...at(succeeded) },
      "SIGNATURE_MISMATCH",
    ],
    [
      "another status by the first scheme",
      body.replace("succeeded", "failed"),
      headers,
      { secret },
      "SIGNATURE_MISMATCH",
    ],
    ["another record around what is signed", moved, headers, { secret }, "BODY_MALFORMED"],
    [
      "a wrong first secret, the other right",
      body,
      headers,
      { ...options, secret: other.secret },
      "SIGNATURE_MISMATCH",
    ],
    [
      "a wrong standard secret, the other right",
      body,
      headers,
      { ...options, standardSecret: other.standardSecret },
      "SIGNATURE_MISMATCH",
    ],
    [
      "a signature of another length",
      body,
      { ...headers, "X-SERVICE-Signature": "AAAA" },
      options,
      "SIGNATURE_MISMATCH",
    ],
    [
      "an empty signature",
      body,
      { ...headers, "X-SERVICE-Signature": "" },
      options,
      "SIGNATURE_MISMATCH",
    ],
    [
      "a standard signature of another length",
      body,
      { ...headers, "webhook-signature": "v1,AAAA" },
      options,
      "SIGNATURE_MISMATCH",
    ],
    [
      "a standard signature of another key",
      body,
      { ...headers, "webhook-signature": wrongMac },
      options,
      "SIGNATURE_MISMATCH",
    ],
    [
      "a standard signature of another version",
      body,
      { ...headers, "webhook-signature": headers["webhook-signature"]?.replace("v1", "v2") },
      options,
      "SIGNATURE_MISMATCH",
    ],
    [
      "another webhook-id",
      body,
      { ...headers, "webhook-id": "evt_2" },
      options,
      "SIGNATURE_MISMATCH",
    ],
    [
      "a time that is none",
      body,
      { ...headers, "webhook-timestamp": "soon" },
      options,
      "HEADER_MALFORMED",
    ],
    [
      "a time in two values",
      body,
      { ...headers, "webhook-timestamp": ["1", "2"] },
      options,
      "HEADER_MALFORMED",
    ],
    ["a body that is no JSON", "{", headers, { secret }, "BODY_MALFORMED"],
    ["a body that is no event", '{"a":1}', headers, { secret }, "BODY_MALFORMED"],
    ["a body that is a list", "[]", headers, { secret }, "BODY_MALFORMED"],
    [
      "a body that says its status twice",
      body.replace('"status":"succeeded"', '"status":"succeeded","status":"failed"'),
      headers,
      { secret },
      "BODY_MALFORMED",
    ],
    [
      "a body nested beyond any stack",
      '{"a":'.repeat(200_000),
      headers,
      { secret },
      "BODY_MALFORMED",
    ],
    ["an empty body", "", headers, options, "SIGNATURE_MISMATCH"],
  ])("%s", (_, text, its, given, code) => {
    expect(refusalOf(text, its, given)).toBe(code);
  });

  const signedData = { id: "po_1", status: "undefined" };
  test.each<[string, object]>([
    ["no transaction_type", { transaction_type: null, data: signedData }],
    ["no transaction_id", { transaction_id: null, data: signedData }],
    ["no data", { data: null }],
    ["data that is a list", { data: [] }],
    ["data that is text", { data: "succeeded" }],
    ["no status", { data: { id: "po_1" } }],
  ])("a body signed by either secret with %s", (what, change) => {
    const event = { transaction_type: "payout_session", transaction_id: "po_1", ...change };
    const signature = createHash("sha256").update(`po_1,undefined:${secret}`).digest("base64");
    const text = JSON.stringify(event);
    const { now } = at(succeeded);
    const signed = {
      ...placed,
      "X-SERVICE-Signature": signature,
      "webhook-signature": new Webhook(standardSecret).sign("evt_1", now, text),
    };
    expect(refusalOf(text, signed, { secret })).toBe("BODY_MALFORMED");
    // The second scheme needs no status; a refund's system may omit it.
    const code = what === "no status" ? "none" : "BODY_MALFORMED";
    expect(refusalOf(text, signed, { standardSecret, now })).toBe(code);
  });

  test.each([
    ...["X-SERVICE-Signature", "webhook-signature"],
    ...["webhook-id", "webhook-timestamp", "webhook-sequence"],
  ])("a webhook without %s", (name) => {
    const { [name]: _, ...rest } = headers;
    expect(refusalOf(body, rest, options)).toBe("HEADER_MISSING");
    expect(refusalOf(body, new Headers(rest), options)).toBe("HEADER_MISSING");
    expect(refusalOf(body, { ...rest, [name]: undefined }, options)).toBe("HEADER_MISSING");
    const isOfTheOther = name === "webhook-signature";
    expect(refusalOf(body, rest, { secret })).toBe(isOfTheOther ? "none" : "HEADER_MISSING");
  });

  test.each(["", "0", "-1", "1.5", "02", "two", "9007199254740992"])(
    "a sequence that is no count from 1: %j",
    (sequence) => {
      const counted = { ...headers, "webhook-sequence": sequence };
      expect(refusalOf(body, counted, options)).toBe("HEADER_MALFORMED");
    },
  );

  test("a payout's sequence that differs from its signed id", () => {
    const moved = { ...headers, "webhook-sequence": "3" };
    expect(refusalOf(body, moved, options)).toBe("HEADER_MALFORMED");
    // Ids of other systems don't contain the sequence.
    const { body: refund, headers: its, current: secrets } = vector("refund");
    const counted = { ...its, "webhook-sequence": "7" };
    const given = { ...both(secrets), ...at(vector("refund")) };
    expect(verifyWebhook(refund, counted, given).sequence).toBe(7);
  });

  test("invalid UTF-8 anywhere", () => {
    const bytes = Buffer.from(body);
    bytes[bytes.indexOf("order-7")] = 0xff;
    expect(refusalOf(bytes, headers, { secret })).toBe("BODY_MALFORMED");
  });

  test("a body with an added byte order mark", () => {
    expect(refusalOf(`\uFEFF${body}`, headers, options)).toBe("SIGNATURE_MISMATCH");
    expect(refusalOf(`\uFEFF${body}`, headers, { secret })).toBe("BODY_MALFORMED");
  });

  test.each([
    [-300, "none"],
    [300, "none"],
    [-301, "TIMESTAMP_OUT_OF_TOLERANCE"],
    [301, "TIMESTAMP_OUT_OF_TOLERANCE"],
  ])("a time more than five minutes off: %i s", (seconds, code) => {
    expect(refusalOf(body, headers, { standardSecret, ...at(succeeded, seconds) })).toBe(code);
  });

  test("a time outside the caller's tolerance", () => {
    const strict = { standardSecret, toleranceSeconds: 5, ...at(succeeded, 6) };
    expect(refusalOf(body, headers, strict)).toBe("TIMESTAMP_OUT_OF_TOLERANCE");
    expect(refusalOf(body, headers, { ...strict, toleranceSeconds: 6 })).toBe("none");
    const none = { ...strict, toleranceSeconds: Number.NaN };
    expect(refusalOf(body, headers, none)).toBe("TIMESTAMP_OUT_OF_TOLERANCE");
  });

  test("its message contains neither secret nor expected signature", () => {
    try {
      verifyWebhook(changed, headers, options);
    } catch (error) {
      expect(String(error)).toBe(
        "WebhookVerificationError: webhook-signature does not match the secret",
      );
    }
    expect.assertions(1);
  });
});

describe("invalid arguments", () => {
  const { body, headers, current } = succeeded;
  test.each<[string, unknown, unknown]>([
    ["no secret at all", body, {}],
    ["secrets that are not set", body, { secret: undefined, standardSecret: undefined }],
    ["an empty secret", body, { ...both(current), secret: "" }],
    ["an empty standard secret", body, { ...both(current), standardSecret: "" }],
    ["a standard secret without a key", body, { standardSecret: "whsec_" }],
    ["a standard secret that is no base64", body, { standardSecret: "whsec_!!" }],
    [
      "a standard secret with other characters in its base64",
      body,
      { standardSecret: `whsec_!${"A".repeat(43)}` },
    ],
    [
      "a standard secret with other characters behind its base64",
      body,
      { standardSecret: `${both(current).standardSecret}!` },
    ],
    [
      "a standard secret that is too short to be safe",
      body,
      { standardSecret: `whsec_${Buffer.alloc(23).toString("base64")}` },
    ],
    ["a standard secret that is null", body, { standardSecret: null }],
    ["a body that was parsed already", JSON.parse(body), both(current)],
    ["an unknown option", body, { ...both(current), standard_secret: "whsec_" }],
    ...[null, false, 0, [], {}, [""]].map((secret): [string, unknown, unknown] => [
      `a secret that is ${JSON.stringify(secret)}`,
      body,
      { secret },
    ]),
  ])("throws a TypeError: %s", (_, given, options) => {
    expect(() => verifyWebhook(given as string, headers, options as VerifyWebhookOptions)).toThrow(
      TypeError,
    );
  });
});
