const reservedNames: ReadonlySet<string> = new Set([
  ...["accept-encoding", "connection", "date", "expect", "host", "http2-settings", "keep-alive"],
  ...["te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent"],
]);
const reservedPrefixes = ["content-", "proxy-", "webhook-"];

/**
 * True for headers that an attempt sets itself, that proxies remove, or that frame a message or its
 * connection (RFC 9110, sections 7.6 and 10.1; RFC 9112, section 6).
 */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reservedNames.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix));
}

/**
 * Describes the problem of a merchant's header names. `signatureHeader` has the API's own
 * signature.
 */
export function headerNamesProblem(
  names: readonly string[],
  signatureHeader: string,
): string | undefined {
  const signature = signatureHeader.toLowerCase();
  const ofSignature = [signature, `${signature}-previous`];
  const reserved = names.find(
    (name) => isReservedHeader(name) || ofSignature.includes(name.toLowerCase()),
  );
  if (reserved !== undefined) {
    return `must not contain ${reserved}, because the platform sets it or it frames HTTP`;
  }
  const different = new Set(names.map((name) => name.toLowerCase()));
  return different.size === names.length
    ? undefined
    : "must have names that differ in more than case";
}
