import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CreditAccountRequestSchema,
  OpenAccountRequestSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { describe, expect, it, vi } from "vitest";
import { withCallContext } from "../call-context.ts";
import { contentOf, isOther, readChange } from "./content.ts";

const fields = { merchantId: "mer_1", accountId: "acc_1", amount: "1.00" };
const request = create(CreditAccountRequestSchema, {
  mutation: { operationId: "1" },
  ...fields,
});
const content = contentOf(CreditAccountRequestSchema, request);

describe("the content of a request", () => {
  it("is the same for every caller, operation and repeat", () => {
    const sent = fromBinary(
      CreditAccountRequestSchema,
      toBinary(CreditAccountRequestSchema, request),
    );
    const other = create(CreditAccountRequestSchema, {
      ...fields,
      mutation: { operationId: "2" },
    });
    for (const each of [sent, other, create(CreditAccountRequestSchema, fields)]) {
      expect(contentOf(CreditAccountRequestSchema, each)).toBe(content);
    }
    expect(content).toMatch(/^[\w-]{43}$/);
  });

  it("differs for any other field, and for any other RPC", () => {
    for (const change of [{ amount: "1.01" }, { accountId: "acc_2" }, { note: "more" }]) {
      const changed = create(CreditAccountRequestSchema, { ...fields, ...change });
      expect(contentOf(CreditAccountRequestSchema, changed)).not.toBe(content);
    }
    expect(contentOf(CreditAccountRequestSchema, create(CreditAccountRequestSchema))).not.toBe(
      contentOf(OpenAccountRequestSchema, create(OpenAccountRequestSchema)),
    );
  });

  it("is hashed once for a request, however many layers compare it", () => {
    const ownKeys = vi.fn((target: object) => Reflect.ownKeys(target));
    const request = create(CreditAccountRequestSchema, fields);
    const watched = new Proxy<typeof request>(request, { ownKeys });
    const read = () => contentOf(CreditAccountRequestSchema, watched);
    expect([read(), read()]).toEqual([content, content]);
    expect(ownKeys).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["the gateway's fingerprint", { kind: "service", name: "gateway" }, "ab".repeat(32), true],
    ["no text that is not a SHA-256", { kind: "service", name: "gateway" }, "AB".repeat(32), false],
    ["no other service's", { kind: "service", name: "quote" }, "ab".repeat(32), false],
    [
      "no person's",
      { kind: "person", id: "gateway", roles: new Set<never>() },
      "ab".repeat(32),
      false,
    ],
  ] as const)("is %s", (_what, principal, fingerprint, isTaken) => {
    const mutation = { operationId: "1", fingerprint };
    const sent = create(CreditAccountRequestSchema, { ...fields, mutation });
    const read = () => readChange(CreditAccountRequestSchema, sent).content;
    expect(withCallContext({ requestId: "r", principal }, read)).toBe(
      isTaken ? fingerprint : content,
    );
  });

  it("leaves the request as it is", () => {
    const principal = { kind: "service", name: "a" } as const;
    const read = () => readChange(CreditAccountRequestSchema, request);
    expect(withCallContext({ requestId: "r", principal }, read)).toEqual({
      ...{ operationId: "1", actor: { kind: "service", id: "a" }, content },
    });
    expect(request.mutation?.operationId).toBe("1");
  });

  it("is compared with the stored one", () => {
    expect(isOther({ operation_content: content }, content)).toBe(false);
    expect(isOther({ operation_content: "x" }, content)).toBe(true);
  });
});
