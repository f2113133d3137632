import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { render } from "./kubectl.ts";

const root = join(import.meta.dirname, "../../../..");
const k8s = join(root, "deploy/k8s");
/** The example of an overlay of one's own. */
export const example = "examples/eks-atlas";

/** A folder for copies of the example with other texts. */
export function createOwnOverlay(kubectl: string) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/own-overlay-"));
  return {
    /** Renders a copy of the example. */
    render: (change: (text: string) => string): string => {
      const text = readFileSync(join(k8s, example, "kustomization.yaml"), "utf8");
      const base = relative(folder, k8s);
      writeFileSync(join(folder, "kustomization.yaml"), change(text).replaceAll("../..", base));
      return render(kubectl, relative(k8s, folder));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Replaces the release and the digests of the example. @param digit fills each digest */
export function withRelease(release: string, digit: string) {
  return (text: string): string =>
    text
      .replace("release=0-1-0", `release=${release}`)
      .replaceAll(/sha256:\w{64}/g, `sha256:${digit.repeat(64)}`);
}
