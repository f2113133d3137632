import { SettingsError } from "@disburse/chassis/settings.ts";
import { testTrust } from "@disburse/testkit/identity.ts";
import { expect, it } from "vitest";
import { start } from "../main.ts";
import { checkSourceAddress } from "./connector.ts";

it("must be an address of the machine", async () => {
  await checkSourceAddress("127.0.0.1");
  const absent = checkSourceAddress("192.0.2.7");
  await expect(absent).rejects.toThrow(SettingsError);
  await expect(absent).rejects.toThrow(
    "settings: WEBHOOK_SOURCE_ADDRESS: is not an address of this machine (EADDRNOTAVAIL)",
  );
});

it("is checked before the notifier opens anything", async () => {
  const environment = {
    ...{ DISBURSE_MODE: "sandbox", PORT: "0", MONGODB_URI: "mongodb://127.0.0.1:9/" },
    ...testTrust.settings("notifier"),
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}`,
    WEBHOOK_SOURCE_ADDRESS: "192.0.2.7",
  };
  await expect(start(environment)).rejects.toThrow("WEBHOOK_SOURCE_ADDRESS: is not an address");
});
