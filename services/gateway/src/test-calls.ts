import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { type Ask, startTestGateway, type TestGateway } from "./test-gateway.ts";

/** A time in the form in which services send it, and in the form in which merchants read it. */
export const at = timestampFromDate(new Date("2026-11-20T11:26:00.123Z"));
export const wireAt = "2026-11-20T11:26:00.123Z";
export const times = { createdAt: at, updatedAt: at };
export const wireTimes = { created_at: wireAt, updated_at: wireAt };

/**
 * Starts a gateway with one merchant for a test file. Records the requests that reach the fake
 * services.
 */
export function useCalls() {
  let gateway: TestGateway;
  let merchant: Awaited<ReturnType<TestGateway["merchant"]>>;
  let requests: Record<string, unknown>[] = [];
  beforeAll(async () => {
    gateway = await startTestGateway();
    merchant = await gateway.merchant();
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    requests = [];
  });
  const ask = (request: Ask) => gateway.ask({ key: merchant.key, ...request });
  return {
    fakes: () => gateway.fakes,
    logLines: () => gateway.logLines,
    requests: () => requests,
    merchantId: () => merchant.merchantId,
    keyId: () => merchant.keyId,
    ask,
    /** Creates another merchant's key with only these scopes. */
    keyWith: async (scopes: string[]): Promise<string> => (await gateway.merchant({ scopes })).key,
    /** Builds a fake RPC that records its requests. */
    replying:
      <Reply>(reply: Reply) =>
      (request: object) => {
        requests.push(request as Record<string, unknown>);
        return reply;
      },
    /** Sends a request that must succeed. Returns the response's `data`. */
    data: async (request: Ask): Promise<unknown> => {
      const reply = await ask(request);
      expect(reply.json.code).toBeUndefined();
      expect([reply.status, Object.keys(reply.json)]).toEqual([200, ["data"]]);
      return reply.json.data;
    },
  };
}
