import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { createClient } from "@connectrpc/connect";
import { Health } from "@disburse/contracts/health/v1/health_pb.ts";
import { createAuthority } from "@disburse/sandbox/certificates/authority.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { processWorld } from "../process-world.ts";
import { identityProblem, readTls } from "./tls.ts";

const dayMs = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "disburse-cli-tls-"));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const callers: (string | undefined)[] = [];
let url = "";
let files: { ca: string; cert: string; key: string };
let otherAuthority: string;
let stop: () => void;

beforeAll(async () => {
  const validity = {
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
  };
  const authority = await createAuthority(validity);
  const [server, person] = [
    await authority.issue("disburse", "quote"),
    await authority.issue("disburse", "operators"),
  ];
  otherAuthority = file("other.crt", (await createAuthority(validity)).cert);
  files = {
    ca: file("ca.crt", authority.cert),
    cert: file("own.crt", person.cert),
    key: file("own.key", person.key),
  };
  const options = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const listening = createServer(options, (request, response) => {
    callers.push((request.socket as TLSSocket).getPeerX509Certificate()?.subjectAltName);
    response.writeHead(200, { "content-type": "application/proto" }).end();
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  url = `https://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  stop = () => {
    listening.closeAllConnections();
    listening.close();
  };
});
afterAll(() => {
  stop();
  rmSync(folder, { recursive: true, force: true });
});

const check = async (service: string, change: object = {}) => {
  const tls = readTls({ ...files, trustDomain: "disburse", ...change }, service);
  const transport = processWorld({}).connect(url, { tls });
  return createClient(Health, transport).check({});
};

it("presents its certificate to the expected service", async () => {
  await check("quote");
  expect(callers.splice(0)).toEqual([expect.stringContaining("URI:spiffe://disburse/operators")]);
});

it.each([
  ["another service", "payout", {}, "is not for spiffe://disburse/payout"],
  ["another trust domain", "quote", { trustDomain: "else" }, "is not for spiffe://else/quote"],
  ["another authority", "quote", { ca: "other" }, "certificate"],
])("rejects a server of %s", async (_what, service, change, problem) => {
  const other = "ca" in change ? { ca: otherAuthority } : change;
  await expect(check(service, other)).rejects.toThrow(problem);
  expect(callers).toEqual([]);
});

it("rejects a missing file", async () => {
  await expect(check("quote", { ca: join(folder, "none") })).rejects.toThrow(/none: ENOENT/);
});

it.each([
  ["DNS:quote, URI:spiffe://disburse/quote", true],
  ["DNS:quote", false],
  ["URI:spiffe://disburse/quote, URI:spiffe://disburse/payout", false],
  ['DNS:"a, URI:spiffe://disburse/quote, b"', false],
])("accepts the names %s: %s", (subjectaltname, isTaken) => {
  const wanted = { service: "quote", trustDomain: "disburse" };
  expect(identityProblem({ subjectaltname }, wanted) === undefined).toBe(isTaken);
});
