import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig, readSecrets } from "./config.ts";

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const [, table = ""] = /## Settings of `npm start`\n(.*?)\n## /s.exec(readme) ?? [];
const rows = [...table.matchAll(/^\| (`[^|]+`) \| ([^|]*)\|/gm)].map(
  ([, names = "", defaults = ""]) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    defaults: defaults.trim().replaceAll("`", ""),
  }),
);

/** Read where the database and the broker are started, in packages/embedded. */
const ofParts = ["MONGODB_URI", "AMQP_URL", "DISBURSE_BROKER"];

it("reads the settings that the README lists, and no other", () => {
  const listed = rows.flatMap(({ names }) => names);
  const everything = Object.fromEntries(listed.map((name) => [name, undefined]));
  const handed = Object.fromEntries(listed.map((name) => [name, "1"]));
  const { passedOn: _, ...own } = readConfig(everything, "/root");
  const { passedOn } = readConfig({ ...handed, LOG_LEVEL: "info", LOG_FORMAT: "json" }, "/root");
  const read = [...Object.keys(own), ...Object.keys(passedOn), "LOG_LEVEL", "LOG_FORMAT"];
  expect(listed.toSorted()).toEqual([...new Set([...read, ...ofParts])].sort());
});

it("has the README's defaults", () => {
  const told = Object.fromEntries(
    rows.flatMap(({ names, defaults }) =>
      names.map((name, at) => [name, defaults.split(", ")[at] ?? ""]),
    ),
  );
  const { PORT, HOST, DATA_DIR, SANDBOX_SETTLE_MS } = readConfig({}, "/root");
  expect([String(PORT), HOST, DATA_DIR, String(SANDBOX_SETTLE_MS)]).toEqual([
    told.PORT,
    told.HOST,
    `/root/${told.DATA_DIR}`,
    told.SANDBOX_SETTLE_MS,
  ]);
});

it("gives a data folder the rings of services that seal since, and keeps those it has", () => {
  const folder = mkdtempSync(join(tmpdir(), "disburse-secrets-"));
  try {
    const { encryptionKeys, ...others } = readSecrets(folder);
    const { payout: _, ...before } = encryptionKeys as Record<string, string>;
    writeFileSync(
      join(folder, "secrets.json"),
      JSON.stringify({ ...others, encryptionKeys: before }),
    );
    const after = readSecrets(folder);
    expect(after).toMatchObject({ ...others, encryptionKeys: before });
    expect(after.encryptionKeys).toHaveProperty("payout");
    expect(readSecrets(folder)).toEqual(after);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
