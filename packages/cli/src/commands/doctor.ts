import { CommandError, usageError } from "../output/failure.ts";
import { serviceNames } from "../session/target.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

/** A result of a service's own check (`main.ts check`). */
type Finding = { readonly part: string; readonly state: string; readonly text: string };
type OfService = Finding & { readonly service: string };

/** A namespace of Kubernetes. */
const namespacePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const check = ["node", "service/src/main.ts", "check", "--json"] as const;
/** In compose, a sandbox's secrets are in files of the mode. */
const checkInCompose =
  `exec node --env-file-if-exists=/data/$DISBURSE_MODE.env ` +
  `--env-file-if-exists=/keys/$DISBURSE_MODE.env ${check.slice(1).join(" ")}`;

/** Returns the command that runs a service's check inside its container. */
function commandOf(service: string, namespace: string | undefined): [string, string[]] {
  if (namespace !== undefined) {
    return ["kubectl", ["-n", namespace, "exec", `deploy/${service}`, "--", ...check]];
  }
  // A container of its own works for a service that does not start, too.
  const run = ["compose", "run", "--rm", "--no-deps", "-T", service];
  return ["docker", [...run, "sh", "-c", checkInCompose]];
}

async function findingsOf(invocation: Invocation, service: string, namespace?: string) {
  const [program, args] = commandOf(service, namespace);
  const { code, stdout, stderr } = await invocation.world.execute(program, args);
  try {
    const findings = JSON.parse(stdout) as Finding[];
    return findings.map(({ part, state, text }): OfService => ({ service, state, part, text }));
  } catch {
    const text = stderr.trim().split("\n").at(-1) || `${program} ended with ${code}`;
    return [{ service, state: "failed", part: "container", text }];
  }
}

async function doctor(invocation: Invocation): Promise<void> {
  const namespace = invocation.text("--kubernetes");
  if (namespace !== undefined && !namespacePattern.test(namespace)) {
    throw usageError("--kubernetes: must be the name of a namespace");
  }
  const names = serviceNames.toSorted();
  const found = await Promise.all(names.map((name) => findingsOf(invocation, name, namespace)));
  const findings = found.flat();
  const failed = findings.filter(({ state }) => state === "failed");
  const healthy = failed.length === 0;
  invocation.show({ healthy, findings }, () =>
    invocation.table(findings, ["service", "state", "part", "text"]),
  );
  if (healthy) return;
  const named = failed.map(({ service, part }) => `${service} ${part}`).join(", ");
  const count = failed.length === 1 ? "1 check failed" : `${failed.length} checks failed`;
  throw new CommandError(`${count}: ${named}`, { exit: "failed", code: "check_failed" });
}

export const doctorCommands: readonly OwnCommand[] = [
  {
    name: "doctor",
    summary: "check settings, certificates and connections inside each service's container",
    details:
      "Runs `main.ts check` of all six services by docker compose, or by kubectl in a namespace: settings,\n" +
      "certificates, database, broker, rails, the OpenID provider, clocks and the other services. It changes\n" +
      "nothing, requires no login, and exits with 1 if a check fails.",
    examples: ["doctor", "doctor --kubernetes disburse-stage --json"],
    options: [
      {
        name: "kubernetes",
        about: "the namespace of the pods; otherwise compose",
        value: "namespace",
      },
    ],
    isLocal: true,
    run: doctor,
  },
];
