import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { publishersOf } from "../bus/event-type.ts";
import {
  generateServiceKey,
  readServiceKey,
  readTrustedKeys,
  type TrustedKeys,
  trustedKeysText,
} from "../identity/keys.ts";
import { createEventVerifier, type SignedParts, signatureHeaders } from "./signature.ts";

const made = {
  payout: generateServiceKey("payout"),
  quote: generateServiceKey("quote"),
  next: generateServiceKey("payout"),
};
let trusted: TrustedKeys;
const trust = (...keys: (keyof typeof made)[]) => {
  trusted = readTrustedKeys(trustedKeysText(keys.map((key) => made[key].publicJwk)));
};
const signer = (key: keyof typeof made) => {
  const serviceKey = readServiceKey(made[key].privateText);
  return { serviceKey: () => serviceKey, trustedKeys: () => trusted };
};

const now = new Date("2026-11-23T12:00:00Z");
beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  trust("payout", "quote");
});
afterEach(() => void vi.useRealTimers());

const mayPublish = publishersOf([{ keys: ["payout.*"], publishers: ["payout"] }]);
const event: SignedParts = {
  ...{ id: "evt_1", key: "payout.succeeded", body: Buffer.from("a payout") },
  headers: { "x-request-id": "r-1" },
};

async function signed(by: keyof typeof made = "payout", namespace = "test"): Promise<SignedParts> {
  const [headers] = await signatureHeaders(signer(by), namespace, [event]);
  return { ...event, headers: { ...event.headers, ...headers } };
}
const verified = (message: SignedParts) =>
  createEventVerifier({ trustedKeys: () => trusted }, "test")(message, mayPublish);

it("returns the publisher of an unchanged message", async () => {
  expect(await verified(await signed())).toEqual({ publisher: "payout" });
});

const header = (name: string, value: unknown) => (message: SignedParts) => ({
  ...message,
  headers: { ...message.headers, [name]: value },
});

describe("a message is rejected", () => {
  it.each<[string, string, (message: SignedParts) => SignedParts]>([
    ["without a signature", "unsigned", (message) => ({ ...message, headers: {} })],
    ["with half of one", "unsigned", header("x-disburse-signature", 1)],
    ["of an unknown key", "unknown_key", header("x-disburse-key", "payout.00000000")],
    ["with another body", "forged", (message) => ({ ...message, body: Buffer.from("b payout") })],
    ["under another key", "forged", (message) => ({ ...message, key: "payout.failed" })],
    ["with another id", "forged", (message) => ({ ...message, id: "evt_2" })],
    ["at another time", "forged", header("x-disburse-time", String(now.getTime() - 1))],
    ["without a time", "forged", header("x-disburse-time", now.getTime())],
    ["of another request", "forged", header("x-request-id", "r-2")],
    ["with a trace of its own", "forged", header("traceparent", "00-a-b-01")],
    ["with a path that is none", "forged", header("x-disburse-path", "c2hvcnQ")],
    ["with a path to elsewhere", "forged", header("x-disburse-path", "A".repeat(44))],
    ["with a short signature", "forged", header("x-disburse-signature", "c2hvcnQ")],
    ["with no signature at all", "forged", header("x-disburse-signature", "")],
    [
      "whose parts are moved across their borders",
      "forged",
      (message) => ({
        ...message,
        id: "evt_",
        body: Buffer.concat([Buffer.from("1"), event.body]),
      }),
    ],
  ])("%s", async (_what, reason, change) => {
    expect(await verified(change(await signed()))).toEqual({ rejected: reason });
  });

  it("signed by a service that may not publish it", async () => {
    expect(await verified(await signed("quote"))).toEqual({ rejected: "not_permitted" });
  });

  it("in the name of another service's key", async () => {
    const forged = header("x-disburse-key", made.payout.publicJwk.kid)(await signed("quote"));
    expect(await verified(forged)).toEqual({ rejected: "forged" });
  });

  it("of another deployment on the same broker", async () => {
    expect(await verified(await signed("payout", "other"))).toEqual({ rejected: "forged" });
  });

  it("from more than two minutes ahead", async () => {
    vi.setSystemTime(now.getTime() + 120_001);
    const message = await signed();
    vi.setSystemTime(now);
    expect(await verified(message)).toEqual({ rejected: "future" });
    vi.setSystemTime(now.getTime() + 1);
    expect(await verified(message)).toEqual({ publisher: "payout" });
  });
});

describe("a batch has one signature", () => {
  const events = ["1", "2", "3", "4", "5"].map((each): SignedParts => {
    return { ...event, id: `evt_${each}`, body: Buffer.from(`payout ${each}`) };
  });
  const batch = async (by: keyof typeof made = "payout") => {
    const signatures = await signatureHeaders(signer(by), "test", events);
    return events.map((each, at) => ({ ...each, headers: { ...each.headers, ...signatures[at] } }));
  };
  const signatureOf = ({ headers }: SignedParts) => headers["x-disburse-signature"];

  it("that verifies each message, alone and with the others", async () => {
    const messages = await batch();
    expect(new Set(messages.map(signatureOf)).size).toBe(1);
    const verify = createEventVerifier({ trustedKeys: () => trusted }, "test");
    for (const message of messages) {
      expect(await verified(message)).toEqual({ publisher: "payout" });
      expect(await verify(message, mayPublish)).toEqual({ publisher: "payout" });
    }
  });

  it("that rejects a message with another's path, or of another batch", async () => {
    const verify = createEventVerifier({ trustedKeys: () => trusted }, "test");
    const [messages, [other]] = [await batch(), await batch("next")];
    for (const { headers } of messages.slice(1)) {
      expect(await verify({ ...messages[0], headers } as SignedParts, mayPublish)).toEqual({
        rejected: "forged",
      });
    }
    expect(await verify(messages[0] as SignedParts, mayPublish)).toEqual({ publisher: "payout" });
    const mixed = { ...messages[0]?.headers, "x-disburse-signature": other && signatureOf(other) };
    expect(await verify({ ...event, ...messages[0], headers: mixed }, mayPublish)).toEqual({
      rejected: "forged",
    });
  });

  it("that is not remembered for another key of the same name", async () => {
    const verify = createEventVerifier({ trustedKeys: () => trusted }, "test");
    const [message] = (await batch()) as [SignedParts];
    expect(await verify(message, mayPublish)).toEqual({ publisher: "payout" });
    const [quote] = readTrustedKeys(trustedKeysText([made.next.publicJwk])).values();
    trusted = new Map([[made.payout.publicJwk.kid, quote as NonNullable<typeof quote>]]);
    expect(await verify(message, mayPublish)).toEqual({ rejected: "forged" });
  });
});

it("is believed however long it has waited: consumers know repeats by their ids", async () => {
  const message = await signed();
  vi.setSystemTime(now.getTime() + 90 * 86_400_000);
  expect(await verified(message)).toEqual({ publisher: "payout" });
});

it("uses the current keys while a key is rotated", async () => {
  const [before, after] = [await signed(), await signed("next")];
  expect(await verified(after)).toEqual({ rejected: "unknown_key" });
  trust("payout", "next");
  expect(await verified(before)).toEqual({ publisher: "payout" });
  expect(await verified(after)).toEqual({ publisher: "payout" });
  trust("next");
  expect(await verified(before)).toEqual({ rejected: "unknown_key" });
});
