import {
  type Authority,
  createAuthority,
  type IssuedCertificate,
} from "@disburse/sandbox/certificates/authority.ts";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { createLifetime } from "../lifetime.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { days, writeTlsFiles } from "../rpc/test-tls.ts";
import { openProcessTls, openTls } from "./open-tls.ts";

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority(days(-1, 30));
});

it("keeps the previous certificate while files are inconsistent", async () => {
  const own = writeTlsFiles(await authority.issue("disburse", "quote"), authority.cert);
  const log = { ...silentLog, error: vi.fn() };
  const tls = openTls("quote", own.settings, log, 20);
  onTestFinished(() => tls?.stop());
  const before = tls?.material();
  const next = await authority.issue("disburse", "quote");
  const another = await authority.issue("disburse", "quote");
  own.write({ cert: next.cert, key: another.key });
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledOnce(), 5_000);
  expect(tls?.material()).toBe(before);
  expect(JSON.stringify(log.error.mock.calls)).not.toContain("PRIVATE");
  own.write(next);
  await vi.waitFor(() => expect(tls?.material().cert).toBe(next.cert.trimEnd()), 5_000);
});

it.each<[string, string, () => Promise<IssuedCertificate>]>([
  [
    "another service's",
    "must name spiffe://disburse/quote",
    () => authority.issue("disburse", "payout"),
  ],
  ["one of another trust domain", "must name spiffe", () => authority.issue("else", "quote")],
  ["an expired one", "has expired", () => authority.issue("disburse", "quote", days(-2, -1))],
  ["one of tomorrow", "is not valid yet", () => authority.issue("disburse", "quote", days(1, 2))],
])("does not start with %s", async (_what, problem, certificate) => {
  const { settings } = writeTlsFiles(await certificate(), authority.cert);
  expect(() => openTls("quote", settings, silentLog)).toThrow(`TLS_CERT_FILE: ${problem}`);
  const half = { ...settings, TLS_CA_FILE: undefined };
  expect(() => openTls("quote", half, silentLog)).toThrow("must be set together");
});

it("shows the expiry of its certificate", async () => {
  const metrics = createMetrics("test");
  const certificate = await authority.issue("disburse", "quote", days(-1, 7));
  const { settings } = writeTlsFiles(certificate, authority.cert);
  const lifetime = createLifetime(silentLog);
  openProcessTls("quote", settings, { log: silentLog, metrics, lifetime });
  await lifetime.end();
  const [, seconds] = /^disburse_tls_certificate_expiration_\S+ (\d+)$/m.exec(
    await metrics.text(),
  )!;
  expect(Math.abs(Number(seconds) * 1_000 - days(0, 7).notAfter.getTime())).toBeLessThan(60_000);
});

it("shows no expiry without a certificate", async () => {
  const metrics = createMetrics("test");
  const own = { log: silentLog, metrics, lifetime: createLifetime(silentLog) };
  const { settings } = writeTlsFiles(await authority.issue("disburse", "quote"), authority.cert);
  const files = { TLS_CERT_FILE: undefined, TLS_KEY_FILE: undefined, TLS_CA_FILE: undefined };
  const without = { ...settings, ...files };
  expect(openProcessTls("quote", without, own)).toBeUndefined();
  const text = await metrics.text();
  expect(text).toContain("# TYPE disburse_tls_certificate_expiration_timestamp_seconds gauge");
  expect(text).not.toMatch(/^disburse_tls_certificate/m);
});
