import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { silentLog } from "@disburse/chassis/log.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "./rules/outcome.ts";
import { createSender, type Sender } from "./sender.ts";
import { type BadPath, type BadReceiver, badPaths, startBadReceiver } from "./test-bad-receiver.ts";
import { testCertificates, testKey } from "./test-certificates.ts";

/** The maximum size of a webhook, which exceeds the buffers of an unread connection. */
const body = new Uint8Array(60 * 1_024).fill(0x20);

let receiver: BadReceiver;
let sender: Sender;
/** A sender with a short timeout, for receivers that never finish. */
let hasty: Sender;
/** A longer timeout, so that the head of a response arrives even on a busy machine. */
let lessHasty: Sender;

beforeAll(async () => {
  receiver = await startBadReceiver();
  sender = createSender({ policy: "sandbox", log: silentLog });
  hasty = createSender({ policy: "sandbox", log: silentLog, timeoutMs: 50 });
  lessHasty = createSender({ policy: "sandbox", log: silentLog, timeoutMs: 1_000 });
  return async () => {
    await Promise.all([sender, hasty, lessHasty].map((each) => each.close()));
    await receiver.close();
  };
});

const post = (by: Sender, path: string): Promise<Outcome> =>
  by.post({ url: receiver.url + path, headers: {}, body });
const timersNow = (): number =>
  process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
/** A short interval, because most of this takes less than a millisecond. */
const soon = { interval: 2 };
const outcomeText = (outcome: Outcome): string =>
  outcome.kind === "answered" ? String(outcome.statusCode) : outcome.error;

/** An attempt's outcome, and its effect on the connection. */
const expected: Readonly<Record<BadPath, readonly [string, "kept" | "closed"]>> = {
  "/200": ["200", "kept"],
  "/201": ["201", "kept"],
  "/204": ["204", "kept"],
  "/301": ["301", "kept"],
  "/307": ["307", "kept"],
  "/410": ["410", "kept"],
  "/429": ["429", "kept"],
  "/500": ["500", "kept"],
  "/silent": ["timeout", "closed"],
  "/reset": ["connection_reset", "closed"],
  "/reset-in-head": ["connection_reset", "closed"],
  "/reset-in-body": ["200", "closed"],
  "/drip-head": ["timeout", "closed"],
  "/drip-body": ["200", "closed"],
  "/endless": ["200", "closed"],
  "/endless-500": ["500", "closed"],
  "/early-hints": ["timeout", "closed"],
  "/continue": ["200", "kept"],
  "/continue-at-head": ["200", "kept"],
  "/continue-refused": ["500", "kept"],
  "/continue-with-headers": ["200", "kept"],
  "/continue-by-the-byte": ["200", "kept"],
  "/many-interim": ["200", "kept"],
  "/continue-and-reset": ["connection_reset", "closed"],
  "/switches": ["invalid_answer", "closed"],
  "/switches-to-nothing": ["101", "closed"],
  "/answers-twice": ["500", "closed"],
  "/bomb": ["200", "kept"],
  "/closes-early": ["200", "closed"],
  "/answers-early": ["200", "closed"],
  "/refuses-early": ["500", "closed"],
  "/000": ["invalid_answer", "closed"],
  "/099": ["invalid_answer", "closed"],
  "/600": ["600", "closed"],
  "/2000": ["invalid_answer", "closed"],
  "/no-http": ["invalid_answer", "closed"],
  "/two-lengths": ["invalid_answer", "closed"],
  "/long-head": ["invalid_answer", "closed"],
  "/many-headers": ["invalid_answer", "closed"],
};
function senderTo(path: BadPath): Sender {
  if (path === "/drip-body") return lessHasty;
  return expected[path][0] === "timeout" ? hasty : sender;
}

describe("an attempt at a receiver that", () => {
  it.each(badPaths)("does %s ends, and leaves no timer", async (path) => {
    const timers = timersNow();
    const outcome = await post(senderTo(path), path);
    const [text, connection] = expected[path];
    expect(outcomeText(outcome)).toBe(text);
    if (outcome.kind === "answered") expect(outcome.body.length).toBeLessThanOrEqual(1_024);
    if (connection === "closed") await expect.poll(receiver.open, soon).not.toContain(path);
    await expect.poll(timersNow, soon).toBeLessThanOrEqual(timers);
  });
});

it("continues over new connections when the old ones close early", async () => {
  const outcomes: string[] = [];
  for (let at = 0; at < 20; at += 1) {
    outcomes.push(outcomeText(await post(sender, "/closes-early")));
    await expect.poll(receiver.open, soon).not.toContain("/closes-early");
  }
  expect(outcomes).toEqual(Array.from({ length: 20 }, () => "200"));
});

it("reports a receiver without TLS as failed TLS", async () => {
  const url = receiver.url.replace("http:", "https:");
  expect(outcomeText(await sender.post({ url, headers: {}, body }))).toBe("tls_failed");
});

describe("a receiver over TLS", () => {
  const { trusted, expired, elsewhere } = testCertificates;

  beforeAll(() => {
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, trusted, expired, elsewhere]);
    return () => setDefaultCACertificates(before);
  });

  it.each([
    ["a certificate that is good", "trusted", "200"],
    ["a certificate that it signed itself", "selfSigned", "tls_failed"],
    ["an expired certificate", "expired", "tls_failed"],
    ["a certificate of another host", "elsewhere", "tls_failed"],
  ] as const)("with %s", async (_, name, expectedText) => {
    let heard = "";
    const server = createServer({ key: testKey, cert: testCertificates[name] }, (socket) => {
      socket.once("data", (chunk) => {
        heard += chunk;
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      });
      // Senders hang up on receivers like these.
      socket.on("error", () => socket.destroy());
    });
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    const small = new Uint8Array([0x7b, 0x7d]);
    const outcome = await sender.post({ url, headers: {}, body: small });
    server.close();
    expect(outcomeText(outcome)).toBe(expectedText);
    // No part of a webhook reaches another server.
    expect(heard.startsWith("POST / ")).toBe(expectedText === "200");
    expect(heard === "").toBe(expectedText !== "200");
  });
});
