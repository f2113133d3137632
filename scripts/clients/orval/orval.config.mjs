/** Generates functions on `fetch`, with the headers of each operation as a parameter. */
export default {
  disburse: {
    input: "../contract.json",
    output: {
      target: "./client/index.ts",
      client: "fetch",
      headers: true,
      baseUrl: process.env.DISBURSE_BASE_URL,
    },
  },
};
