import type { Finding } from "./finding.ts";

/** A privilege as MongoDB's `connectionStatus` returns it. */
export type Privilege = {
  readonly resource: {
    readonly db?: string;
    readonly anyResource?: boolean;
    /** Stored time series. Without `db`, of every database. */
    readonly system_buckets?: string;
  };
  readonly actions: readonly string[];
};

/** The actions that a service needs in its own database. The role `readWrite` has them. */
const needed = ["find", "insert", "update", "remove", "createCollection", "createIndex"];
/** Actions that read or change documents. */
const onDocuments = new Set(["find", "insert", "update", "remove"]);

/**
 * Compares the privileges of a service's user with those that it needs. A user of several databases
 * gets a warning, because a service that is taken over could read the data of others.
 */
export function privilegeFindings(
  database: string,
  privileges: readonly Privilege[] | undefined,
): Finding[] {
  const part = "database";
  if (privileges === undefined) return [];
  const isAny = ({ db, anyResource }: Privilege["resource"]) => anyResource === true || db === "";
  const own = privileges.filter(({ resource }) => isAny(resource) || resource.db === database);
  const given = new Set(own.flatMap(({ actions }) => actions));
  const missing = needed.filter((action) => !given.has(action));
  if (missing.length > 0) {
    return [{ part, state: "failed", text: `the user lacks privileges: ${missing.join(", ")}` }];
  }
  const others = privileges
    .filter(({ resource }) => isAny(resource) || resource.db !== database)
    .filter(({ actions }) => actions.some((action) => onDocuments.has(action)))
    .map(({ resource }) => resource.db || "every database");
  if (others.length === 0) return [{ part, state: "ok", text: "the user has its privileges" }];
  const text = `the user may also use ${[...new Set(others)].join(", ")}`;
  return [{ part, state: "warning", text }];
}
