import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAuthority,
  type IssuedCertificate,
} from "@disburse/sandbox/certificates/authority.ts";
import { expect, it, onTestFinished, vi } from "vitest";
import { createEventVerifier, type SignedParts, signatureHeaders } from "../amqp/signature.ts";
import { generateServiceKey, trustedKeysText } from "../identity/keys.ts";
import { openIdentity } from "../identity/open.ts";
import { identitySettings } from "../identity/settings.ts";
import { silentLog } from "../log.ts";
import { readSettings } from "../settings.ts";
import {
  callOnce,
  days,
  openTestTls,
  serveQuotes,
  startLoad,
  type TlsFiles,
  writeTlsFiles,
} from "./test-tls.ts";

// Carries out the rotation steps of docs/operators/key-rotation.md one by one, under load.
const page = readFileSync(
  join(import.meta.dirname, "../../../../docs/operators/key-rotation.md"),
  "utf8",
);

type Step = readonly [says: string, act: () => unknown];

/** Runs the steps of the page under a title; `says` identifies a step. */
async function follow(title: string, load: ReturnType<typeof startLoad>, steps: readonly Step[]) {
  const [, text = ""] = page.split(`\n**${title}**`);
  const [own = ""] = text.split(/\n(?:\*\*|#)/);
  const written = [...own.matchAll(/^\d\. (.*)$/gm)].map(([, step]) => step);
  expect(written, `the steps of "${title}"`).toHaveLength(steps.length);
  await someCalls(load);
  for (const [index, [says, act]] of steps.entries()) {
    expect(written[index]).toContain(says);
    await act();
    await someCalls(load);
  }
}

/** Waits for calls over new connections and over kept ones. */
async function someCalls(load: ReturnType<typeof startLoad>): Promise<void> {
  const before = load.answered();
  await vi.waitFor(() => expect(load.answered()).toBeGreaterThan(before + 5), 10_000);
}

/** A process that reads its key and its trusted keys from files. */
function openProcess(service: string, key: string, trusted: string) {
  const folder = mkdtempSync(join(tmpdir(), "disburse-rotation-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = { SERVICE_KEY_FILE: join(folder, "key"), TRUSTED_KEYS_FILE: join(folder, "keys") };
  writeFileSync(files.SERVICE_KEY_FILE, key);
  writeFileSync(files.TRUSTED_KEYS_FILE, trusted);
  const settings = readSettings(files, identitySettings);
  const mode = "sandbox" as const;
  const all = { ...settings, DISBURSE_MODE: mode };
  const identity = openIdentity(service, all, files, silentLog, 20);
  onTestFinished(identity.stop);
  return { ...identity, files };
}

it("replaces a service's key as the runbook says, without one refused call", async () => {
  const [quote, old, fresh] = [
    generateServiceKey("quote"),
    generateServiceKey("gateway"),
    generateServiceKey("gateway"),
  ];
  const trusting = (...keys: ReturnType<typeof generateServiceKey>[]) =>
    trustedKeysText([quote, ...keys].map(({ publicJwk }) => publicJwk));
  const server = openProcess("quote", quote.privateText, trusting(old));
  const gateway = openProcess("gateway", old.privateText, trusting(old));
  const trustOnAll = async (keys: string, size: number) => {
    for (const { files } of [server, gateway]) writeFileSync(files.TRUSTED_KEYS_FILE, keys);
    for (const { trustedKeys } of [server, gateway])
      await vi.waitFor(() => expect(trustedKeys().size).toBe(size), 5_000);
  };
  const event: SignedParts = {
    id: "evt_1",
    key: "quote.made",
    body: Buffer.from("{}"),
    headers: {},
  };
  const published = async () => ({
    ...event,
    headers: (await signatureHeaders(gateway, "test", [event]))[0] ?? {},
  });
  const verify = createEventVerifier(server, "test");
  const verified = (message: SignedParts) => verify(message, () => true);

  const url = await serveQuotes({ verify: server.verify });
  const load = startLoad(url, undefined, gateway.identity);
  const waiting = await published();
  await follow("A service's key", load, [
    ["`TRUSTED_KEYS` of **all**", () => trustOnAll(trusting(old, fresh), 3)],
    [
      "becomes `SERVICE_KEY`",
      async () => {
        const before = gateway.serviceKey();
        writeFileSync(gateway.files.SERVICE_KEY_FILE, fresh.privateText);
        await vi.waitFor(() => expect(gateway.serviceKey()).not.toBe(before), 5_000);
        // Earlier signatures stay valid.
        expect(await verified(waiting)).toEqual({ publisher: "gateway" });
      },
    ],
    ["the old entry out of `TRUSTED_KEYS`", () => trustOnAll(trusting(fresh), 2)],
  ]);
  expect(await load.end()).toEqual([]);
  expect(await verified(await published())).toEqual({ publisher: "gateway" });
  expect(await verified(waiting)).toEqual({ rejected: "unknown_key" });
  const stolen = openProcess("gateway", old.privateText, trusting(old));
  expect(await callOnce(url, undefined, stolen.identity)).toBe("Unauthenticated");
}, 30_000);

it("replaces certificates and their authority as the runbook says, without a failed call", async () => {
  const [before, after] = [
    await createAuthority(days(-1, 30)),
    await createAuthority(days(-1, 30)),
  ];
  const start = async (service: string) => {
    const certificate = await before.issue("disburse", service);
    const files = writeTlsFiles(certificate, before.cert);
    return { service, files, tls: openTestTls(service, files), certificate };
  };
  const [server, gateway] = [await start("quote"), await start("gateway")];
  const replace = async (
    { files, tls }: { files: TlsFiles; tls: typeof server.tls },
    next: IssuedCertificate,
    ca: string,
  ) => {
    files.write(next, ca);
    const [cert, key] = [next.cert.trimEnd(), next.key.trimEnd()];
    await vi.waitFor(() => expect(tls.material()).toEqual({ cert, key, ca: ca.trimEnd() }), 5_000);
  };
  // The kept client reconnects soon, too.
  const url = await serveQuotes({ tls: server.tls, connectionAgeMs: 50 });
  const load = startLoad(url, gateway.tls);

  const renewed = await before.issue("disburse", "quote");
  await follow("A service's certificate", load, [
    ["`TLS_CERT_FILE` and `TLS_KEY_FILE`", () => replace(server, renewed, before.cert)],
  ]);

  const both = before.cert + after.cert;
  const next = {
    quote: await after.issue("disburse", "quote"),
    gateway: await after.issue("disburse", "gateway"),
  };
  await follow("The authority of certificates", load, [
    [
      "behind the old one in `TLS_CA_FILE` of **all**",
      async () => {
        await replace(server, renewed, both);
        await replace(gateway, gateway.certificate, both);
      },
    ],
    [
      "service by service",
      async () => {
        await replace(server, next.quote, both);
        await someCalls(load);
        await replace(gateway, next.gateway, both);
      },
    ],
    [
      "the old authority out of `TLS_CA_FILE` of **all**",
      async () => {
        await replace(server, next.quote, after.cert);
        await replace(gateway, next.gateway, after.cert);
      },
    ],
  ]);
  expect(await load.end()).toEqual([]);
  const late = openTestTls("gateway", writeTlsFiles(gateway.certificate, both));
  expect(await callOnce(url, late)).toBe("Unavailable");
}, 30_000);
