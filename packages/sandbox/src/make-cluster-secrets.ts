import { createLog } from "@disburse/chassis/log.ts";
import { openClusterSecrets } from "./cluster-secrets.ts";
import { readClusterConfig } from "./config.ts";
import { secretSettings } from "./secrets.ts";

/** Makes the Secret of a sandbox in a Kubernetes cluster. One that exists stays: data needs it. */

/** What the manifests of deploy/k8s mount. */
const secretName = "disburse";

const log = createLog("sandbox-secrets", "info");
try {
  const made = await openClusterSecrets(readClusterConfig()).create(secretName, secretSettings());
  log.info({}, made ? "secrets made" : "secrets are there already");
} catch (error) {
  log.fatal({ err: error }, "secrets not made");
  process.exit(1);
}
