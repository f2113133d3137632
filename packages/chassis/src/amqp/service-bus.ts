import type { Bus } from "../bus/bus.ts";
import type { Log } from "../log.ts";
import type { Lifetime, Shared } from "../service.ts";
import { type BusSettings, SettingsError } from "../settings.ts";
import { connectAmqpBus } from "./bus.ts";

/**
 * The bus of a service: the one that its process was handed, else a connection to the broker of
 * `AMQP_URL`, which ends with the service. Throws `SettingsError` where there is neither.
 */
export async function openBus(
  { AMQP_URL: url, BUS_NAMESPACE: namespace }: BusSettings,
  shared: Shared | undefined,
  lifetime: Lifetime,
  log: Log,
): Promise<Bus> {
  if (shared?.bus !== undefined) return shared.bus;
  if (url === undefined) throw new SettingsError("settings: AMQP_URL: is required");
  const bus = await connectAmqpBus({ url, namespace, log });
  lifetime.add("bus", bus.stop);
  return bus;
}
