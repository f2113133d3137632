/** The fields of an alert that the totals use. */
export type Waiting = { readonly state: string; readonly createdAt: string };

const dayMs = 86_400_000;

/** Limits of the age groups, in days. */
export const ageSteps = [1, 3, 7] as const;

/** Counts alerts by state and age group, and returns the oldest one's age in seconds. */
export function totalsOf(waiting: readonly Waiting[], now: Date) {
  const ages = waiting.map(({ createdAt }) => now.getTime() - Date.parse(createdAt));
  const states = new Map<string, number>();
  for (const { state } of waiting) states.set(state, (states.get(state) ?? 0) + 1);
  return {
    states,
    older: ageSteps.map((days) => ({
      days,
      count: ages.filter((age) => age >= days * dayMs).length,
    })),
    oldestSeconds: Math.max(0, ...ages) / 1_000,
  };
}
