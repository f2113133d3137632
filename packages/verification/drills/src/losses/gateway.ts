import { callGateway } from "@disburse/platform/merchant.ts";
import { byOperator, type Drill } from "../drill.ts";

/** Loses stored answers and a revocation, so that a leaked key is accepted again. */
export const gatewayLoss: Drill = {
  service: "gateway",
  before: async ({ clients, merchantId }) => {
    const mutation = byOperator(`key-${crypto.randomUUID()}`);
    const { key, secret } = await clients.keys.createKey({ mutation, merchantId });
    return { keyId: key?.id ?? "", secret };
  },
  after: async ({ clients }, { keyId = "" }) => {
    await clients.keys.revokeKey({ mutation: byOperator(`revoke-${keyId}`), keyId });
  },
  recover: async (platform, { noted }) => {
    const { keyId = "", secret = "" } = noted;
    const leaked = { baseUrl: platform.baseUrl, apiKey: secret };
    const status = async () => (await callGateway(leaked, "GET", "/transfer/accounts")).status;
    const before = await status();
    await platform.clients.keys.revokeKey({ mutation: byOperator(`again-${keyId}`), keyId });
    const after = await status();
    return [`the revoked key ${keyId} was ${before}; revoked again it is ${after}`];
  },
  stays: () => false,
};
