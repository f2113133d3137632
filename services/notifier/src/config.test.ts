import { SettingsError } from "@disburse/chassis/settings.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import { readConfig } from "./config.ts";

const environment = {
  DISBURSE_MODE: "live",
  PORT: "0",
  MONGODB_URI: "mongodb://127.0.0.1/",
  ...testTrust.settings("notifier"),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
  PAYOUT_URL: "http://payout:9000",
};

it("uses safe defaults", () => {
  expect(readConfig(environment)).toMatchObject({
    DATABASE: "disburse_notifier",
    WEBHOOK_SIGNATURE_HEADER: "X-SERVICE-Signature",
  });
});

it("sweeps no lost events in the sandbox without a payout service", () => {
  const { PAYOUT_URL: _none, ...without } = environment;
  expect(readConfig({ ...without, DISBURSE_MODE: "sandbox" }).PAYOUT_URL).toBeUndefined();
});

it.each([
  ...["transfer-encoding", "Expect", "Upgrade", "Keep-Alive", "te", "Trailer", "date"],
  ...["Connection", "proxy-connection", "host", "Content-Length", "HTTP2-Settings"],
])("signs in no header %s, which is HTTP's own", (name) => {
  const read = () => readConfig({ ...environment, WEBHOOK_SIGNATURE_HEADER: name });
  expect(read).toThrow(SettingsError);
});

it.each([
  ["WEBHOOK_SIGNATURE_HEADER", "X-Acme-Signature", true],
  ["WEBHOOK_SIGNATURE_HEADER", "bad header", false],
  ["WEBHOOK_SIGNATURE_HEADER", "webhook-signature", false],
  ["WEBHOOK_SIGNATURE_HEADER", "Content-Type", false],
  ["WEBHOOK_SIGNATURE_HEADER", "Traceparent", false],
  ["WEBHOOK_SOURCE_ADDRESS", "192.0.2.7", true],
  ["WEBHOOK_SOURCE_ADDRESS", "2001:db8::7", true],
  ["WEBHOOK_SOURCE_ADDRESS", "hooks.example.com", false],
  ["WEBHOOK_REFUSED_NETWORKS", "192.0.2.0/24,2001:db8::/32", true],
  ["WEBHOOK_REFUSED_NETWORKS", "192.0.2.0", false],
  ["PAYOUT_URL", "http://payout:9000", true],
  ["PAYOUT_URL", "payout", false],
  ["GAP_SWEEP_SECONDS", "0", false],
  ["ENCRYPTION_KEYS", "k1:short", false],
])("accepts %s %s: %s", (name, value, sound) => {
  const read = () => readConfig({ ...environment, [name]: value });
  if (sound) expect(read()).toHaveProperty(name);
  else expect(read).toThrow(SettingsError);
});

const mails = {
  SMTP_URL: "smtps://user:secret@mail.example.com",
  MAIL_FROM: "Payouts <payouts@example.com>",
  CONSOLE_URL: "https://console.example.com",
  GATEWAY_URL: "https://gateway:9000",
};

it("sends e-mails with a mail server and what it requires", () => {
  expect(readConfig(environment).mails).toBeUndefined();
  const { SMTP_URL: _none, ...others } = mails;
  expect(readConfig({ ...environment, ...others }).mails).toBeUndefined();
  expect(readConfig({ ...environment, ...mails }).mails).toMatchObject({
    server: { host: "mail.example.com", secure: true },
    from: mails.MAIL_FROM,
    consoleUrl: mails.CONSOLE_URL,
    gatewayUrl: [mails.GATEWAY_URL],
    digestMs: 600_000,
  });
});

it.each(["MAIL_FROM", "CONSOLE_URL", "GATEWAY_URL"])("sends no e-mails without %s", (name) => {
  expect(() => readConfig({ ...environment, ...mails, [name]: undefined })).toThrow(name);
});

it.each([
  ["SMTP_URL", "smtp://user:secret@mail.example.com/?tls=no"],
  ["MAIL_FROM", "Payouts"],
  ["MAIL_FROM", "a@example.com, b@example.com"],
  ["MAIL_FROM", "Payouts <a@example.com>\r\nBcc: b@example.com"],
  ["MAIL_DIGEST_SECONDS", "0"],
  ["CONSOLE_URL", "ftp://console.example.com"],
])("refuses %s %j, and shows nothing of it", (name, value) => {
  const read = () => readConfig({ ...environment, ...mails, [name]: value });
  expect(read).toThrow(name);
  expect(read).not.toThrow("secret");
});

const required = Object.keys(environment).filter((name) => !name.startsWith("OIDC_"));
it.each(required)("does not start without %s", (name) => {
  expect(() => readConfig({ ...environment, [name]: undefined })).toThrow(name);
});
