import { expect, it } from "vitest";
import { assertSafeBackends, assertSafeService } from "./backends.ts";

const good = {
  MONGODB_URI: "mongodb://payout:s3cret@db1.test,db2.test/?replicaSet=rs&tls=true",
  AMQP_URL: "amqps://payout:s3cret@broker.test:5671",
  TLS_CERT_FILE: "/run/secrets/tls/tls.crt",
};
const check = (change: object, mode: "live" | "sandbox" = "live", mesh = false) =>
  assertSafeBackends({ DISBURSE_MODE: mode, BACKEND_TLS_BY_MESH: mesh, ...good, ...change });

const plain = {
  MONGODB_URI: "mongodb://payout:s3cret@db.test",
  AMQP_URL: "amqp://payout:s3cret@broker.test",
  TLS_CERT_FILE: undefined,
};

it.each([
  ["TLS and a user", {}],
  ["a name that stands for a replica set", { MONGODB_URI: "mongodb+srv://payout:s3cret@db.test" }],
  ["the older word for TLS", { MONGODB_URI: "mongodb://payout:s3cret@db.test/?ssl=true" }],
  [
    "a certificate for a user",
    { MONGODB_URI: "mongodb://db.test/?tls=true&authMechanism=MONGODB-X509" },
  ],
  ["no broker", { AMQP_URL: undefined }],
  [
    "several addresses of the broker",
    { AMQP_URL: "amqps://payout:s3cret@mq1.test:5671,amqps://payout:s3cret@mq2.test:5671" },
  ],
])("takes addresses with %s in live mode", (_what, change) => {
  expect(() => check(change)).not.toThrow();
});

const unverified = "must verify the server's certificate in live mode";
it.each([
  ["MONGODB_URI", plain.MONGODB_URI, "must have tls=true in live mode"],
  [
    "MONGODB_URI",
    "mongodb+srv://payout:s3cret@db.test/?tls=false",
    "must have tls=true in live mode",
  ],
  ["MONGODB_URI", "mongodb://db.test/?tls=true", "must name a user in live mode"],
  ["MONGODB_URI", `${good.MONGODB_URI}&tlsInsecure=true`, unverified],
  ["MONGODB_URI", `${good.MONGODB_URI}&tlsAllowInvalidCertificates=true`, unverified],
  ["MONGODB_URI", `${good.MONGODB_URI}&tlsAllowInvalidHostnames=true`, unverified],
  ["MONGODB_URI", "mongodb://payout:s3cret@db.test/?nonsense=1", "is malformed"],
  ["AMQP_URL", plain.AMQP_URL, "must be an amqps:// address in live mode"],
  ["AMQP_URL", "amqps://broker.test", "must name this service's own user, not guest, in live mode"],
  [
    "AMQP_URL",
    "amqps://guest:guest@broker.test",
    "must name this service's own user, not guest, in live mode",
  ],
  ["AMQP_URL", "amqps://", "is malformed"],
  [
    "AMQP_URL",
    `${good.AMQP_URL},amqp://payout:s3cret@mq2.test`,
    "must be an amqps:// address in live mode",
  ],
  [
    "AMQP_URL",
    `amqps://guest:guest@mq1.test,${good.AMQP_URL}`,
    "must name this service's own user",
  ],
])("refuses %s in live mode, and shows nothing of it: %s", (name, value, problem) => {
  expect(() => check({ [name]: value })).toThrow(`settings: ${name}: ${problem}`);
  expect(() => check({ [name]: value })).not.toThrow("s3cret");
  expect(() => check({ [name]: value }, "sandbox")).not.toThrow();
});

it("names every problem", () => {
  expect(() => check(plain)).toThrow(/MONGODB_URI: .*; AMQP_URL: .*; TLS_CERT_FILE: is required/);
});

it("leaves TLS to a mesh, but still requires credentials", () => {
  expect(() => check(plain, "live", true)).not.toThrow();
  const nameless = { MONGODB_URI: "mongodb://db.test", AMQP_URL: "amqp://broker.test" };
  expect(() => check(nameless, "live", true)).toThrow(
    /must name a user .*; .*this service's own user/,
  );
});

it("calls services only over TLS or a mesh in live mode", () => {
  const call = (mode: "live" | "sandbox", hasMesh: boolean, ...urls: string[]) =>
    assertSafeService({ DISBURSE_MODE: mode, BACKEND_TLS_BY_MESH: hasMesh }, "quote", urls);
  expect(() => call("live", false, "https://a.test", "http://b.test")).toThrow(
    "settings: QUOTE_URL: must be an https:// address in live mode",
  );
  expect(() => call("live", false, "https://a.test", "https://b.test")).not.toThrow();
  expect(() => call("live", true, "http://a.test")).not.toThrow();
  expect(() => call("sandbox", false, "http://a.test")).not.toThrow();
});
