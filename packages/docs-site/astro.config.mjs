import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import { writeSite } from "./src/write.ts";

const meta = /(<meta http-equiv="content-security-policy" content="[^"]*script-src 'self')/;

/** Adds the hashes of Starlight's inline scripts to each page's policy, which Astro leaves out. */
const inlineScripts = {
  name: "inline-scripts",
  hooks: {
    "astro:build:done": async ({ dir }) => {
      const folder = fileURLToPath(dir);
      for (const name of await readdir(folder, { recursive: true })) {
        if (!name.endsWith(".html")) continue;
        const html = await readFile(join(folder, name), "utf8");
        const scripts = html.matchAll(/<script(?! type="module")[^>]*>([^<].*?)<\/script>/gs);
        const hashes = [...scripts].map(
          ([, text]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
        );
        const all = [...new Set(hashes)].join(" ");
        await writeFile(
          join(folder, name),
          html.replace(meta, (start) => `${start} ${all}`),
        );
      }
    },
  },
};

export default defineConfig({
  base: "/docs",
  trailingSlash: "never",
  prefetch: false,
  publicDir: "./src/content/docs",
  markdown: { syntaxHighlight: "prism" },
  security: {
    csp: {
      directives: [
        "default-src 'none'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
      ],
      // Starlight sets sizes in attributes.
      styleDirective: { resources: ["'self'", { resource: "'unsafe-inline'", kind: "attribute" }] },
    },
  },
  integrations: [
    starlight({
      title: "Disburse",
      pagefind: false,
      expressiveCode: false,
      disable404Route: true,
      favicon: "/favicon.svg",
      customCss: ["./src/theme.css"],
      components: { Search: "./src/components/search.astro" },
      sidebar: writeSite(),
    }),
    inlineScripts,
  ],
});
