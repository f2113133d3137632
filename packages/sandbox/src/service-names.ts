/** The services of the platform, in their order of start. */
export const serviceNames = [
  "compliance",
  "beneficiary",
  "notifier",
  "quote",
  "payout",
  "gateway",
] as const;

/** The name of a service. */
export type ServiceName = (typeof serviceNames)[number];

/** What `of` answers for each service. */
export function eachService<T>(of: (name: ServiceName) => T): Record<ServiceName, T> {
  return Object.fromEntries(serviceNames.map((name) => [name, of(name)])) as Record<ServiceName, T>;
}
