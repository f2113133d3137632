import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTls } from "@disburse/chassis/identity/open-tls.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { afterAll, expect, it } from "vitest";
import { serviceNames } from "./service-names.ts";

const folder = mkdtempSync(join(tmpdir(), "disburse-live-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const make = (...args: string[]) =>
  execFileSync(process.execPath, [join(import.meta.dirname, "make-live-keys.ts"), ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });

it("makes an authority, and certificates that services accept", () => {
  make("certificates", "own");
  for (const service of serviceNames) {
    const place = (name: string) => join(folder, "own", name);
    const tls = openTls(
      service,
      {
        TLS_CERT_FILE: place(`${service}/tls.crt`),
        TLS_KEY_FILE: place(`${service}/tls.key`),
        TLS_CA_FILE: place("ca.crt"),
        TLS_CLIENTS: "services",
        TRUST_DOMAIN: "disburse",
      },
      silentLog,
    );
    tls?.stop();
    expect(tls?.trustDomain).toBe("disburse");
    expect(statSync(place(`${service}/tls.key`)).mode & 0o077).toBe(0);
  }
}, 60_000);

it("keeps certificates that are valid for long enough", () => {
  const before = readFileSync(join(folder, "own/quote/tls.crt"), "utf8");
  make("certificates", "own");
  expect(readFileSync(join(folder, "own/quote/tls.crt"), "utf8")).toBe(before);
}, 60_000);

it("makes a key for each service, and replaces none", () => {
  make("keys");
  const { keys } = JSON.parse(readFileSync(join(folder, "keys/trusted-keys.json"), "utf8"));
  expect(keys).toHaveLength(serviceNames.length);
  expect(() => make("keys")).toThrow("EEXIST");
}, 60_000);
