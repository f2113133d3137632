import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The build that the gateway serves below `/console/`. */
export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: {
    target: "es2023",
    // A strict content security policy allows neither inline scripts nor `data:` styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
