import createClient from "openapi-fetch";
import type { paths } from "./client/index.js";
import {
  apiKey,
  bankAccount,
  baseUrl,
  newHeaders,
  payBoth,
  refused,
  stringAmounts,
  wallet,
} from "./payout.js";

const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${apiKey}` } });

/** Returns the `data` of a response, or throws the error that came instead. */
async function dataOf<T>(call: Promise<{ data?: { data: T }; error?: unknown }>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw refused(error);
  return data.data;
}

const header = stringAmounts;

await payBoth({
  createBankAccount: () => {
    const params = { header: newHeaders() };
    return dataOf(api.POST("/api/v1/transfer/fiat/beneficiary", { params, body: bankAccount }));
  },
  createWallet: () => {
    const params = { header: newHeaders() };
    return dataOf(api.POST("/api/v1/transfer/crypto/beneficiary", { params, body: wallet }));
  },
  requestQuote: (body) =>
    dataOf(api.POST("/api/v1/transfer/rfq", { params: { header: newHeaders() }, body })),
  execute: (body) =>
    dataOf(api.POST("/api/v1/transfer/execute", { params: { header: newHeaders() }, body })),
  get: (payoutId) => {
    const params = { header, path: { payoutId } };
    return dataOf(api.GET("/api/v1/transfer/payouts/{payoutId}", { params }));
  },
  list: async (reference_id) => {
    const params = { header, query: { reference_id } };
    return (await dataOf(api.GET("/api/v1/transfer/payouts", { params }))).transactions;
  },
});
