import { once } from "node:events";
import { createServer } from "node:net";
import { SettingsError } from "@disburse/chassis/settings.ts";

/**
 * Throws where webhooks cannot leave from an address because the machine has it not: else every
 * attempt would fail, and merchants' endpoints would look broken.
 */
export async function checkSourceAddress(address: string): Promise<void> {
  const server = createServer();
  try {
    server.listen(0, address);
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const said = `WEBHOOK_SOURCE_ADDRESS: is no address of this machine (${code})`;
    throw new SettingsError(`settings: ${said}`, { cause: error });
  }
  await new Promise((resolve) => server.close(resolve));
}
