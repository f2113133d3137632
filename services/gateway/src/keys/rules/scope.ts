const nouns = ["beneficiary", "depositor", "quote", "payout", "account", "webhook"] as const;

/** What a key may do to a noun. */
export type Scope = `${(typeof nouns)[number]}:${"read" | "write"}`;

/** Every scope; a key made without any named gets them all. */
export const scopes: readonly Scope[] = nouns.flatMap((noun): Scope[] => [
  `${noun}:read`,
  `${noun}:write`,
]);

/** Whether a text is a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
