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

/** The tokens that are made here are good for a day. */
const tokenSeconds = 86_400;

/** All who have an identity in a deployment whose secrets are at hand; by default a new one. */
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
    /** The settings by which a service is who it is, and believes the others. */
    settings,
    /** Verifies the callers of a service. */
    verify: (workload: Workload): Verify => opened(workload).verify,
    /** The identity of a service, or of the job that creates the sandbox. */
    service: (workload: Workload): ClientIdentity => opened(workload).identity,
    /** Sign events as a service, and verify those of all. */
    eventKeys: (workload: Workload): EventKeys => opened(workload),
    /** The identity of a person, with every role and a fresh sign-in where none is named. */
    person,
  };
}
