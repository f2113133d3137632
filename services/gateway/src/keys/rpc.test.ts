import { create } from "@bufbuild/protobuf";
import {
  CreateKeyRequestSchema,
  RotateKeyRequestSchema,
} from "@disburse/contracts/disburse/gateway/v1/keys_pb.ts";
import { expect, it } from "vitest";
import { keyGuards } from "./rpc.ts";
import type { Keys } from "./store.ts";

const proposer = { person: "ada", roles: new Set<never>(), operationId: "op" } as const;
const keys = {
  findOne: async ({ _id }: { _id: string }) =>
    _id === "none" ? null : { scopes: _id === "pays" ? ["payout:write"] : ["payout:read"] },
} as unknown as Keys;

it.each([
  ["live", ["payout:read", "payout:write"], "pays", 1],
  ["live", ["payout:approve"], "pays", 1],
  ["live", ["payout:control"], "pays", 1],
  ["live", ["payout:read"], "reads", 0],
  ["live", [], "none", 0],
  ["sandbox", ["payout:write"], "pays", 0],
] as const)("a %s key with %j, and the successor of one that %s: %i reasons", async (...row) => {
  const [mode, scopes, keyId, count] = row;
  const { createKey, rotateKey } = keyGuards({ keys, mode });
  const creation = create(CreateKeyRequestSchema, { merchantId: "mer_1", scopes: [...scopes] });
  const rotated = create(RotateKeyRequestSchema, { keyId, overlapSeconds: 60 });
  const difference = await createKey?.difference(creation);
  expect(difference).toEqual({
    before: "",
    after: JSON.stringify({ key: { scopes, sourceCidrs: [], description: "" } }),
  });
  expect(await createKey?.reasons(creation, proposer, { before: "", after: "" })).toHaveLength(
    count,
  );
  expect(await rotateKey?.reasons(rotated, proposer, { before: "", after: "" })).toHaveLength(
    count,
  );
  expect((await rotateKey?.difference(rotated))?.before.includes("payout")).toBe(keyId !== "none");
  const unnamed = create(RotateKeyRequestSchema, { keyId });
  expect((await rotateKey?.difference(unnamed))?.after).toContain('"overlapSeconds":86400');
});
