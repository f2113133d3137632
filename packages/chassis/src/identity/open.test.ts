import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { silentLog } from "../log.ts";
import { readSettings } from "../settings.ts";
import { generateServiceKey, trustedKeysText } from "./keys.ts";
import { openIdentity } from "./open.ts";
import { identitySettings } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "disburse-identity-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const files = { SERVICE_KEY_FILE: join(folder, "key"), TRUSTED_KEYS_FILE: join(folder, "keys") };
const write = (privateText: string, keys: string) => {
  writeFileSync(files.SERVICE_KEY_FILE, privateText);
  writeFileSync(files.TRUSTED_KEYS_FILE, keys);
};
const open = (service: string, log = silentLog) => {
  const settings = readSettings(files, identitySettings);
  return openIdentity(service, { ...settings, DISBURSE_MODE: "sandbox" }, files, log);
};

it("reads keys from files, and reloads changed files", async () => {
  const [old, fresh] = [generateServiceKey("payout"), generateServiceKey("payout")];
  const [oldKeys, newKeys] = [old, fresh].map(({ publicJwk }) => trustedKeysText([publicJwk]));
  write(old.privateText, oldKeys ?? "");
  const { identity, verify, stop } = open("payout");
  const before = await identity("payout");
  expect(await verify(before)).toEqual({ kind: "service", name: "payout" });
  write(fresh.privateText, newKeys ?? "");
  vi.advanceTimersByTime(9_999);
  expect(await identity("payout")).toBe(before);
  vi.advanceTimersByTime(1);
  const after = await identity("payout");
  expect(after).not.toBe(before);
  expect(await verify(after)).toEqual({ kind: "service", name: "payout" });
  await expect(async () => verify(before)).rejects.toThrow("the token's key is not trusted");
  stop();
});

it("keeps the previous keys while a file is malformed, and logs it without its content", async () => {
  const { privateText, publicJwk } = generateServiceKey("payout");
  write(privateText, trustedKeysText([publicJwk]));
  const error = vi.fn();
  const { identity, verify, stop } = open("payout", { ...silentLog, error });
  write("half a ke", trustedKeysText([publicJwk]));
  vi.advanceTimersByTime(10_000);
  expect(error).toHaveBeenCalledOnce();
  expect(JSON.stringify(error.mock.calls) + String(error.mock.calls[0]?.[0].err)).not.toContain(
    "half a ke",
  );
  expect(await verify(await identity("payout"))).toEqual({ kind: "service", name: "payout" });
  stop();
});

it("refuses another service's key", () => {
  const { privateText, publicJwk } = generateServiceKey("payout");
  write(privateText, trustedKeysText([publicJwk]));
  expect(() => open("quote")).toThrow("SERVICE_KEY: belongs to the service payout");
});

it.each([
  ["live", 1],
  ["sandbox", 0],
] as const)("in %s mode without an issuer of persons logs %i warnings", (DISBURSE_MODE, count) => {
  const { privateText, publicJwk } = generateServiceKey("payout");
  write(privateText, trustedKeysText([publicJwk]));
  const warn = vi.fn();
  const settings = { ...readSettings(files, identitySettings), DISBURSE_MODE };
  openIdentity("payout", settings, files, { ...silentLog, warn }).stop();
  expect(warn).toHaveBeenCalledTimes(count);
  if (count > 0) expect(warn.mock.calls[0]?.[1]).toContain("OIDC_ISSUER");
});
