import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Builds the files that the gateway serves at `/console/`. */
export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: {
    target: "es2023",
    // The content security policy blocks inline scripts and `data:` styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
