import { createPublicClient, encodeAbiParameters, http } from "viem";
import { expect, it } from "vitest";
import { controlsReader } from "./issuer-controls.ts";

const token = `0x${"11".repeat(20)}` as const;
const yes = encodeAbiParameters([{ type: "bool" }], [true]);

/** Returns a node that answers every call in the same way. */
const nodeWith = (
  error: { readonly code: number; readonly message: string } | undefined,
  data = yes,
) =>
  controlsReader(
    createPublicClient({
      transport: http("http://node.example", {
        retryCount: 0,
        fetchFn: async (_url, request) => {
          const { id } = JSON.parse(String(request?.body));
          return Response.json({ jsonrpc: "2.0", id, ...(error ? { error } : { result: data }) });
        },
      }),
    }),
  );

it("a token has the functions that return a value", async () => {
  const found = await nodeWith(undefined).controlsOf(token, token);
  expect(found).toEqual({ hasPause: true, listing: "isBlacklisted" });
});

it.each([
  ["reverts", nodeWith({ code: 3, message: "execution reverted" })],
  ["returns no data", nodeWith(undefined, "0x")],
])("a token does not have a function that %s", async (_what, node) => {
  const found = await node.controlsOf(token, token);
  expect(found).toEqual({ hasPause: false, listing: undefined });
});

it.each([
  [-32_603, "internal error"],
  [-32_000, "header not found"],
  [-32_005, "limit exceeded"],
])("a node's error %i does not say that a token has no function", async (code, message) => {
  await expect(nodeWith({ code, message }).controlsOf(token, token)).rejects.toThrow();
});
