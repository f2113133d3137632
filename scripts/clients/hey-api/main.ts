import { client } from "./client/client.gen.js";
import {
  createCryptoBeneficiary,
  createFiatBeneficiary,
  executePayout,
  getPayout,
  listPayouts,
  requestQuote,
} from "./client/sdk.gen.js";
import {
  apiKey,
  bankAccount,
  baseUrl,
  stringAmounts as headers,
  newHeaders,
  payBoth,
  refused,
  wallet,
} from "./payout.js";

client.setConfig({ baseUrl, auth: apiKey });

/** Returns the `data` of a response, or throws the error that came instead. */
async function dataOf<T>(call: Promise<{ data?: { data: T }; error?: unknown }>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw refused(error);
  return data.data;
}

await payBoth({
  createBankAccount: () =>
    dataOf(createFiatBeneficiary({ headers: newHeaders(), body: bankAccount })),
  createWallet: () => dataOf(createCryptoBeneficiary({ headers: newHeaders(), body: wallet })),
  requestQuote: (body) => dataOf(requestQuote({ headers: newHeaders(), body })),
  execute: (body) => dataOf(executePayout({ headers: newHeaders(), body })),
  get: (payoutId) => dataOf(getPayout({ headers, path: { payoutId } })),
  list: async (reference_id) =>
    (await dataOf(listPayouts({ headers, query: { reference_id } }))).transactions,
});
