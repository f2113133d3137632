import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { IssuedCertificate, Validity } from "@disburse/sandbox/certificates/authority.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { onTestFinished } from "vitest";
import type { Tls } from "../identity/certificates.ts";
import { openTls } from "../identity/open-tls.ts";
import type { ClientIdentity } from "../identity/service-tokens.ts";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { connectService } from "./client.ts";
import { type RpcServerOptions, startRpcServer } from "./server.ts";

const dayMs = 86_400_000;

/** Returns a validity period in days relative to now. */
export const days = (from: number, to: number): Validity => ({
  notBefore: new Date(Date.now() + from * dayMs),
  notAfter: new Date(Date.now() + to * dayMs),
});

/** The TLS files of a process, and the settings that name them. The files can be rewritten. */
export type TlsFiles = ReturnType<typeof writeTlsFiles>;

/** Writes TLS files to a new folder, which is removed when the test ends. */
export function writeTlsFiles(certificate: IssuedCertificate, ca: string) {
  const folder = mkdtempSync(join(tmpdir(), "disburse-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = (name: string) => join(folder, name);
  const write = (next: IssuedCertificate, nextCa = ca) => {
    writeFileSync(place("tls.key"), next.key);
    writeFileSync(place("tls.crt"), next.cert);
    writeFileSync(place("ca.crt"), nextCa);
  };
  write(certificate);
  const settings = {
    TLS_CERT_FILE: place("tls.crt"),
    TLS_KEY_FILE: place("tls.key"),
    TLS_CA_FILE: place("ca.crt"),
    TLS_CLIENTS: "services",
    TRUST_DOMAIN: "disburse",
  } as const;
  return { write, settings };
}

/** Opens mutual TLS from files. Checks the files for changes constantly. */
export function openTestTls(service: string, { settings }: TlsFiles, change: object = {}): Tls {
  const tls = openTls(service, { ...settings, ...change }, silentLog, 20);
  if (tls === undefined) throw new Error("no TLS");
  onTestFinished(tls.stop);
  return tls;
}

/** Serves quotes as the service `quote`. Returns the URL. */
export async function serveQuotes(
  options: Partial<Pick<RpcServerOptions, "tls" | "metrics" | "verify" | "connectionAgeMs">>,
): Promise<string> {
  const server = await startRpcServer({
    ...{ host: "127.0.0.1", port: 0, verify: testTrust.verify("quote") },
    ...{ log: silentLog, metrics: createMetrics("test"), services: [QuoteService] },
    ready: async () => true,
    routes: (router) =>
      router.service(QuoteService, { getQuote: ({ quoteId }) => ({ quote: { id: quoteId } }) }),
    ...options,
  });
  onTestFinished(() => server.stop());
  return server.url;
}

/** The identity of the gateway, which may call the quote service. */
export const asGateway = testTrust.service("gateway");

/**
 * Makes one call over a new connection with our own client. Returns the quote's id or the error's
 * code.
 */
export async function callOnce(
  url: string,
  tls: Tls | undefined,
  identity: ClientIdentity = asGateway,
): Promise<string | undefined> {
  const { rpc, close } = connectService(QuoteService, url, { identity, tls, timeoutMs: 2_000 });
  try {
    return (await rpc.getQuote({ quoteId: "q" })).quote?.id;
  } catch (error) {
    return Code[ConnectError.from(error).code];
  } finally {
    close();
  }
}

/** Makes calls constantly until it is ended. Uses new clients and one client that is reused. */
export function startLoad(url: string, tls: Tls | undefined, identity: ClientIdentity = asGateway) {
  const failed: unknown[] = [];
  const answered = { fresh: 0, again: 0 };
  let isOver = false;
  const counted = async (kind: keyof typeof answered, call: Promise<unknown>) => {
    const result = await call;
    if (result === "q") answered[kind] += 1;
    else failed.push(result);
  };
  const fresh = async () => {
    while (!isOver) await counted("fresh", callOnce(url, tls, identity));
  };
  const kept = connectService(QuoteService, url, { identity, tls });
  onTestFinished(kept.close);
  const again = async () => {
    const call = () => kept.rpc.getQuote({ quoteId: "q" });
    while (!isOver)
      await counted(
        "again",
        call().then(({ quote }) => quote?.id, String),
      );
  };
  const running = [fresh(), fresh(), again()];
  onTestFinished(() => {
    isOver = true;
  });
  return {
    /**
     * Returns the smaller of two numbers: responses to new clients, and responses to the reused
     * client.
     */
    answered: () => Math.min(answered.fresh, answered.again),
    /** Stops the load. Returns every response that is not a quote. */
    end: async (): Promise<readonly unknown[]> => {
      isOver = true;
      await Promise.all(running);
      return failed;
    },
  };
}
