import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { CommandError } from "../output/failure.ts";
import type { World } from "../table/world.ts";

/** Tokens are secrets: only the user may read them. */
const fileMode = 0o600;
const folderMode = 0o700;

const loginSchema = z.object({
  access_token: z.string(),
  /**
   * Absent if the provider issued no refresh token. The person then has to sign in again after
   * `expires_at`.
   */
  refresh_token: z.string().optional(),
  /** Milliseconds since the Unix epoch. */
  expires_at: z.number(),
});

export type Login = z.infer<typeof loginSchema>;

const fileSchema = z.object({
  version: z.literal(1),
  logins: z.record(z.string(), loginSchema),
});

export function tokenFilePath({ environment }: Pick<World, "environment">): string {
  const home = environment.HOME || homedir();
  const folder = environment.XDG_STATE_HOME || join(home, ".local", "state");
  return join(folder, "disburse", "logins.json");
}

/** Opens the user's logins, keyed by issuer and client. */
export function openTokenFile(path: string) {
  const read = (): Record<string, Login> => {
    if (!existsSync(path)) return {};
    try {
      return fileSchema.parse(JSON.parse(readFileSync(path, "utf8"))).logins;
    } catch (cause) {
      const problem = `${path} is not a file of logins; remove it, and log in again`;
      throw new CommandError(problem, { exit: "identity", code: "not_logged_in", cause });
    }
  };
  const write = (logins: Record<string, Login>) => {
    mkdirSync(dirname(path), { recursive: true, mode: folderMode });
    const draft = `${path}.${process.pid}`;
    const file = openSync(draft, "w", fileMode);
    writeSync(file, JSON.stringify({ version: 1, logins }));
    fsyncSync(file);
    closeSync(file);
    // A draft left by a killed process may have another mode.
    chmodSync(draft, fileMode);
    renameSync(draft, path);
  };
  return {
    read: (key: string): Login | undefined => read()[key],
    write: (key: string, login: Login): void => write({ ...read(), [key]: login }),
    /** Removes a login and returns whether it existed. */
    remove: (key: string): boolean => {
      const { [key]: removed, ...others } = read();
      if (removed !== undefined) write(others);
      return removed !== undefined;
    },
  };
}

export type TokenFile = ReturnType<typeof openTokenFile>;
