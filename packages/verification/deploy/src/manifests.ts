import { parseAllDocuments } from "yaml";

/** Fields of an object of Kubernetes: its schema is checked apart, and tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: typing every kind would say nothing more.
type Fields = Record<string, any>;

/** Any object of Kubernetes. */
export type Manifest = Fields & { apiVersion: string; kind: string; metadata: Fields };

/** A setting of a container: a value, or where it comes from. */
type EnvironmentEntry = { name: string; value?: string; valueFrom?: object };

/** A container of a pod. */
export type Container = Fields & { name: string; image: string; env?: EnvironmentEntry[] };

/** The objects of rendered YAML. */
export type Manifests = ReturnType<typeof readManifests>;

/** Reads rendered YAML. */
export function readManifests(text: string) {
  const all = parseAllDocuments(text).map((document) => document.toJSON() as Manifest);
  const ofKind = (kind: string): Manifest[] => all.filter((each) => each.kind === kind);
  return {
    all,
    ofKind,
    /** The one object of that kind and name. */
    get: (kind: string, name: string): Manifest => {
      const found = ofKind(kind).filter(({ metadata }) => metadata.name === name);
      if (found.length !== 1) throw new Error(`${found.length} × ${kind} ${name}`);
      return found[0] as Manifest;
    },
    /** What starts pods of ours: everything but what an operator runs. */
    workloads: () => all.filter(({ kind }) => /^(?:Deployment|StatefulSet|Job)$/.test(kind)),
  };
}

/** The only container of a workload of ours. */
export function containerOf(workload: Manifest): Container {
  return workload.spec.template.spec.containers[0];
}

/** A container's settings as the kubelet makes them: its ConfigMaps, then its own. */
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
