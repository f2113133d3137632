export const serviceNames = [
  "compliance",
  "beneficiary",
  "notifier",
  "quote",
  "payout",
  "gateway",
] as const;

export type ServiceName = (typeof serviceNames)[number];

export function eachService<T>(of: (name: ServiceName) => T): Record<ServiceName, T> {
  return Object.fromEntries(serviceNames.map((name) => [name, of(name)])) as Record<ServiceName, T>;
}
