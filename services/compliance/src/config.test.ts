import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import { readConfig } from "./config.ts";

const environment = {
  PORT: "9000",
  PAYOUT_URL: "https://payout:9000",
  AMQP_URL: "amqps://broker.example",
  MONGODB_URI: "mongodb://127.0.0.1:27017",
  ...testTrust.settings("compliance"),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
};

const sourceAt = (file: object) =>
  JSON.stringify([{ list: "un", format: "un_xml", files: [{ name: "", ...file }] }]);
const read = (mode: string, file: object) =>
  readConfig({ ...environment, DISBURSE_MODE: mode, LIST_SOURCES: sourceAt(file) }).LIST_SOURCES;

it.each([{ url: "http://lists.example/un.xml" }, { path: "/lists/un.xml" }])(
  "accepts a list from %j in the sandbox alone",
  (file) => {
    expect(read("sandbox", file)).toHaveLength(1);
    expect(() => read("live", file)).toThrow(
      "LIST_SOURCES: must contain only https URLs in live mode",
    );
  },
);

it("accepts a list from an https URL in live mode", () => {
  expect(read("live", { url: "https://lists.example/un.xml" })).toHaveLength(1);
});

it("reads countries, of which a block wins, and refuses what is no code", () => {
  const of = (more: Record<string, string>) =>
    readConfig({ ...environment, DISBURSE_MODE: "sandbox", ...more }).countries;
  expect(of({})).toEqual(new Map());
  expect(of({ COUNTRIES_REVIEW: "IR, KP", COUNTRIES_BLOCK: "KP" })).toEqual(
    new Map([
      ["IR", "review"],
      ["KP", "block"],
    ]),
  );
  expect(() => of({ COUNTRIES_BLOCK: "UK" })).toThrow(/COUNTRIES_BLOCK: must be ISO 3166/);
});
