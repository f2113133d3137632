import type { Manifests } from "./manifests.ts";
import { type Selector, selects } from "./overlays.ts";

type Peer = { podSelector?: Selector; namespaceSelector?: Selector; ipBlock?: { cidr: string } };
type Rule = { from?: Peer[]; to?: Peer[]; ports: { port: number }[] };
type Direction = "ingress" | "egress";

/** A connection that a policy allows, by names of pods, namespaces and networks. */
type Connection = {
  readonly pod: string;
  readonly other: string;
  readonly port: number;
  readonly policy: string;
};

function connections(manifests: Manifests, direction: Direction): Connection[] {
  const pods = manifests.workloads().map(({ kind, metadata, spec }) => ({
    name: kind === "Job" ? `${metadata.name.split("-").slice(0, 2).join("-")}` : metadata.name,
    labels: spec.template.metadata.labels,
  }));
  const namesOf = (selector: Selector) =>
    pods.filter(({ labels }) => selects(selector, labels)).map(({ name }) => name as string);
  const peersOf = ({ podSelector = {}, namespaceSelector, ipBlock }: Peer): string[] => {
    if (ipBlock !== undefined) return [ipBlock.cidr];
    const namespace = namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"];
    return namespace === undefined ? namesOf(podSelector) : [`namespace ${namespace}`];
  };
  return manifests
    .ofKind("NetworkPolicy")
    .flatMap(({ metadata, spec }) =>
      namesOf(spec.podSelector).flatMap((pod) =>
        (spec[direction] ?? []).flatMap(({ from, to, ports }: Rule) =>
          (from ?? to ?? [{ ipBlock: { cidr: "anywhere" } }])
            .flatMap(peersOf)
            .flatMap((other) =>
              ports.map(({ port }) => ({ pod, other, port, policy: metadata.name })),
            ),
        ),
      ),
    );
}

/** Returns the connections that policies allow, as `pod what:port`. */
export function arrows(manifests: Manifests, direction: Direction): string[] {
  const texts = connections(manifests, direction).map(
    ({ pod, other, port }) => `${pod} ${other}:${port}`,
  );
  return [...new Set(texts)].sort();
}

/** Returns a table of all connections, with source, destination, ports and policies. */
export function networkMatrix(manifests: Manifests): string {
  const out = connections(manifests, "egress").map((each) => [each.pod, each.other, each] as const);
  const into = connections(manifests, "ingress").map(
    (each) => [each.other, each.pod, each] as const,
  );
  const pairs = Map.groupBy([...out, ...into], ([from, to]) => `${from}\0${to}`);
  const unique = (values: readonly (string | number)[]) => [...new Set(values)].join(", ");
  const rows = [...pairs.values()].map((found) => {
    const [[from, to] = ["", ""]] = found;
    const all = found.map(([, , connection]) => connection);
    return [from, to, unique(all.map(({ port }) => port)), unique(all.map(({ policy }) => policy))];
  });
  const lines = [["FROM", "TO", "PORTS", "ALLOWED BY"], ...rows.toSorted(byText)];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  "))
    .join("\n");
}

const byText = (one: readonly string[], two: readonly string[]): number =>
  one.join("\0") < two.join("\0") ? -1 : 1;
