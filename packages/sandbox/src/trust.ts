import type { EventKeys } from "@disburse/chassis/amqp/signature.ts";
import { openIdentity } from "@disburse/chassis/identity/open.ts";
import { bearerIdentity, type ClientIdentity } from "@disburse/chassis/identity/service-tokens.ts";
import { identitySettings } from "@disburse/chassis/identity/settings.ts";
import type { Verify } from "@disburse/chassis/identity/verifier.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import type { Role } from "@disburse/chassis/principal.ts";
import { type Environment, readSettings } from "@disburse/chassis/settings.ts";
import { everyRole, issuerSettings, personToken, type TokenTimes } from "./people.ts";
import { generateSecrets, type Secrets, type Workload } from "./secrets.ts";

const tokenSeconds = 86_400;

/**
 * Provides every identity of a deployment from its secrets. By default the secrets are newly
 * generated.
 */
export function createTrust(secrets: Secrets = generateSecrets()) {
  const settings = (workload: Workload): Environment => ({
    SERVICE_KEY: secrets.serviceKeys[workload],
    TRUSTED_KEYS: secrets.trustedKeys,
    ...issuerSettings(secrets.issuerKey),
  });
  const opened = (workload: Workload) => {
    const read = readSettings(settings(workload), identitySettings);
    return openIdentity(workload, { ...read, DISBURSE_MODE: "sandbox" }, {}, silentLog);
  };
  const person = (
    id: string,
    roles: readonly Role[] = everyRole.roles,
    { signedInAt }: Pick<TokenTimes, "signedInAt"> = {},
  ): ClientIdentity => {
    const times = { seconds: tokenSeconds, signedInAt };
    const token = personToken(secrets.issuerKey, { id, roles }, times);
    return async (to) => bearerIdentity(await token)(to);
  };
  return {
    secrets,
    /** Returns the settings that give a service its identity and make it trust the others. */
    settings,
    /** Returns the verifier of a service's callers. */
    verify: (workload: Workload): Verify => opened(workload).verify,
    service: (workload: Workload): ClientIdentity => opened(workload).identity,
    /** Returns keys that sign events as a service and verify the events of all services. */
    eventKeys: (workload: Workload): EventKeys => opened(workload),
    /** Returns a person's identity. By default it has every role and a fresh sign-in. */
    person,
  };
}
