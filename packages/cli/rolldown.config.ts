import { defineConfig } from "rolldown";

/** Bundles the workspace packages into one file; npm dependencies stay external. */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  external: /^(?:node:|(?!@disburse\/)[@a-z])/,
  output: { file: "dist/disburse.mjs", format: "esm" },
});
