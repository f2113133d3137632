import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sealingSettings, withOwnRing } from "./crypto/settings.ts";
import { generateServiceKey, trustedKeysText } from "./identity/keys.ts";
import { commonSettings } from "./service/settings.ts";
import { readSettings, secret, serviceUrlSetting } from "./settings.ts";

const { privateText, publicJwk } = generateServiceKey("quote");
const good = {
  DISBURSE_MODE: "sandbox",
  PORT: "0",
  MONGODB_URI: "mongodb://127.0.0.1",
  ...{ SERVICE_KEY: privateText, TRUSTED_KEYS: trustedKeysText([publicJwk]) },
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
  ["SERVICE_KEY", "short-and-secret"],
  ["SERVICE_KEY", '{"d":"short-and-secret"}'],
  ["TRUSTED_KEYS", '{"keys":[]}'],
])("names %s when it is %j, and shows no value", (name, value) => {
  const read = () => readSettings({ ...good, [name]: value }, commonSettings);
  expect(read).toThrow(name);
  expect(read).not.toThrow(/short-and-secret/);
});

it("prefers a service's own ring to the common one, as a value or from a file", () => {
  const [own, other] = ["own:1", "all:2"];
  const given = { ENCRYPTION_KEYS: other, ENCRYPTION_KEYS_PAYOUT: own, PORT: "1" };
  expect(withOwnRing(given, "payout")).toMatchObject({ ENCRYPTION_KEYS: own, PORT: "1" });
  expect(withOwnRing(given, "quote")).toBe(given);
  const filed = { ENCRYPTION_KEYS: other, ENCRYPTION_KEYS_PAYOUT_FILE: "/ring" };
  const { ENCRYPTION_KEYS, ENCRYPTION_KEYS_FILE } = withOwnRing(filed, "payout");
  expect([ENCRYPTION_KEYS, ENCRYPTION_KEYS_FILE]).toEqual([undefined, "/ring"]);
  // Compose passes an unset variable as an empty text.
  expect(withOwnRing({ ...given, ENCRYPTION_KEYS_PAYOUT: "" }, "payout")).toMatchObject({
    ENCRYPTION_KEYS: other,
  });
});

it("requires complete encryption keys", () => {
  const key = Buffer.alloc(32).toString("base64");
  const { ENCRYPTION_KEYS } = sealingSettings;
  expect(ENCRYPTION_KEYS.safeParse(`a:${key},b:${key}`).success).toBe(true);
  expect(ENCRYPTION_KEYS.safeParse("a:short").success).toBe(false);
});

it.each([
  ["1234abcd-12ab-34cd-56ef-1234567890ab", true],
  [
    "arn:aws:kms:eu-west-1:111122223333:key/mrk-1234,arn:aws:kms:eu-west-1:111122223333:key/5",
    true,
  ],
  ["arn:aws:kms:eu-west-1:111122223333:alias/disburse", false],
  ["a,", false],
  ["", false],
])("takes %j as keys of AWS KMS: %s", (keys, isTaken) => {
  expect(sealingSettings.AWS_KMS_KEY_IDS.safeParse(keys).success).toBe(isTaken);
});

describe("a secret from a file", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "disburse-settings-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const shape = { TOKEN: secret(z.string().min(32)) };
  const TOKEN = "s".repeat(32);
  const read = (environment: Record<string, string>) => readSettings(environment, shape).TOKEN;
  const written = (text: string) => {
    const path = join(folder, "token");
    writeFileSync(path, text);
    return path;
  };

  it("is what the file holds, without one line break at its end", () => {
    expect(read({ TOKEN_FILE: written(`${TOKEN}\n`) })).toBe(TOKEN);
    expect(read({ TOKEN_FILE: written(`${TOKEN}\r\n`) })).toBe(TOKEN);
    expect(read({ TOKEN_FILE: written(`${TOKEN}\n\n`) })).toBe(`${TOKEN}\n`);
    expect(read({ TOKEN_FILE: "", TOKEN })).toBe(TOKEN);
  });

  it("is checked as any other, and never shown", () => {
    const shown = () => read({ TOKEN_FILE: written("short-and-secret") });
    expect(shown).toThrow("TOKEN: ");
    expect(shown).not.toThrow(/short-and-secret/);
  });

  it.each([
    ["is missing", () => ({ TOKEN_FILE: join(folder, "none") }), /_FILE: .*ENOENT/],
    ["is empty", () => ({ TOKEN_FILE: written("\n") }), /_FILE: is an empty file/],
    [
      "is given twice",
      () => ({ TOKEN, TOKEN_FILE: "/x" }),
      /must not be set together with TOKEN_FILE/,
    ],
  ])("ends the process if it %s", (_, environment, problem) => {
    expect(() => read(environment() as Record<string, string>)).toThrow(problem);
  });

  it("is only for secrets", () => {
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
