import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../manifests.ts";

/** Groups of Kubernetes itself have no dot, or end in `k8s.io`. */
const isCustom = ({ apiVersion }: Manifest): boolean => {
  const [group = ""] = apiVersion.split("/");
  return group.includes(".") && !group.endsWith(".k8s.io");
};

const kindOf = ({ apiVersion, kind }: Manifest): string => `${apiVersion} ${kind}`;

/** Returns the custom resource definitions in the YAML files of a folder. */
export function definitionsIn(folder: string | undefined): Manifest[] {
  if (folder === undefined) return [];
  const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const documents = files.flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), "utf8")),
  );
  const objects = documents.map((document) => document.toJSON() as Manifest | null);
  return objects.filter(
    (each): each is Manifest => each !== null && each.kind === "CustomResourceDefinition",
  );
}

/** Returns the kinds of objects for which there is no definition. */
export function undefinedKinds(
  objects: readonly Manifest[],
  definitions: readonly Manifest[],
): string[] {
  const defined = definitions.flatMap(({ spec }) =>
    spec.versions.map(
      ({ name }: { name: string }) => `${spec.group}/${name} ${spec.names.kind as string}`,
    ),
  );
  const kinds = objects.filter(isCustom).map(kindOf);
  return [...new Set(kinds)].filter((kind) => !defined.includes(kind)).sort();
}

/** Returns a definition that accepts any fields. @param kind such as `rabbitmq.com/v1beta1 RabbitmqCluster` */
export function permissiveDefinition(kind: string): Manifest {
  const [, group = "", version = "", name = ""] = /^(.+)\/(\S+) (\w+)$/.exec(kind) ?? [];
  const singular = name.toLowerCase();
  const plural = `${singular}s`;
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: name, singular, plural },
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } },
      ],
    },
  };
}
