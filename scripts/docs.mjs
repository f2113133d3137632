// Builds the documentation if its sources have changed since the last build: `npm run docs`.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { isBuilt, sourceHash } from "./source-hash.mjs";
import { runMain } from "./start-error.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = "packages/docs-site";

/** Inputs of the build, relative to the root. */
const inputs = [
  ...["package-lock.json", "astro.config.mjs", "src"].map((name) => `${folder}/${name}`),
  ...["docs", "packages/sdk/src/generator"],
];

await runMain(async () => {
  // Whatever else runs here goes first.
  setPriority(19);
  const node = await ensureNode();
  const site = join(root, folder);
  const [built, dist] = ["dist-new", "dist"].map((name) => join(site, name));
  rmSync(join(site, "src/content"), { recursive: true, force: true });
  const hash = sourceHash(root, inputs);
  if (isBuilt(join(dist, ".sources-hash"), hash)) return 0;
  process.stderr.write("Building the documentation: its sources are new or have changed.\n");
  await ensureDependencies(site, node);
  const astro = join(site, "node_modules/astro/bin/astro.mjs");
  const args = [astro, "build", "--silent", "--outDir", built];
  const code = await runNode(node, args, { cwd: site, env: { ASTRO_TELEMETRY_DISABLED: "1" } });
  if (code === 0) {
    writeFileSync(join(built, ".sources-hash"), hash);
    rmSync(dist, { recursive: true, force: true });
    // The gateway never sees half of a build.
    renameSync(built, dist);
    process.stderr.write("The documentation is built.\n");
  } else process.stderr.write("The documentation was not built.\n");
  return code;
});
