import { expect, it } from "vitest";
import { commonSettings, encryptionKeysSetting, readSettings } from "./settings.ts";

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
