import { usageError } from "../output/failure.ts";
import { recordText } from "../output/print.ts";
import { claimsOf, identityOf, loginKey } from "../session/identity.ts";
import { signIn, signOut } from "../session/sign-in.ts";
import { openTokenFile, tokenFilePath } from "../session/token-file.ts";
import type { OwnCommand } from "../table/command.ts";
import type { Invocation } from "../table/invocation.ts";

async function login({ world, target }: Invocation): Promise<void> {
  if (target.token !== undefined)
    throw usageError("DISBURSE_TOKEN is set and overrides a login: unset it first");
  const found = await signIn(
    target,
    ({ url, code, completeUrl, expiresInSeconds }) => {
      const minutes = Math.floor(expiresInSeconds / 60);
      world.err(`open ${completeUrl || url}\nand enter ${code} there within ${minutes} minutes\n`);
    },
    world.now,
  );
  openTokenFile(tokenFilePath(world)).write(loginKey(target), found);
  const { sub, roles } = claimsOf(found.access_token);
  world.err(`logged in as ${sub ?? "?"} (${[roles ?? []].flat().join(", ")})\n`);
}

async function logout({ world, target }: Invocation): Promise<void> {
  const file = openTokenFile(tokenFilePath(world));
  const key = loginKey(target);
  const found = file.read(key);
  file.remove(key);
  if (found === undefined) return void world.err("not logged in\n");
  await signOut(target, found).catch(() => {
    world.err("the provider is unavailable: its session will expire\n");
  });
  world.err("logged out\n");
}

async function whoami(invocation: Invocation): Promise<void> {
  const { world, target } = invocation;
  const { origin, token } = identityOf(world, target);
  const { sub, roles, exp } = claimsOf(await token());
  const record = {
    subject: String(sub ?? ""),
    roles: [roles ?? []].flat().map(String),
    expires_at: typeof exp === "number" ? new Date(exp * 1_000).toISOString() : "",
    from: origin ?? "",
    target: target.name,
    issuer: target.issuer ?? "",
  };
  invocation.show(record, () => recordText(record));
}

export const sessionCommands: readonly OwnCommand[] = [
  {
    name: "login",
    summary: "sign in, on this device or another one",
    details:
      "Uses the provider's device flow: open a page on any device and enter a code. The login is\n" +
      "stored in $XDG_STATE_HOME/disburse, readable only by you, and renewed automatically.",
    examples: ["login --sandbox .data", "login --profile production"],
    run: login,
  },
  {
    name: "logout",
    summary: "log out here and at the provider",
    examples: ["logout"],
    run: logout,
  },
  {
    name: "whoami",
    summary: "show the current identity, its roles and its expiry",
    examples: ["whoami", "whoami --json"],
    run: whoami,
  },
];
