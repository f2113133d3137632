import { connect as connectTls } from "node:tls";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { ServerReflection } from "@disburse/contracts/grpc/reflection/v1/reflection_pb.ts";
import {
  type Authority,
  createAuthority,
  type IssuedCertificate,
} from "@disburse/sandbox/certificates/authority.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Tls, TlsMaterial } from "../identity/certificates.ts";
import type { ClientIdentity } from "../identity/service-tokens.ts";
import { createMetrics } from "../metrics.ts";
import { connectService } from "./client.ts";
import { sendIdentity } from "./identity.ts";
import { asGateway, callOnce, days, openTestTls, serveQuotes, writeTlsFiles } from "./test-tls.ts";

let authority: Authority;
let other: Authority;
beforeAll(async () => {
  authority = await createAuthority(days(-1, 30));
  other = await createAuthority(days(-1, 30));
});

/** Mutual TLS of a service from the trusted authority. */
async function tlsOf(service: string, change: object = {}): Promise<Tls> {
  const certificate = await authority.issue("disburse", service);
  return openTestTls(service, writeTlsFiles(certificate, authority.cert), change);
}

/** TLS of a caller with any certificate, even one that settings would refuse. */
const callerTls = (certificate: IssuedCertificate): Tls => ({
  ...{ trustDomain: "disburse", admitsPersons: false },
  material: () => ({ ...certificate, ca: authority.cert }),
});

/** Calls with connect's client, which checks host names: the full adapter serves it. */
async function callFull(url: string, tls: Tls, identity: ClientIdentity = asGateway) {
  const { cert, key, ca } = tls.material();
  const common = {
    baseUrl: url.replace("127.0.0.1", "localhost"),
    nodeOptions: { cert, key, ca },
    interceptors: [sendIdentity(identity, "quote")],
  };
  const grpcWeb = createGrpcWebTransport({ ...common, httpVersion: "1.1" });
  const results = [createGrpcTransport(common), grpcWeb].map(async (transport) => {
    try {
      return (await createClient(QuoteService, transport).getQuote({ quoteId: "q" })).quote?.id;
    } catch (error) {
      return Code[ConnectError.from(error).code];
    }
  });
  return Promise.all(results);
}

it("serves a service with its certificate and token, over every adapter", async () => {
  const url = await serveQuotes({ tls: await tlsOf("quote") });
  expect(url).toMatch(/^https:/);
  const gateway = await tlsOf("gateway");
  expect(await callOnce(url, gateway)).toBe("q");
  expect(await callFull(url, gateway)).toEqual(["q", "q"]);
});

it("serves streams too", async () => {
  const url = await serveQuotes({ tls: await tlsOf("quote") });
  const options = { identity: asGateway, tls: await tlsOf("gateway"), peer: "quote" };
  const { rpc, close } = connectService(ServerReflection, url, options);
  onTestFinished(close);
  async function* asked() {
    yield { messageRequest: { case: "listServices" as const, value: "" } };
  }
  const names: string[] = [];
  for await (const { messageResponse } of rpc.serverReflectionInfo(asked())) {
    if (messageResponse.case !== "listServicesResponse") continue;
    names.push(...messageResponse.value.service.map(({ name }) => name));
  }
  expect(names).toContain(QuoteService.typeName);
});

it("refuses the token of one service over the connection of another", async () => {
  const url = await serveQuotes({ tls: await tlsOf("quote") });
  const notifier = await tlsOf("notifier");
  expect(await callOnce(url, notifier)).toBe("Unauthenticated");
  expect(await callFull(url, notifier)).toEqual(["Unauthenticated", "Unauthenticated"]);
  // A person's token is proof of identity by itself.
  expect(await callOnce(url, notifier, testTrust.person("ada"))).toBe("q");
});

describe("refuses a caller", () => {
  it.each<[string, () => Promise<IssuedCertificate>]>([
    ["of another authority", () => other.issue("disburse", "gateway")],
    ["of another trust domain", () => authority.issue("elsewhere", "gateway")],
    ["whose certificate is over", () => authority.issue("disburse", "gateway", days(-2, -1))],
    ["whose certificate is of tomorrow", () => authority.issue("disburse", "gateway", days(1, 2))],
  ])("%s", async (_what, certificate) => {
    const url = await serveQuotes({ tls: await tlsOf("quote") });
    const tls = callerTls(await certificate());
    expect(await callOnce(url, tls)).toBe("Unavailable");
    for (const result of await callFull(url, tls)) expect(result).not.toBe("q");
  });

  it("without a certificate, and one without TLS", async () => {
    const metrics = createMetrics("test");
    const url = await serveQuotes({ tls: await tlsOf("quote"), metrics });
    expect(await callOnce(url.replace("https", "http"), undefined)).toBe("Unavailable");
    const { values } = await metrics.rpcConnectionsRefused.get();
    expect(values).toEqual([{ labels: { reason: "handshake" }, value: 1 }]);
    const nameless = connectTls({
      ...{ port: Number(new URL(url).port), host: "127.0.0.1" },
      ...{ ca: authority.cert, checkServerIdentity: () => undefined },
    });
    nameless.write("GET / HTTP/1.1\r\n\r\n");
    const heard: Buffer[] = [];
    nameless.on("data", (chunk: Buffer) => heard.push(chunk)).on("error", () => undefined);
    await new Promise((resolve) => nameless.on("close", resolve));
    expect(heard).toEqual([]);
  });
});

it("admits persons without a certificate if configured, and no service", async () => {
  const url = await serveQuotes({
    tls: await tlsOf("quote", { TLS_CLIENTS: "services_and_persons" }),
  });
  const nameless: Tls = {
    ...callerTls({ cert: "", key: "" }),
    material: () => ({ ca: authority.cert }) as TlsMaterial,
  };
  expect(await callOnce(url, nameless, testTrust.person("ada"))).toBe("q");
  expect(await callOnce(url, nameless)).toBe("Unauthenticated");
  const foreign = callerTls(await other.issue("disburse", "gateway"));
  expect(await callOnce(url, foreign, testTrust.person("ada"))).toBe("Unavailable");
});

it("calls only the server that it expects", async () => {
  const gateway = await tlsOf("gateway");
  const servers = [
    await tlsOf("payout"),
    callerTls(await other.issue("disburse", "quote")),
    callerTls(await authority.issue("elsewhere", "quote")),
  ];
  for (const tls of servers) {
    expect(await callOnce(await serveQuotes({ tls }), gateway)).toBe("Unavailable");
  }
});
