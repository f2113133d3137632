import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { merchantNames } from "@disburse/sandbox/sandbox-data.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfig, readPreviousPorts, readSecrets, readStoredSecrets } from "./config.ts";

const page = readFileSync(
  new URL("../../../docs/contributing/running-locally.md", import.meta.url),
  "utf8",
);
const [, table = ""] = /## Settings of `npm start`\n(.*?)\n## /s.exec(page) ?? [];
const rows = [...table.matchAll(/^\| (`[^|]+`) \| ([^|]*)\|/gm)].map(
  ([, names = "", defaults = ""]) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    defaults: defaults.trim().replaceAll("`", ""),
  }),
);

/** Read by packages/embedded, which starts the database and broker. */
const ofParts = ["MONGODB_URI", "AMQP_URL", "DISBURSE_BROKER", "DISBURSE_CACHE_DIR"];

it("reads the settings that docs/contributing/running-locally.md lists, and no other", () => {
  const listed = rows.flatMap(({ names }) => names);
  const everything = Object.fromEntries(listed.map((name) => [name, undefined]));
  const handed = Object.fromEntries(listed.map((name) => [name, "1"]));
  const { passedOn: _, ...own } = readConfig(everything, "/root");
  const { passedOn } = readConfig({ ...handed, LOG_LEVEL: "info", LOG_FORMAT: "json" }, "/root");
  const read = [...Object.keys(own), ...Object.keys(passedOn), "LOG_LEVEL", "LOG_FORMAT"];
  expect(listed.toSorted()).toEqual([...new Set([...read, ...ofParts])].sort());
});

it("has the page's defaults", () => {
  const documented = Object.fromEntries(
    rows.flatMap(({ names, defaults }) =>
      names.map((name, at) => [name, defaults.split(", ")[at] ?? ""]),
    ),
  );
  const { PORT, HOST, DATA_DIR, SANDBOX_SETTLE_MS } = readConfig({}, "/root");
  expect([String(PORT), HOST, DATA_DIR, String(SANDBOX_SETTLE_MS)]).toEqual([
    documented.PORT,
    documented.HOST,
    `/root/${documented.DATA_DIR}`,
    documented.SANDBOX_SETTLE_MS,
  ]);
});

describe("a data folder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "disburse-folder-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const write = (name: string, value: object) =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  const refusal = () =>
    `The data in ${folder} was created by another version of Disburse. To start again, delete that folder or set DATA_DIR to another one.`;

  it("keeps its secrets", () => {
    const secrets = readSecrets(folder);
    expect(readSecrets(folder)).toEqual(secrets);
    expect(readStoredSecrets(folder)).toEqual(secrets);
  });

  it.each<[string, (secrets: ReturnType<typeof readSecrets>) => object]>([
    ["a pepper without a version", (known) => ({ ...known, apiKeyPepper: "c2VjcmV0" })],
    ["one ring for all", (known) => ({ ...known, encryptionKeys: "k1:c2VjcmV0" })],
    [
      "a ring too few",
      ({ encryptionKeys: { payout: _, ...encryptionKeys }, ...others }) => ({
        ...others,
        encryptionKeys,
      }),
    ],
    ["a secret too few", ({ issuerKey: _, ...others }) => others],
    ["nothing", () => ({})],
  ])("of another version has %s: it is refused as it is", (_what, older) => {
    write("secrets.json", older(readSecrets(folder)));
    const before = read("secrets.json");
    expect(() => readSecrets(folder)).toThrow(refusal());
    expect(() => readStoredSecrets(folder)).toThrow(refusal());
    expect(read("secrets.json")).toBe(before);
  });

  const urls = (first: number) =>
    Object.fromEntries(serviceNames.map((name, at) => [name, `http://127.0.0.1:${first + at}`]));
  const sandbox = {
    grpc: urls(1001),
    admin: urls(1007),
    operators_url: "http://127.0.0.1:1013",
    issuer: "http://127.0.0.1:1014",
    merchants: Object.fromEntries(
      merchantNames.map((name) => [name, { merchant_id: `mer_${name}`, api_key: "dsb_test_1" }]),
    ),
  };

  it("has the ports of its last start", () => {
    expect(readPreviousPorts(folder)).toEqual([]);
    write("sandbox.json", sandbox);
    expect(readPreviousPorts(folder)).toEqual(Array.from({ length: 14 }, (_each, at) => 1001 + at));
  });

  it.each<[string, object]>([
    ["no admin ports", { ...sandbox, admin: undefined }],
    ["no provider", { ...sandbox, issuer: undefined }],
    ["a merchant too few", { ...sandbox, merchants: {} }],
  ])("of another version has %s in its sandbox.json: it is refused", (_what, older) => {
    write("sandbox.json", older);
    expect(() => readPreviousPorts(folder)).toThrow(refusal());
  });
});
