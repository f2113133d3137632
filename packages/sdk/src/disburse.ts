import { createCaller } from "./caller.ts";
import { type ClientOptions, clientSettings } from "./client-options.ts";
import { Resources } from "./gen/resources.ts";

/**
 * A merchant's client. It has one method for each operation, grouped by resource. Create one client
 * and share it: it holds no connection and you don't need to close it.
 */
export class Disburse extends Resources {
  /** @throws {TypeError} if an option is invalid. */
  constructor(options: ClientOptions) {
    super(createCaller(clientSettings(options)));
  }
}
