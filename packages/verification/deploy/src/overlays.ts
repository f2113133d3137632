import { findKubectl, render } from "./kubectl.ts";
import { type Manifest, type Manifests, readManifests } from "./manifests.ts";

/** Empty if kubectl is missing. `npm test` installs it on Linux x64. */
export const kubectl = findKubectl(process.env.PATH ?? "") ?? "";
/** The end of a test's name. It gives the reason if the test is skipped. */
export const without =
  kubectl === "" ? " (skipped: there is no kubectl; npm test installs one)" : "";

export const overlays = ["sandbox", "stage", "production"] as const;
export type Overlay = (typeof overlays)[number];

const rendered = new Map<string, Manifests>();

/** Returns the objects of a folder of deploy/k8s, rendered once a process. */
export function manifestsOf(folder: string): Manifests {
  const known = rendered.get(folder);
  if (known !== undefined) return known;
  const manifests = readManifests(render(kubectl, folder));
  rendered.set(folder, manifests);
  return manifests;
}

export const overlay = (name: Overlay): Manifests => manifestsOf(`overlays/${name}`);

/** Time limit of a test that renders: kubectl takes 20 s on a machine under load. */
export const renderTimeoutMs = 120_000;

/** Renders every overlay, so that tests find them rendered. */
export function renderOverlays(): void {
  if (kubectl !== "") overlays.forEach(overlay);
}

export const labelsOf = ({ metadata }: Manifest): Readonly<Record<string, string>> =>
  metadata.labels ?? {};

export type Selector = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { key: string; operator: string; values: string[] }[];
};

/** Matches a pod's labels against a Kubernetes label selector. */
export function selects(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const named = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  const expressed = matchExpressions.every(({ key, operator, values }) => {
    if (operator !== "In") throw new Error(`unexpected operator ${operator}`);
    return values.includes(labels[key] ?? "");
  });
  return named && expressed;
}
