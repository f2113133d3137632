// Builds the package for `import` and for `require`: `node build.mjs [folder]`, `dist` by default.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

const compiler = createRequire(import.meta.url).resolve("typescript/package.json");
const tsc = join(dirname(compiler), "bin/tsc");
const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "dist"));

rmSync(folder, { recursive: true, force: true });
compile("tsconfig.build.json", "esm");
compile("tsconfig.build-cjs.json", "cjs");
// The package has the type "module"; without this file Node would load these files as such.
writeFileSync(join(folder, "cjs/package.json"), '{ "type": "commonjs" }\n');

function compile(config, format) {
  const args = ["-p", join(import.meta.dirname, config), "--outDir", join(folder, format)];
  execFileSync(process.execPath, [tsc, ...args], { stdio: "inherit" });
}
