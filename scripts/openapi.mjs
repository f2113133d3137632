// `npm run lint:openapi`: checks docs/openapi.json with Spectral and Redocly. Their 243 packages
// are installed into `scripts/openapi` the first time; nothing else needs them.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { runMain } from "./start-error.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "openapi");
const document = join(folder, "../../docs/openapi.json");
const inModules = (path) => join(folder, "node_modules", path);

/** Turns off telemetry and update checks. */
const env = {
  SCARF_ANALYTICS: "false",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
};

const linters = [
  [
    inModules("@stoplight/spectral-cli/dist/index.js"),
    ...["lint", document, "--ruleset", join(folder, "spectral.yaml"), "--fail-severity=hint"],
  ],
  [
    inModules("@redocly/cli/bin/cli.js"),
    ...["lint", document, "--config", join(folder, "redocly.yaml")],
  ],
];

await runMain(async () => {
  const node = await ensureNode();
  await ensureDependencies(folder, node);
  for (const args of linters) {
    const code = await runNode(node, args, { cwd: folder, env });
    if (code !== 0) return code;
  }
  return 0;
});
