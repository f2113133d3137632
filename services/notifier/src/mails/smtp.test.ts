import { TimeoutError } from "@disburse/chassis/timeout.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMailSender, outcomeOf, readSmtpUrl } from "./smtp.ts";
import { startTestMailServer } from "./test-mail-server.ts";

it.each([
  ["smtp://mail.example.com", { host: "mail.example.com", port: 587, secure: false }],
  ["smtps://mail.example.com/", { host: "mail.example.com", port: 465, secure: true }],
  ["smtp://127.0.0.1:1025", { host: "127.0.0.1", port: 1025, secure: false }],
  [
    "smtps://user%40example.com:p%3Ass@mail.example.com:2465",
    {
      host: "mail.example.com",
      port: 2465,
      secure: true,
      auth: { user: "user@example.com", pass: "p:ss" },
    },
  ],
])("reads %s", (text, server) => {
  expect(readSmtpUrl(text)).toEqual(server);
});

it.each([
  "mail.example.com",
  "http://mail.example.com",
  "smtp://",
  "smtp://mail.example.com/path",
  "smtp://mail.example.com?ignoreTLS=true",
  "smtp://mail.example.com#x",
])("refuses %s without showing it", (text) => {
  expect(() => readSmtpUrl(text)).toThrow(/^must be smtp:\/\/user:password@host:port/);
});

const rejected = (code: string, command: string, responseCode?: number, text = "no") =>
  Object.assign(new Error("no mailbox <ada@acme.example>"), {
    code,
    command,
    responseCode,
    ...(responseCode !== undefined && { response: `${responseCode} ${text}` }),
  });

it.each([
  [550, "5.1.1 unknown", "address"],
  [550, "5.1.10 null MX", "address"],
  [550, "5.2.1 disabled", "address"],
  [551, "not local", "address"],
  [553, "no such mailbox", "address"],
  [550, "5.1.8 bad sender", "failed"],
  [552, "5.2.2 full", "failed"],
  [550, "5.4.1 relay access denied", "failed"],
  [550, "5.7.1 blocked by policy", "failed"],
  [554, "5.7.1 blocked by policy", "failed"],
  [554, "rejected", "failed"],
  [530, "5.7.0 authenticate first", "failed"],
  [530, "authenticate first", "failed"],
])("takes %s %s of the recipient as %s", (status, text, meaning) => {
  const code = String(status);
  expect(outcomeOf(rejected("EENVELOPE", "RCPT TO", status, text))).toEqual(
    meaning === "failed" ? { kind: "failed", code } : { kind: "refused", isAddress: true, code },
  );
});

it.each([
  [550, "5.1.1 unknown", { kind: "refused", isAddress: true, code: "550" }],
  [550, "spam", { kind: "refused", isAddress: false, code: "550" }],
  [554, "5.6.0 malformed", { kind: "refused", isAddress: false, code: "554" }],
  [550, "5.7.26 unauthenticated sender", { kind: "failed", code: "550" }],
  [530, "authenticate first", { kind: "failed", code: "530" }],
])("takes %s %s of the content as %o", (status, text, outcome) => {
  expect(outcomeOf(rejected("EMESSAGE", "DATA", status, text))).toEqual(outcome);
});

it.each([
  [rejected("EENVELOPE", "RCPT TO", 550), { kind: "refused", isAddress: true, code: "550" }],
  [rejected("EENVELOPE", "RCPT TO", 450), { kind: "failed", code: "450" }],
  [rejected("EMESSAGE", "DATA", 554), { kind: "refused", isAddress: false, code: "554" }],
  [rejected("EMESSAGE", "DATA", 451), { kind: "failed", code: "451" }],
  [rejected("EENVELOPE", "MAIL FROM", 550), { kind: "failed", code: "550" }],
  [rejected("EAUTH", "AUTH PLAIN", 535), { kind: "failed", code: "535" }],
  [rejected("EENVELOPE", "API"), { kind: "refused", isAddress: true, code: "EENVELOPE" }],
  [rejected("ETLS", "STARTTLS"), { kind: "failed", code: "ETLS" }],
  [rejected("ECONNECTION", "CONN"), { kind: "failed", code: "ECONNECTION" }],
  [new TimeoutError("late"), { kind: "failed", code: "ETIMEDOUT" }],
  [new Error("other"), { kind: "failed", code: "UNKNOWN" }],
])("reads %s without its text", (error, outcome) => {
  expect(outcomeOf(error)).toEqual(outcome);
});

let server: Awaited<ReturnType<typeof startTestMailServer>>;
beforeAll(async () => {
  server = await startTestMailServer();
});
afterAll(() => server.close());

const mail = { id: "m1", to: "ada@acme.example", subject: "s", text: "t", html: "<p>t</p>" };

it("sends an e-mail with both parts, once for its id", async () => {
  const { port } = server;
  const send = createMailSender({
    server: { host: "127.0.0.1", port, secure: false },
    from: "Payouts <payouts@disburse.example>",
    mode: "live",
  });
  expect(await send(mail)).toEqual({ kind: "sent" });
  expect(server.received).toMatchObject([{ to: mail.to }]);
  for (const text of [
    "From: Payouts <payouts@disburse.example>",
    "Message-ID: <m1@disburse.example>",
    "Auto-Submitted: auto-generated",
    "Content-Type: text/plain",
    "Content-Type: text/html",
  ]) {
    expect(server.received[0]?.raw).toContain(text);
  }
});

it("sends to one address, however it is written", async () => {
  const { port } = server;
  const local = { host: "127.0.0.1", port, secure: false };
  const send = createMailSender({ server: local, from: "p@disburse.example", mode: "sandbox" });
  const before = server.received.length;
  await send({ ...mail, to: "ada@acme.example,eve@evil.example" });
  await send({ ...mail, to: "ada@acme.example <eve@evil.example>" });
  expect(server.received.slice(before).map(({ to }) => to)).not.toContain("eve@evil.example");
});

it("sends nothing in live mode to a server elsewhere that has no TLS", async () => {
  const { port, received } = server;
  const before = received.length;
  // This address reaches this machine too, but isn't one of its loopback names.
  const elsewhere = { host: "0.0.0.0", port, secure: false };
  const to = (mode: "sandbox" | "live") =>
    createMailSender({ server: elsewhere, from: "payouts@disburse.example", mode })(mail);
  expect(await to("live")).toEqual({ kind: "failed", code: "500" });
  expect(received).toHaveLength(before);
  expect(await to("sandbox")).toEqual({ kind: "sent" });
  expect(received).toHaveLength(before + 1);
});

it("reports a server that is not there", async () => {
  const send = createMailSender({
    server: { host: "127.0.0.1", port: 1, secure: false },
    from: "payouts@disburse.example",
    mode: "sandbox",
  });
  expect(await send(mail)).toMatchObject({ kind: "failed" });
});
