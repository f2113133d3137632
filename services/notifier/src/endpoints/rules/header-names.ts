/**
 * Headers that the sender sets, or that frame a message or its connection (RFC 9110, sections 7.6
 * and 10.1; RFC 9112, section 6).
 */
const reservedNames: ReadonlySet<string> = new Set([
  ...["accept-encoding", "connection", "expect", "host", "http2-settings", "keep-alive"],
  ...["te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent"],
]);
const reservedPrefixes = ["content-", "proxy-", "webhook-"];

/**
 * Describes the problem of a merchant's header names. `signatureHeader` has the API's own
 * signature.
 */
export function headerNamesProblem(
  names: readonly string[],
  signatureHeader: string,
): string | undefined {
  const signature = signatureHeader.toLowerCase();
  const isReserved = (name: string): boolean =>
    reservedNames.has(name) ||
    reservedPrefixes.some((prefix) => name.startsWith(prefix)) ||
    [signature, `${signature}-previous`].includes(name);
  const reserved = names.find((name) => isReserved(name.toLowerCase()));
  if (reserved !== undefined) {
    return `must not contain ${reserved}, because the platform sets it or it frames HTTP`;
  }
  const different = new Set(names.map((name) => name.toLowerCase()));
  return different.size === names.length
    ? undefined
    : "must have names that differ in more than case";
}
