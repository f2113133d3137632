/** The code of a request without an answer. */
export const noAnswer = "no answer";

/**
 * Codes after which a client repeats its request. The gateway returns `REQUEST_TIMEOUT` if a request
 * arrives too slowly, on a machine with other work.
 */
const temporary: ReadonlySet<string> = new Set([
  ...["SERVICE_UNAVAILABLE", "IDEMPOTENCY_IN_PROGRESS", "REQUEST_TIMEOUT", noAnswer],
]);

/** Counts the requests that did not succeed, by their kind and code. */
export function createRefusals() {
  const counts = new Map<string, number>();
  const problems = new Set<string>();
  return {
    note: (kind: "new" | "repeating", code: string): void => {
      const text = `${kind}: ${code}`;
      counts.set(text, (counts.get(text) ?? 0) + 1);
      if (!temporary.has(code)) problems.add(text);
    },
    counts: (): string[] => [...counts].map(([text, count]) => `${text} ${count}`),
    /** Kinds and codes that no failover may cause, such as `INTERNAL_ERROR`. */
    problems: (): string[] => [...problems],
  };
}
