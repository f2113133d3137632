import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  commonSettings,
  encryptionKeysSetting,
  readSettings,
  serviceUrlSetting,
} from "./settings.ts";

const good = {
  DISBURSE_MODE: "sandbox",
  PORT: "0",
  MONGODB_URI: "mongodb://127.0.0.1",
  SERVICE_TOKEN: "s".repeat(32),
};

it("reads settings and fills in safe defaults", () => {
  expect(readSettings(good, commonSettings)).toMatchObject({ PORT: 0, HOST: "127.0.0.1" });
});

it.each([
  ["PORT", "70000"],
  ["PORT", "x"],
  ["PORT", ""],
  ["DISBURSE_MODE", "production"],
  ["MONGODB_URI", "localhost"],
  ["SERVICE_TOKEN", "short-and-secret"],
])("names %s when it is %j, and shows no value", (name, value) => {
  const read = () => readSettings({ ...good, [name]: value }, commonSettings);
  expect(read).toThrow(name);
  expect(read).not.toThrow(/short-and-secret/);
});

it("requires complete encryption keys", () => {
  const key = Buffer.alloc(32).toString("base64");
  expect(encryptionKeysSetting.safeParse(`a:${key},b:${key}`).success).toBe(true);
  expect(encryptionKeysSetting.safeParse("a:short").success).toBe(false);
});

describe("a secret from a file", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "disburse-settings-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const { SERVICE_TOKEN, ...others } = good;
  const read = (environment: Record<string, string>) =>
    readSettings({ ...others, ...environment }, commonSettings).SERVICE_TOKEN;
  const written = (text: string) => {
    const path = join(folder, "token");
    writeFileSync(path, text);
    return path;
  };

  it("is what the file holds, without one line break at its end", () => {
    expect(read({ SERVICE_TOKEN_FILE: written(`${SERVICE_TOKEN}\n`) })).toBe(SERVICE_TOKEN);
    expect(read({ SERVICE_TOKEN_FILE: written(`${SERVICE_TOKEN}\r\n`) })).toBe(SERVICE_TOKEN);
    expect(read({ SERVICE_TOKEN_FILE: written(`${SERVICE_TOKEN}\n\n`) })).toBe(
      `${SERVICE_TOKEN}\n`,
    );
    expect(read({ SERVICE_TOKEN_FILE: "", SERVICE_TOKEN })).toBe(SERVICE_TOKEN);
  });

  it("is checked as any other, and never shown", () => {
    const shown = () => read({ SERVICE_TOKEN_FILE: written("short-and-secret") });
    expect(shown).toThrow("SERVICE_TOKEN: ");
    expect(shown).not.toThrow(/short-and-secret/);
  });

  it.each([
    ["is missing", () => ({ SERVICE_TOKEN_FILE: join(folder, "none") }), /_FILE: .*ENOENT/],
    ["is empty", () => ({ SERVICE_TOKEN_FILE: written("\n") }), /_FILE: is an empty file/],
    ["is given twice", () => ({ SERVICE_TOKEN, SERVICE_TOKEN_FILE: "/x" }), /_TOKEN_FILE/],
  ])("ends the process where it %s", (_, environment, problem) => {
    expect(() => read(environment() as Record<string, string>)).toThrow(problem);
  });

  it("is for secrets alone", () => {
    expect(() =>
      readSettings({ ...good, PORT: "", PORT_FILE: written("9000") }, commonSettings),
    ).toThrow("PORT: ");
  });
});

it.each([
  ["http://a:1", ["http://a:1"]],
  ["http://a:1, https://b", ["http://a:1", "https://b"]],
  ["http://a:1,", undefined],
  ["ftp://a", undefined],
  ["a", undefined],
])("reads %j as the addresses of a service", (text, urls) => {
  expect(serviceUrlSetting.safeParse(text).data).toEqual(urls);
});
