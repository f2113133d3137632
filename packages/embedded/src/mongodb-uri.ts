const shape =
  /^(?<hosts>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;

/**
 * A connection string that has `database` as its default one. The database named in the
 * original keeps its other meaning, where the credentials are looked up.
 */
export function withDatabase(uri: string, database: string): string {
  const parts = shape.exec(uri)?.groups;
  if (parts?.hosts === undefined) {
    throw new Error("MONGODB_URI is not a connection string: it has to begin with mongodb://");
  }
  const query = new URLSearchParams(parts.query);
  const byPassword = (query.get("authMechanism") ?? "SCRAM").startsWith("SCRAM");
  if (parts.hosts.includes("@") && byPassword && !query.has("authSource")) {
    query.set("authSource", parts.database || "admin");
  }
  const options = query.size === 0 ? "" : `?${query}`;
  return `${parts.hosts}/${database}${options}`;
}
