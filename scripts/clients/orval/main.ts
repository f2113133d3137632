import {
  createCryptoBeneficiary,
  createFiatBeneficiary,
  executePayout,
  getPayout,
  listPayouts,
  requestQuote,
} from "./client/index.js";
import {
  apiKey,
  bankAccount,
  newHeaders,
  payBoth,
  refused,
  stringAmounts,
  wallet,
} from "./payout.js";

const options = { headers: { Authorization: `Bearer ${apiKey}` } };

await payBoth({
  createBankAccount: async () => {
    const { status, data } = await createFiatBeneficiary(bankAccount, newHeaders(), options);
    if (status !== 200) throw refused(data);
    return data.data;
  },
  createWallet: async () => {
    const { status, data } = await createCryptoBeneficiary(wallet, newHeaders(), options);
    if (status !== 200) throw refused(data);
    return data.data;
  },
  requestQuote: async (terms) => {
    const { status, data } = await requestQuote(terms, newHeaders(), options);
    if (status !== 200) throw refused(data);
    return data.data;
  },
  execute: async (order) => {
    const { status, data } = await executePayout(order, newHeaders(), options);
    if (status !== 200) throw refused(data);
    return data.data;
  },
  get: async (id) => {
    const { status, data } = await getPayout(id, stringAmounts, {}, options);
    if (status !== 200) throw refused(data);
    return data.data;
  },
  list: async (reference_id) => {
    const { status, data } = await listPayouts(stringAmounts, { reference_id }, options);
    if (status !== 200) throw refused(data);
    return data.data.transactions;
  },
});
