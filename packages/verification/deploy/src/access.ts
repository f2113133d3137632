import type { Manifests } from "./manifests.ts";

type RoleRule = {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
};

export type Access = { readonly resource: string; readonly verb: string; readonly name?: string };

/** Evaluates the Roles that are bound to a ServiceAccount, as Kubernetes does. */
export function isAllowed(manifests: Manifests, account: string, access: Access): boolean {
  const bound = manifests
    .ofKind("RoleBinding")
    .filter(({ subjects }) =>
      subjects.some(
        ({ kind, name }: { kind: string; name: string }) =>
          kind === "ServiceAccount" && name === account,
      ),
    );
  const rules = bound.flatMap(
    ({ roleRef }) => manifests.get(roleRef.kind, roleRef.name).rules as RoleRule[],
  );
  return rules.some(
    ({ resources, verbs, resourceNames }) =>
      resources.includes(access.resource) &&
      verbs.includes(access.verb) &&
      (resourceNames === undefined || resourceNames.includes(access.name ?? "")),
  );
}
