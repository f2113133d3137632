import { defineConfig } from "rolldown";

/** One file with the contracts in it; the libraries stay what `npm install` brings. */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  external: /^(?:node:|(?!@disburse\/)[@a-z])/,
  output: { file: "dist/disburse.mjs", format: "esm" },
});
