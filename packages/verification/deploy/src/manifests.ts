import { parseAllDocuments } from "yaml";

/** Untyped fields of a Kubernetes object. Schemas are checked separately. */
// biome-ignore lint/suspicious/noExplicitAny: typing every kind would say nothing more.
type Fields = Record<string, any>;

export type Manifest = Fields & { apiVersion: string; kind: string; metadata: Fields };

type EnvironmentEntry = { name: string; value?: string; valueFrom?: object };

export type Container = Fields & { name: string; image: string; env?: EnvironmentEntry[] };

export type Manifests = ReturnType<typeof readManifests>;

export function readManifests(text: string) {
  const all = parseAllDocuments(text).map((document) => document.toJSON() as Manifest);
  const ofKind = (kind: string): Manifest[] => all.filter((each) => each.kind === kind);
  return {
    all,
    ofKind,
    /** Returns the object with this kind and name. Throws unless there is exactly one. */
    get: (kind: string, name: string): Manifest => {
      const found = ofKind(kind).filter(({ metadata }) => metadata.name === name);
      if (found.length !== 1)
        throw new Error(`expected one ${kind} ${name} in the manifests, found ${found.length}`);
      return found[0] as Manifest;
    },
    workloads: () => all.filter(({ kind }) => /^(?:Deployment|StatefulSet|Job)$/.test(kind)),
  };
}

export function containerOf(workload: Manifest): Container {
  return workload.spec.template.spec.containers[0];
}

/** Merges settings as the kubelet does: ConfigMaps first, then the container's own. */
export function environmentOf(manifests: Manifests, workload: Manifest): Record<string, string> {
  const { env = [], envFrom = [] } = containerOf(workload);
  const maps = envFrom.map(
    ({ configMapRef }: { configMapRef: { name: string } }) =>
      manifests.get("ConfigMap", configMapRef.name).data,
  );
  const field = { "metadata.namespace": workload.metadata.namespace } as Record<string, string>;
  const own = env.map(({ name, value, valueFrom }): [string, string] => {
    const path = (valueFrom as { fieldRef?: { fieldPath: string } })?.fieldRef?.fieldPath ?? "";
    return [name, value ?? field[path] ?? ""];
  });
  return { ...Object.assign({}, ...maps), ...Object.fromEntries(own) };
}
