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

const required = Object.keys(environment).filter((name) => !name.startsWith("OIDC_"));
it.each(required)("does not start without %s", (name) => {
  expect(() => readConfig({ ...environment, [name]: undefined })).toThrow(name);
});
