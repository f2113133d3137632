import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./manifests.ts";

const root = join(import.meta.dirname, "../../../..");

/** Packages with types for each custom resource group. Kubernetes' own types are elsewhere. */
const packages: Readonly<Record<string, string>> = {
  "cert-manager.io": "@kubernetes-models/cert-manager",
  "external-secrets.io": "@kubernetes-models/external-secrets",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
};

/** Groups without a published schema on the registry. */
const unpublished = ["mongodbcommunity.mongodb.com", "rabbitmq.com"];

const groupOf = ({ apiVersion }: Manifest): string => apiVersion.split("/")[0] ?? "";

/** Returns the module with an object's model, or undefined if no package has one. */
function moduleOf(object: Manifest): string | undefined {
  if (unpublished.includes(groupOf(object))) return undefined;
  const models = packages[groupOf(object)] ?? "kubernetes-models";
  return `${models}/${object.apiVersion}/${object.kind}`;
}

/** Returns the violation of Kubernetes' schema: types, required fields or formats. */
export async function schemaProblem(object: Manifest): Promise<string | undefined> {
  const name = moduleOf(object);
  if (name === undefined) return undefined;
  const models = (await import(name)) as Record<
    string,
    new (
      data: Manifest,
    ) => { validate(): void }
  >;
  const Model = models[object.kind];
  if (Model === undefined) return `${name} has no ${object.kind}`;
  try {
    new Model(object).validate();
    return undefined;
  } catch (error) {
    return `${object.kind} ${object.metadata.name}: ${(error as Error).message}`;
  }
}

/**
 * Returns fields that Kubernetes doesn't know. Its schemas ignore such fields, so the TypeScript
 * compiler checks each object against its published type. Each message names the field and the
 * object.
 */
export function unknownFields(objects: readonly Manifest[]): string[] {
  const folder = join(root, ".cache", `manifests-${process.pid}`);
  const typed = objects.filter((each) => moduleOf(each) !== undefined);
  const lines = typed.map((each) => {
    const type = `import("${moduleOf(each)}").I${each.kind}`;
    return `(${JSON.stringify(each)}) satisfies ${type};`;
  });
  mkdirSync(folder, { recursive: true });
  try {
    const file = join(folder, "manifests.ts");
    writeFileSync(file, `${lines.join("\n")}\nexport {};\n`);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const flags = ["--noEmit", "--module", "nodenext", "--skipLibCheck", "--ignoreConfig"];
    execFileSync(process.execPath, [compiler, ...flags, file], { cwd: folder, encoding: "utf8" });
    return [];
  } catch (error) {
    return ((error as { stdout?: string }).stdout ?? String(error)).trim().split("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
