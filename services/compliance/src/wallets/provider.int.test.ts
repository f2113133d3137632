import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  importLines,
  mutation,
  personLine,
  type Rpc,
  refusalOf,
  subject,
  type TestCompliance,
  testCompliance,
} from "../test-compliance.ts";
import { type TestProvider, testProvider } from "../test-wallet-provider.ts";

/** Each test uses its own address, because responses are cached for a while. */
let count = 0;
const nextAddress = (): string => {
  count += 1;
  return `0xabcdef${String(count).padStart(34, "0")}`;
};
const listed = "0xabcdef0000000000000000000000000000009999";
const line = `{"uid":"1","type":"entity","names":[{"name":"Invented"}],
  "crypto":[{"currency":"ETH","address":"${listed}"}]}`.replace(/\n\s*/, "");

let platform: TestCompliance;
let provider: TestProvider;
let rpc: Rpc;

beforeAll(async () => {
  provider = await testProvider();
  platform = await testCompliance();
  rpc = await platform.start({
    WALLET_PROVIDER_URL: provider.url,
    WALLET_PROVIDER_API_KEY: "key-of-the-test",
    WALLET_PROVIDER_TIMEOUT_MS: "500",
  });
  await importLines(rpc, `${line}\n${personLine("2", "Somebody Else")}`);
});
afterAll(async () => {
  await platform.end();
  await provider.end();
});
beforeEach(() => provider.requests.splice(0));

const screen = async (address: string, operationId?: string) => {
  const request = { mutation: mutation(operationId), subject, networks: ["POL"], address };
  return (await rpc.screenWallet(request)).screening;
};

it("clears a wallet that neither the lists nor the provider know, and names the provider", async () => {
  provider.answerJson({ identifications: [] });
  const screening = await screen(nextAddress());
  expect(screening).toMatchObject({
    verdict: Verdict.CLEAR,
    hits: [],
    assessment: {
      provider: new URL(provider.url).host,
      verdict: Verdict.CLEAR,
      severity: "none",
      evidence: [],
    },
  });
});

it("blocks a wallet that the provider knows, and keeps its evidence sealed", async () => {
  const address = nextAddress();
  const url = `https://example.com/${address}`;
  provider.answerJson({ identifications: [{ category: "sanctions", name: "Invented Co", url }] });
  const screened = await screen(address);
  expect(screened).toMatchObject({ verdict: Verdict.BLOCK, hits: [] });
  const { screening } = await rpc.getScreening({ screeningId: screened?.id ?? "" });
  expect(screening?.assessment).toEqual(screened?.assessment);
  expect(screening?.assessment).toMatchObject({
    verdict: Verdict.BLOCK,
    severity: "severe",
    evidence: [`sanctions: Invented Co: ${url}`],
    asOf: { seconds: expect.any(BigInt) },
  });
  const stored = await platform.database.db.collection("screenings").find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain(address);
  expect(JSON.stringify(stored)).not.toContain("Invented Co");
});

it("does not query the provider about a listed wallet", async () => {
  const screening = await screen(listed);
  expect(screening).toMatchObject({ verdict: Verdict.BLOCK, hits: [{ entryUid: "1" }] });
  expect(screening?.assessment).toBeUndefined();
  expect(provider.requests).toEqual([]);
});

it("clears nothing without a response, and the same operation may be retried", async () => {
  const address = nextAddress();
  const operationId = `op-${address}`;
  for (const respond of [
    () => provider.answerJson({}, 500),
    () => provider.answerJson("<html>"),
    () => provider.respond(() => undefined),
  ]) {
    respond();
    expect(await refusalOf(screen(address, operationId))).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
  }
  provider.answerJson({ identifications: [] });
  const screening = await screen(address, operationId);
  expect(screening).toMatchObject({ verdict: Verdict.CLEAR });
  provider.answerJson({ identifications: [{ category: "sanctions" }] });
  expect(await screen(address, operationId)).toEqual(screening);
});
